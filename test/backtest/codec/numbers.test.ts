import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { JsonReader } from '../../../src/backtest/codec/jsonReader.ts'

/** The truth is the runtime's own conversion, which rounds correctly. */
const read = (text: string) => new JsonReader(new TextEncoder().encode(text)).value()

test('reads every printed double back to the bit', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), x => {
      const text = Object.is(x, -0) ? '-0' : JSON.stringify(x)
      expect(Object.is(read(text), x)).toBe(true)
    }),
    { numRuns: 20_000 },
  )
})

test('rounds any string of digits as the runtime does', () => {
  const digits = (max: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max })
  fc.assert(
    fc.property(
      digits(24),
      digits(24),
      fc.integer({ min: -330, max: 290 }),
      fc.boolean(),
      (whole, places, power, hasPower) => {
        const text = `${whole.replace(/^0+(?=\d)/, '')}.${places}${hasPower ? `e${power}` : ''}`
        expect(Object.is(read(text), Number(text))).toBe(true)
      },
    ),
    { numRuns: 20_000 },
  )
})

test('rounds halfway cases to even', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }),
      fc.integer({ min: 1, max: 3 }),
      (m, places) => {
        const half = String(2n * m + 1n) // needs 54 bits
        const text = `${half.slice(0, -places)}.${half.slice(-places)}`
        expect(read(text)).toBe(Number(text))
      },
    ),
    { numRuns: 5_000 },
  )
})
