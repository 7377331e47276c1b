import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { jsonBytes } from '../../../src/backtest/pipeline/encodeResult.ts'

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
