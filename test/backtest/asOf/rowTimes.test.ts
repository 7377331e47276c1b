import { describe, expect, test } from 'bun:test'
import type { CarriedValues, StoredType } from '../../../src/backtest/asOf/carried/carriedColumn.ts'
import { textTable } from '../../../src/backtest/asOf/carried/texts.ts'
import { readRowTimes, TimesOfMarket } from '../../../src/backtest/asOf/rowTimes.ts'

const today = '2026-07-01'

function read(values: CarriedValues, count: number) {
  const cells = Int32Array.from({ length: count }, (_, row) => row + 1)
  const times = readRowTimes(['ticker', { name: 'time', cells, values }], today)
  if (times === null) throw new Error('The rows have times.')
  return times
}

/** As a Parquet file stores timestamps. */
const stored = (unit: 'NANOS' | 'MICROS' | 'MILLIS', ...numbers: readonly bigint[]) => {
  const type: StoredType = { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit } }
  return read({ kind: 'stored', type, numbers: BigInt64Array.from(numbers) }, numbers.length)
}

const texts = (...times: readonly string[]) => read({ kind: 'csv', table: textTable(times) }, times.length)

describe('timestamps of a Parquet file', () => {
  // Apple's 10-Q 0001193125-10-012085 was accepted at 2010-01-25T21:25Z. A double cannot hold the nanosecond before.
  const accepted = 1_264_454_700n

  test('the last nanosecond before a time is before it, also before 1970', () => {
    const nanos = accepted * 1_000_000_000n
    const { ms } = stored('NANOS', nanos - 1n, nanos, -1n, -1_000_000n, 0n)
    expect([...ms]).toEqual([Number(accepted) * 1_000 - 1, Number(accepted) * 1_000, -1, -1, 0])
    expect([...stored('MICROS', accepted * 1_000_000n - 1n, -1n).ms]).toEqual([1_264_454_699_999, -1])
  })

  test('one that no date can have is refused', () => {
    expect(() => stored('MILLIS', 2n ** 63n - 1n)).toThrow('is in the future')
    expect(() => stored('MILLIS', -(2n ** 63n))).toThrow('too early')
    expect(() => stored('MILLIS', -62_135_596_800_000n)).toThrow('Send times from 0001-01-03 on')
  })
})

describe('times on the clocks of a market', () => {
  const clockOf = (zone: string) => ({ market: 'XX', zone, sessions: null })

  // UTC's 2026-07-01 ends at 20:00 in New York and at 12:00 of the next day in Auckland.
  test.each([
    ['America/New_York', '2026-07-01T19:59:59', '2026-07-01T20:00'],
    ['Pacific/Auckland', '2026-07-02T11:59:59', '2026-07-02T12:00'],
  ])('end in %s when the day of UTC does, as those of as_of', (zone, last, next) => {
    const times = texts(last, next)
    const ofMarket = new TimesOfMarket(clockOf(zone), times)
    expect(new Date(ofMarket.instant(0)).toISOString()).toBe('2026-07-01T23:59:59.000Z')
    expect(() => ofMarket.instant(1)).toThrow('is in the future: today is 2026-07-01 (UTC)')
  })
})
