import { describe, expect, test } from 'bun:test'
import { splitsOf } from '../../../src/backtest/audit/splits.ts'
import type { Vintages } from '../../../src/backtest/audit/vintages.ts'
import { dayNumber } from '../../../src/dates.ts'

/** Figures per share of one company: the last day of the period, the day of filing, and the value. */
type Filed = readonly [end: string, filed: string, value: number]

function vintagesOf(filed: readonly Filed[]): Vintages {
  const sorted = [...filed].sort(([, , a], [, , b]) => a - b)
  return {
    starts: Int32Array.of(0, sorted.length),
    days: Int32Array.from(sorted, ([, day]) => dayNumber(day)),
    ends: Int32Array.from(sorted, ([end]) => dayNumber(end)),
    values: Float64Array.from(sorted, ([, , value]) => value),
    filed: new Int32Array(sorted.length),
    units: new Int16Array(sorted.length),
    text: new Uint8Array(0),
    textStarts: new Int32Array(sorted.length + 1),
  }
}

/** Apple's diluted earnings per share before and after the split of four for one, from 0000320193-18-000145, -19-000119 and
 * -20-000096 (EDGAR companyfacts, EarningsPerShareDiluted). */
const years: Filed[] = [
  ['2018-09-29', '2018-11-05', 11.91],
  ['2018-09-29', '2020-10-30', 2.98],
  ['2019-09-28', '2019-10-31', 11.89],
  ['2019-09-28', '2020-10-30', 2.97],
]
/** The fourth quarters of the same years, which end on the same days: 2.91 and 3.03, and 0.76 after the split. */
const fourthQuarters: Filed[] = [
  ['2018-09-29', '2018-11-05', 2.91],
  ['2019-09-28', '2019-10-31', 3.03],
  ['2019-09-28', '2020-10-30', 0.76],
]

const split = [{ day: dayNumber('2020-10-30'), ratio: 4 }]

describe('the splits that vintages show', () => {
  test('are found in fiscal years', () => {
    expect(splitsOf(vintagesOf(years), 0, years.length, 'per_share')).toEqual(split)
  })

  test('are found where a year and its fourth quarter end on the same day', () => {
    const all = [...years, ...fourthQuarters]
    expect(splitsOf(vintagesOf(all), 0, all.length, 'per_share')).toEqual(split)
  })

  test('are none where a filing restates by different ratios: the accounting rules of 2010', () => {
    // Apple's 10-K/A 0001193125-10-012091 of 2010-01-25.
    const restated: Filed[] = [
      ['2008-09-27', '2009-10-27', 5.36],
      ['2008-09-27', '2010-01-25', 6.78],
      ['2009-09-26', '2009-10-27', 6.29],
      ['2009-09-26', '2010-01-25', 9.08],
    ]
    expect(splitsOf(vintagesOf(restated), 0, restated.length, 'per_share')).toEqual([])
  })
})
