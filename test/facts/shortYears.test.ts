import { describe, expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../src/dates.ts'
import type { Filing, ReportedFact } from '../../src/facts/reportedFact.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { derive } from './derivation.ts'

/** Changes of a fiscal year's end, and first years. The register files at hand contain none. These are made by hand, for a
 * company that earns 100 in each month of 2019, 110 in each of 2020 and 120 in each of 2021, and owns what it has earned. */

const perMonth: Record<string, number> = { 2019: 100, 2020: 110, 2021: 120 }

/** The earnings from the first month to the last, both as `YYYY-MM`. */
function earned(from: string, to: string): number {
  let sum = 0
  for (let year = Number(from.slice(0, 4)), month = Number(from.slice(5)); ; ) {
    sum += perMonth[year]
    if (`${year}-${String(month).padStart(2, '0')}` === to) return sum
    if (++month > 12) [year, month] = [year + 1, 1]
  }
}

const lastOf = (month: string) =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10)

let count = 0
function report(form: string, filed: string, balances: string[], flows: [string, string][]): ReportedFact[] {
  count++
  const accession = `0000000001-20-${String(count).padStart(6, '0')}`
  const filing: Filing = { accession, form, filed: dayNumber(filed), acceptedAt: null }
  const state = (
    metric: string,
    tag: string,
    from: string | null,
    to: string,
    value: number,
  ): ReportedFact => ({
    metric,
    tag: `us-gaap:${tag}`,
    unit: 'USD',
    rounded: false,
    filing,
    value,
    start: from === null ? null : dayNumber(`${from}-01`),
    end: dayNumber(lastOf(to)),
  })
  return [
    ...flows.map(([from, to]) => state('revenue', 'Revenues', from, to, earned(from, to))),
    ...flows.map(([from, to]) => state('net_income', 'NetIncomeLoss', from, to, earned(from, to) / 10)),
    ...balances.map(month => state('assets', 'Assets', null, month, earned('2019-01', month))),
    ...balances.map(month =>
      state('equity', 'StockholdersEquity', null, month, earned('2019-01', month) / 2),
    ),
  ]
}

/** `FY2020`, `Q12021`, and `2020-03-31` where it ends. */
const facts = (reportedFacts: readonly ReportedFact[], metric: string, fiscalYearEnd: string | null = null) =>
  derive(reportedFacts, fiscalYearEnd)
    .facts.filter(fact => fact.metric === metric)
    .map(({ fp, fy, end, value }) => `${fp === 0 ? 'FY' : `Q${fp}`}${fy} ${isoDate(end)} ${value}`)

const year2019 = report('10-K', '2020-02-20', ['2019-12'], [['2019-01', '2019-12']])

describe('from December to March, reported on 10-KT', () => {
  const transition = report(
    '10-KT',
    '2020-05-20',
    ['2020-03', '2019-12'],
    [
      ['2020-01', '2020-03'],
      ['2019-01', '2019-12'],
    ],
  )
  const quarters = [
    report(
      '10-Q',
      '2020-08-05',
      ['2020-06', '2020-03'],
      [
        ['2020-04', '2020-06'],
        ['2019-04', '2019-06'],
      ],
    ),
    report(
      '10-Q',
      '2020-11-05',
      ['2020-09', '2020-03'],
      [
        ['2020-07', '2020-09'],
        ['2020-04', '2020-09'],
      ],
    ),
    report(
      '10-Q',
      '2021-02-05',
      ['2020-12', '2020-03'],
      [
        ['2020-10', '2020-12'],
        ['2020-04', '2020-12'],
      ],
    ),
  ]
  const next = report(
    '10-K',
    '2021-05-20',
    ['2021-03', '2020-03'],
    [
      ['2020-04', '2021-03'],
      ['2020-01', '2020-03'],
      ['2019-01', '2019-12'],
    ],
  )
  const all = [...year2019, ...transition, ...quarters.flat(), ...next]

  test('its three months are no quarter and no year, in that report and in later ones', () => {
    expect(facts(all, 'revenue')).toEqual([
      'FY2019 2019-12-31 1200',
      'Q22019 2019-06-30 300',
      'Q12021 2020-06-30 330',
      'Q22021 2020-09-30 330',
      'Q32021 2020-12-31 330',
      'FY2021 2021-03-31 1350',
      // The year of 9 * 110 + 3 * 120 less nine months of 110: the last three months, and not those of the transition.
      'Q42021 2021-03-31 360',
    ])
    expect(facts(all, 'revenue_ytd')).toEqual(['Q22021 2020-09-30 660', 'Q32021 2020-12-31 990'])
  })

  test('its balance closes a fiscal year, of which no return is served', () => {
    expect(facts(all, 'assets')).toContain('FY2020 2020-03-31 1530')
    expect(facts(all, 'roa')).toEqual([
      `FY2019 2019-12-31 ${120 / 1200}`,
      `FY2021 2021-03-31 ${135 / (1200 + 330 + 1350)}`,
    ])
    expect(nonEmpty(facts(all, 'net_margin')).filter(text => text.includes('2020-03-31'))).toEqual([])
  })

  test('twelve months to its end, which it reports as well, were never a fiscal year', () => {
    const recast = report(
      '10-KT',
      '2020-05-20',
      ['2020-03', '2019-12'],
      [
        ['2020-01', '2020-03'],
        ['2019-04', '2020-03'],
        ['2019-01', '2019-12'],
      ],
    )
    const later = report(
      '10-K',
      '2021-05-20',
      ['2021-03', '2020-03'],
      [
        ['2020-04', '2021-03'],
        ['2019-04', '2020-03'],
      ],
    )
    expect(facts([...year2019, ...recast, ...later], 'revenue')).toEqual([
      'FY2019 2019-12-31 1200',
      'FY2021 2021-03-31 1350',
    ])
  })

  test('without that report, the gap between the years is a short year', () => {
    expect(facts([...year2019, ...next], 'revenue')).toEqual([
      'FY2019 2019-12-31 1200',
      'FY2021 2021-03-31 1350',
    ])
    expect(facts([...year2019, ...next], 'assets')).toEqual([
      'FY2019 2019-12-31 1200',
      'FY2020 2020-03-31 1530',
      'FY2021 2021-03-31 2880',
    ])
  })
})

/** A transition from January 2020 to a month, and the quarter after it. */
function changing(to: string, form: string, parts: [string, string][], first: [string, string]) {
  const before = report('10-K', '2020-02-20', ['2019-12'], [['2019-01', '2019-12']])
  const transition = report(form, '2021-01-20', [to, '2019-12'], [['2020-01', to], ...parts])
  const quarter = report('10-Q', '2021-04-20', [first[1], to], [first])
  return [...before, ...transition, ...quarter]
}

describe('other lengths and forms', () => {
  test('six months on 10-KT: no half-year; the quarters in it have no label either', () => {
    const all = changing(
      '2020-06',
      '10-KT',
      [
        ['2020-01', '2020-03'],
        ['2020-04', '2020-06'],
      ],
      ['2020-07', '2020-09'],
    )
    expect(facts(all, 'revenue')).toEqual(['FY2019 2019-12-31 1200', 'Q12021 2020-09-30 330'])
    expect(facts(all, 'revenue_ytd')).toEqual([])
  })

  test('nine months on 10-KT: no year to date, and nothing is taken from it', () => {
    const interim = report(
      '10-Q',
      '2020-08-01',
      ['2020-06'],
      [
        ['2020-01', '2020-06'],
        ['2020-04', '2020-06'],
      ],
    )
    const all = [...changing('2020-09', '10-KT', [], ['2020-10', '2020-12']), ...interim]
    expect(facts(all, 'revenue_ytd')).toEqual(['Q22020 2020-06-30 660'])
    // The figure reported before the change was known belongs to the second quarter of 2020 and stays there.
    expect(facts(all, 'revenue')).toEqual([
      'FY2019 2019-12-31 1200',
      'Q22020 2020-06-30 330',
      'Q12021 2020-12-31 330',
    ])
  })

  test('five months, a length that no period of a year has: only its balance shows that a year ended', () => {
    const all = changing('2020-05', '10-KT', [], ['2020-06', '2020-08'])
    expect(facts(all, 'revenue')).toEqual(['FY2019 2019-12-31 1200', 'Q12021 2020-08-31 330'])
    expect(facts(all, 'assets')).toContain(`FY2020 2020-05-31 ${1200 + 5 * 110}`)
  })

  test('three months on 10-QT', () => {
    const all = changing('2020-03', '10-QT', [], ['2020-04', '2020-06'])
    expect(facts(all, 'revenue')).toEqual(['FY2019 2019-12-31 1200', 'Q12021 2020-06-30 330'])
  })

  test('six months on a form that does not declare them (20-F): they continue where the year ended', () => {
    const before = report('20-F', '2020-04-20', ['2019-12'], [['2019-01', '2019-12']])
    const change = report(
      '20-F',
      '2020-10-20',
      ['2020-06', '2019-12'],
      [
        ['2020-01', '2020-06'],
        ['2019-01', '2019-12'],
      ],
    )
    const next = report(
      '20-F',
      '2021-10-20',
      ['2021-06', '2020-06'],
      [
        ['2020-07', '2021-06'],
        ['2020-01', '2020-06'],
      ],
    )
    const all = [...before, ...change, ...next]
    expect(facts(all, 'revenue')).toEqual(['FY2019 2019-12-31 1200', 'FY2021 2021-06-30 1380'])
    expect(facts(all, 'revenue_ytd')).toEqual([])
    expect(facts(all, 'roa').map(text => text.slice(0, 6))).toEqual(['FY2019', 'FY2021'])
  })

  test('a first year of a half: no half-year of a year to come', () => {
    const first = report('10-K', '2020-03-01', ['2019-12'], [['2019-07', '2019-12']])
    const second = report(
      '10-K',
      '2021-03-01',
      ['2020-12', '2019-12'],
      [
        ['2020-01', '2020-12'],
        ['2019-07', '2019-12'],
      ],
    )
    for (const fiscalYearEnd of [null, '1231']) {
      expect(facts([...first, ...second], 'revenue', fiscalYearEnd)).toEqual(['FY2020 2020-12-31 1320'])
      expect(facts([...first, ...second], 'revenue_ytd', fiscalYearEnd)).toEqual([])
      expect(facts(first, 'assets', fiscalYearEnd)).toEqual(['FY2019 2019-12-31 1200'])
    }
  })

  test('a count of shares on the cover, weeks after the end, closes nothing', () => {
    const transition = report('10-KT', '2020-05-20', ['2020-03', '2019-12'], [['2020-01', '2020-03']])
    const cover: ReportedFact = {
      ...transition[0],
      metric: 'shares_outstanding',
      tag: 'dei:EntityCommonStockSharesOutstanding',
      unit: 'shares',
      start: null,
      end: dayNumber('2020-05-15'),
      value: 7,
    }
    const quarter = report('10-Q', '2020-08-20', ['2020-06'], [['2020-04', '2020-06']])
    expect(facts([...year2019, ...transition, cover, ...quarter], 'revenue')).toEqual([
      'FY2019 2019-12-31 1200',
      'Q12021 2020-06-30 330',
    ])
  })

  test('a gap that has room for whole years is taken for unreported years', () => {
    const all = [
      ...year2019,
      ...report('10-K', '2022-02-20', ['2021-12', '2020-12'], [['2021-01', '2021-12']]),
    ]
    expect(facts(all, 'assets')).toEqual([
      'FY2019 2019-12-31 1200',
      'FY2020 2020-12-31 2520',
      'FY2021 2021-12-31 3960',
    ])
  })
})
