import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { Failure } from '../../../src/errors.ts'
import { krRegister } from '../../../src/ingest/registers/kr/register.ts'
import type { Register } from '../../../src/ingest/registers/registerInterface.ts'
import { twRegister } from '../../../src/ingest/registers/tw/register.ts'
import { nonEmpty } from '../../nonEmpty.ts'

setDefaultTimeout(180_000)

const fixtures = (market: string, name: string) =>
  Bun.file(`${import.meta.dir}/${market}/fixtures/${name}`).bytes()

const cases: [Register, string, Uint8Array][] = [
  [krRegister, '005930.jsonl', await fixtures('kr', '005930.jsonl')],
  [krRegister, 'CORPCODE.xml', await fixtures('kr', 'CORPCODE.xml')],
  [twRegister, 't187ap06_L_ci.json', await fixtures('tw', 't187ap06_L_ci.json')],
  [twRegister, 't187ap07_L_ci.json', await fixtures('tw', 't187ap07_L_ci.json')],
  [twRegister, 'income_2023-2024.csv', await fixtures('tw', 'income_2023-2024.csv')],
]

/** A damaged document may have none; all of them together have some. */
let figuresChecked = 0
afterAll(() => expect(figuresChecked).toBeGreaterThan(1_000))

/** A document is read, or refused with a Failure that names the fault; nothing else may happen. Every figure that is read is a
 * number with real dates. */
function readOrRefuse(register: Register, name: string, bytes: Uint8Array): void {
  try {
    const { parsed, figuresRead, malformed } = register.readDocument({ name, bytes })
    expect(figuresRead).toBeGreaterThanOrEqual(malformed)
    for (const { profile, reportedFacts } of parsed) {
      expect(profile.market).toBe(register.market)
      for (const { value, start, end, filing } of reportedFacts) {
        figuresChecked++
        expect(Number.isFinite(value) && !Object.is(value, -0)).toBe(true)
        expect(Number.isInteger(end) && (start === null || start <= end) && end < filing.filed).toBe(true)
      }
    }
  } catch (error) {
    expect(error).toBeInstanceOf(Failure)
  }
}

describe('a real document, damaged', () => {
  for (const [register, name, whole] of cases) {
    test(name, () => {
      fc.assert(
        fc.property(
          fc.nat(whole.length - 1),
          fc.nat(200),
          fc.uint8Array({ maxLength: 8 }),
          (at, length, inserted) => {
            const after = whole.subarray(Math.min(whole.length, at + length))
            readOrRefuse(register, name, Buffer.concat([whole.subarray(0, at), inserted, after]))
          },
        ),
        { numRuns: 60 },
      )
    })
  }
})

describe('fields with unexpected values', () => {
  for (const [register, name, whole] of nonEmpty(cases.filter(([, name]) => name.includes('.json')))) {
    test(name, () => {
      const text = new TextDecoder().decode(whole)
      const documents = name.endsWith('l') ? text.trim().split('\n') : [text]
      const fields = [...new Set([...text.matchAll(/"([^"]+)": ?/g)].map(([, field]) => field))]
      fc.assert(
        fc.property(
          fc.constantFrom(...fields),
          fc.oneof(
            fc.jsonValue(),
            fc.constantFrom('1.234.567,89', '99999999', '-0', '1e999', '\u0000', { toString: null }),
          ),
          (field, value) => {
            const changed = documents
              .map(one => JSON.stringify(JSON.parse(one, (key, old) => (key === field ? value : old))))
              .join('\n')
            readOrRefuse(register, name, new TextEncoder().encode(changed))
          },
        ),
        { numRuns: 60 },
      )
    })
  }
})
