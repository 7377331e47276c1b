import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Failure } from '../../../src/errors.ts'
import { kr } from '../../../src/ingest/registers/kr/register.ts'
import type { Register } from '../../../src/ingest/registers/register.ts'
import { tw } from '../../../src/ingest/registers/tw/register.ts'

const fixtures = (market: string, name: string) =>
  Bun.file(`${import.meta.dir}/${market}/fixtures/${name}`).bytes()

const cases: [Register, string, Uint8Array][] = [
  [kr, '005930.jsonl', await fixtures('kr', '005930.jsonl')],
  [kr, 'CORPCODE.xml', await fixtures('kr', 'CORPCODE.xml')],
  [tw, 't187ap06_L_ci.json', await fixtures('tw', 't187ap06_L_ci.json')],
  [tw, 't187ap07_L_ci.json', await fixtures('tw', 't187ap07_L_ci.json')],
  [tw, 'income_2023-2024.csv', await fixtures('tw', 'income_2023-2024.csv')],
]

/** A document is read, or refused with a Failure that says what is wrong; nothing else may come of it. Of what is read
 * every figure is a number on real days. */
function readOrRefuse(register: Register, name: string, bytes: Uint8Array): void {
  try {
    const { contributions, figuresRead, malformed } = register.readDocument({ name, bytes })
    expect(figuresRead).toBeGreaterThanOrEqual(malformed)
    for (const { profile, statements } of contributions) {
      expect(profile.market).toBe(register.market)
      for (const { value, start, end, filing } of statements) {
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

describe('fields that hold something else', () => {
  for (const [register, name, whole] of cases.filter(([, name]) => name.includes('.json'))) {
    test(name, () => {
      const text = new TextDecoder().decode(whole)
      const documents = name.endsWith('l') ? text.trim().split('\n') : [text]
      const fields = [...new Set([...text.matchAll(/"([^"]+)": ?/g)].map(([, field]) => field))]
      fc.assert(
        fc.property(
          fc.constantFrom(...fields),
          fc.oneof(fc.jsonValue(), fc.constantFrom('1.234.567,89', '99999999', '-0', '1e999', '\u0000')),
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
