import { describe, expect, test } from 'bun:test'
import type { FundamentalsRow } from '../../../../src/features/fundamentals/schema.ts'
import {
  byColumn,
  type Cell,
  columnOf,
  columnsOf,
  isUnusual,
  linesOf,
} from '../../../../src/features/pages/compare/align.ts'
import { baseColumn, growth, indexed, yearBefore } from '../../../../src/features/pages/compare/measures.ts'

const row = (end: string, v: number, more: Partial<FundamentalsRow> = {}): FundamentalsRow => ({
  m: 'revenue',
  fy: Number(end.slice(0, 4)),
  fp: 'FY',
  end,
  filed: '2026-01-01',
  v,
  u: 'USD',
  ticker: 'X',
  issuer_id: '1',
  source: 'here',
  until: null,
  kind: 'stated',
  ...more,
})

const lineOf = (rows: readonly FundamentalsRow[]): readonly Cell[] =>
  linesOf(rows, 'years').get(rows[0].m) ?? []

describe('a period is in the column of the calendar year or quarter in which it ends', () => {
  // The fiscal years of Apple, Microsoft, Snowflake and Johnson & Johnson (53 weeks to 2010-01-03).
  test('and a year that ends in the first week of January is in that of the year before', () => {
    const ends = [
      '2009-09-26',
      '2010-06-30',
      '2023-01-31',
      '2010-01-03',
      '2011-01-02',
      '2010-01-07',
      '2010-01-08',
    ]
    expect(ends.map(end => columnOf(end, 'years').key)).toEqual([
      '2009',
      '2010',
      '2023',
      '2009',
      '2010',
      '2009',
      '2010',
    ])
  })

  test('quarters are named by their months', () => {
    const ends = ['2009-12-26', '2010-03-27', '2010-07-03', '2010-10-07', '2010-10-31']
    for (const show of ['quarters', 'ttm'] as const)
      expect(ends.map(end => columnOf(end, show).label)).toEqual([
        'Oct–Dec 2009',
        'Jan–Mar 2010',
        'Apr–Jun 2010',
        'Jul–Sep 2010',
        'Oct–Dec 2010',
      ])
  })

  test('a company with 52 and 53 weeks has one year in each column, on every weekday that ends nearest to 31 December', () => {
    for (let weekday = 0; weekday < 7; weekday++) {
      const ends: string[] = []
      for (let year = 1990; year < 2040; year++) {
        // The weekday within three days of 31 December.
        for (let away = -3; away <= 3; away++) {
          const day = new Date(Date.UTC(year, 11, 31 + away))
          if (day.getUTCDay() === weekday) ends.push(day.toISOString().slice(0, 10))
        }
      }
      const columns = ends.map(end => columnOf(end, 'years').key)
      expect(columns).toEqual(Array.from({ length: 50 }, (_, at) => String(1990 + at)))
    }
  })

  test('columns are the union of the lines, the latest first, and end where asked', () => {
    const lines = [lineOf([row('2009-12-31', 1), row('2010-12-31', 2)]), lineOf([row('2012-06-30', 3)])]
    expect(columnsOf(lines).map(({ key }) => key)).toEqual(['2012', '2010', '2009'])
    expect(columnsOf(lines, '2011-01-01').map(({ key }) => key)).toEqual(['2010', '2009'])
  })

  test('of two periods in a column the later one counts, and an unusual length is marked', () => {
    // A year end that moved from March to December.
    const line = lineOf([
      row('2015-03-31', 100, { start: '2014-04-01' }),
      row('2015-12-31', 70, { start: '2015-04-01' }),
    ])
    expect(byColumn(line).get('2015')?.row.v).toBe(70)
    expect(line.map(cell => [cell.days, isUnusual(cell, 'years')])).toEqual([
      [365, false],
      [275, true],
    ])
  })
})

describe('growth', () => {
  const of = (rows: readonly FundamentalsRow[], at = rows.length - 1) => {
    const line = lineOf(rows)
    return growth(line, line[at])
  }

  // Apple's 10-K of 2010: revenue 42,905 and 65,225 million dollars.
  test('is the change against the same fiscal period of the same company a year before', () => {
    expect(of([row('2009-09-26', 42_905e6), row('2010-09-25', 65_225e6)]).value).toBeCloseTo(52.0219, 3)
  })

  test('is in points for figures that are percentages', () => {
    const margins = [
      row('2009-12-31', 0.2, { m: 'net_margin', u: 'pure' }),
      row('2010-12-31', 0.25, { m: 'net_margin', u: 'pure' }),
    ]
    expect(of(margins).value).toBeCloseTo(5, 12)
    const signs = [
      row('2009-12-31', -0.1, { m: 'net_margin', u: 'pure' }),
      row('2010-12-31', 0.05, { m: 'net_margin', u: 'pure' }),
    ]
    expect(of(signs).value).toBeCloseTo(15, 12)
  })

  test('is missing, with the reason, where a percentage would mean nothing', () => {
    const last = (before: FundamentalsRow, more: Partial<FundamentalsRow> = {}) =>
      of([before, row('2010-12-31', 10, more)])
    expect(last(row('2009-12-31', -5))).toEqual({ value: null, why: expect.stringContaining('signs') })
    expect(last(row('2009-12-31', 0))).toEqual({ value: null, why: expect.stringContaining('is 0') })
    expect(last(row('2009-12-31', 5, { u: 'EUR' }))).toEqual({
      value: null,
      why: expect.stringContaining('EUR'),
    })
    expect(last(row('2008-12-31', 5))).toEqual({ value: null, why: expect.stringContaining('not known') })
    expect(last(row('2009-12-31', 5, { fp: 'Q4' }))).toEqual({
      value: null,
      why: expect.stringContaining('not known'),
    })
    const short = row('2009-12-31', 5, { start: '2009-04-01' })
    expect(last(short, { start: '2010-01-01' })).toEqual({
      value: null,
      why: expect.stringContaining('365 days, and the one a year before 275'),
    })
  })

  test('compares 53 weeks with 52, and a quarter only with that quarter', () => {
    const weeks = [
      row('2009-01-03', 100, { start: '2007-12-30' }),
      row('2010-01-02', 110, { start: '2009-01-04' }),
    ]
    expect(of(weeks).value).toBeCloseTo(10, 12)
    const quarters = ['2009-03-31', '2009-06-30', '2009-09-30', '2009-12-31', '2010-03-31'].map((end, at) =>
      row(end, 100 + at, { fp: (['Q1', 'Q2', 'Q3', 'Q4', 'Q1'] as const)[at] }),
    )
    const line = lineOf(quarters)
    expect(yearBefore(line, line[4])?.end).toBe('2009-03-31')
  })
})

describe('an index', () => {
  const lines = [
    lineOf([row('2009-12-31', 50), row('2010-12-31', 60), row('2011-12-31', 45)]),
    lineOf([row('2009-03-31', -5), row('2010-03-31', 200), row('2011-03-31', 500)]),
  ].map(byColumn)
  const keys = ['2011', '2010', '2009']

  test('begins where every company has a positive figure', () => {
    expect(baseColumn(lines, keys)).toBe('2010')
    expect(baseColumn([...lines, byColumn(lineOf([row('2015-12-31', 1)]))], keys)).toBeNull()
    expect(baseColumn([], keys)).toBeNull()
  })

  test('is a hundred times the figure by the first one, in one unit', () => {
    const cell = (line: number, key: string) => lines[line].get(key) as Cell
    expect(indexed(cell(0, '2010'), cell(0, '2011')).value).toBeCloseTo(75, 12)
    expect(indexed(cell(1, '2010'), cell(1, '2011')).value).toBeCloseTo(250, 12)
    const euro = lineOf([row('2012-12-31', 7, { u: 'EUR' })])[0]
    expect(indexed(cell(0, '2010'), euro)).toEqual({ value: null, why: expect.stringContaining('EUR') })
  })
})
