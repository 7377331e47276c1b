import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  encodeResult,
  jsonBytes,
  storedAnswer,
  storedPage,
} from '../../../src/backtest/pipeline/encodeResult.ts'
import { madeResult } from '../report/fixtures.ts'

test('the bytes are those of JSON.stringify', () => {
  const records: object[] = [
    {},
    { left: undefined },
    { a: 1, left: undefined, b: [0.1, -0, null], 'é"\n': '有価証券' },
    { numbers: [1e21, 5e-324, 0.1 + 0.2], nested: { a: [{}], left: undefined } },
  ]
  for (const record of records) expect(Buffer.from(jsonBytes(record)).toString()).toBe(JSON.stringify(record))
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), record => {
      expect(Buffer.from(jsonBytes(record)).toString()).toBe(JSON.stringify(record))
    }),
  )
})

const textOf = ({ bytes }: { readonly bytes: Uint8Array }) => new TextDecoder().decode(bytes)

test('a stored result has the bits of the answer on its first line, and its page shows the second too', () => {
  const ic = { mean: 0.03, sd: 0.2, ir: 0.15, t_stat: 2.5, n_periods: 2 }
  const score = 'a name\nof two lines'
  const plain = madeResult([0.1, -0.1], { universe: { definition: score, names_per_period: 2 } })
  const stored = textOf(encodeResult({ ...plain, ic }, 'stored', ['ic', 'spa']))
  expect(storedAnswer(stored)).toBe(textOf(encodeResult(plain, 'json')))
  expect(textOf(storedPage(stored))).toBe(textOf(encodeResult({ ...plain, ic }, 'html')))
})

test('a result that an earlier version stored has a page', () => {
  const plain = madeResult([0.1, -0.1])
  const stored = textOf(encodeResult(plain, 'json'))
  expect(storedAnswer(stored)).toBe(stored)
  expect(textOf(storedPage(stored))).toBe(textOf(encodeResult(plain, 'html')))
})
