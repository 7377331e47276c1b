import type { AuditedColumn, AuditLag, ColumnPremium, WorstCell } from '../../../src/backtest/audit/result.ts'
import { auditStates, type StateCounts } from '../../../src/backtest/audit/states.ts'
import type { AuditHead } from '../../../src/features/audits/schema.ts'
import answers from '../../../src/http/docs/examples/answers.json' with { type: 'json' }

/** Counts in which every state that is not named is 0. */
export const counts = (some: Partial<StateCounts>): StateCounts => ({
  ...(Object.fromEntries([...auditStates, 'empty'].map(state => [state, 0])) as StateCounts),
  ...some,
})

const lagStarts = [0, 1, 8, 31, 61, 91, 181, 366]

/** The classes of lags, in which what is not named is 0. */
export const lags = (some: Readonly<Record<number, Partial<AuditLag>>> = {}): AuditLag[] =>
  lagStarts.map((from, index) => ({
    from_days: from,
    to_days: index + 1 < lagStarts.length ? lagStarts[index + 1] - 1 : null,
    announced: 0,
    restated: 0,
    early: 0,
    ...some[from],
  }))

export function madeColumn(name: string, change: Partial<AuditedColumn> = {}): AuditedColumn {
  const own = change.counts ?? counts({ known: 1 })
  return {
    name,
    reading: {
      metric: 'revenue',
      recognised: 'name',
      fp: 'FY',
      scale: 1e6,
      sign: 1,
      splits: 'as_filed',
      units: ['USD'],
      converted_from: [],
      rounding_unit: null,
      significant_digits: null,
      matched_share: 0.98,
      next_best: { fp: 'TTM', scale: 1e6, sign: 1, matched_share: 0.31 },
    },
    counts: own,
    years: [{ year: 2009, counts: own }],
    lags: lags(),
    reasons: {},
    ...change,
  }
}

export const worstCell = (change: Partial<WorstCell> = {}): WorstCell => ({
  row: 1,
  date: '2009-09-26',
  ticker: 'AAPL',
  column: 'revenue',
  value: 36537,
  known: null,
  state: 'early',
  reason: null,
  days: 31,
  period_end: '2009-09-26',
  filed: '2009-10-27',
  filing: '0001193125-09-214859',
  issuer_id: '0000320193',
  url: 'https://www.sec.gov/Archives/edgar/data/320193/000119312509214859/0001193125-09-214859-index.htm',
  ...change,
})

/** An audit with what is given, and the sums of its columns. */
export function madeAudit(change: Partial<AuditHead> = {}): AuditHead {
  const columns = change.columns ?? []
  const sum = counts({})
  for (const column of columns)
    for (const [state, cells] of Object.entries(column.counts)) sum[state as keyof StateCounts] += cells
  return {
    object: 'audit',
    count: columns.length === 0 ? 0 : Object.values(columns[0].counts).reduce((a, b) => a + b, 0),
    data_version: 7,
    known: 'filed before the date',
    max_age_days: null,
    counts: sum,
    columns,
    ignored: [],
    worst: [],
    premium: [],
    unknown: [],
    unknown_count: 0,
    attribution: [],
    ...change,
  }
}

type Result = NonNullable<ColumnPremium['result']>
const record = (sharpe: number | null) => ({
  sharpe,
  sharpe_per_period: sharpe === null ? null : sharpe / Math.sqrt(12),
  n_rows: 24_000,
  n_empty_periods: 0,
  names_per_period: 100,
  avg_turnover: 0.21,
  cost_drag_annual: 0.004,
})
const difference = (sharpe: number, low: number | null, high: number | null) => ({
  sharpe,
  low,
  high,
  sharpe_per_period: sharpe / Math.sqrt(12),
  low_per_period: null,
  high_per_period: null,
  level: 0.95,
})

export const madePremium = (change: Partial<Result> = {}): Result => ({
  premium: difference(0.62, 0.31, 0.95),
  premium_without_announced: difference(0.18, -0.05, 0.4),
  sent: record(1.31),
  known: record(0.69),
  known_or_announced: record(1.13),
  n_rows_without_known: 0,
  n_periods: 240,
  n_periods_left_out: 0,
  first_date: '2001-01-31',
  last_date: '2020-12-31',
  periods_per_year: 12,
  seed: 1,
  bootstraps: 1000,
  mean_block: 4.2,
  mean_block_chosen: true,
  config: {} as Result['config'],
  costs: {} as Result['costs'],
  warnings: [],
  notes: [],
  ...change,
})

/** The answer of the documents: Apple's revenue before and after its restatement. */
export const appleAudit = (): AuditHead => {
  const { rows: _, ...head } = answers.audit
  return head as AuditHead
}

const manyYears = Array.from({ length: 20 }, (_, i) => ({
  year: 2001 + i,
  counts: counts({
    known: 9000 + i * 100,
    rounded: 500,
    announced: 300 + 10 * i,
    stale: 200,
    restated: 150,
    early: 900 - 40 * i,
    other_company: 20,
    no_match: 90,
    not_covered: 400,
    empty: 300,
  }),
}))
const everyState = counts({
  known: 199_000,
  rounded: 10_000,
  announced: 9_000,
  stale: 4_000,
  restated: 3_000,
  early: 9_500,
  other_company: 400,
  no_match: 1_800,
  not_covered: 8_000,
  empty: 6_000,
})

/** An audit with every state and every section, and as many worst cells as there can be. */
export function fullAudit(): AuditHead {
  const column = madeColumn('revenue', {
    counts: everyState,
    years: manyYears,
    lags: lags({
      0: { early: 900 },
      1: { early: 400, announced: 200 },
      8: { early: 800, announced: 4000 },
      31: { early: 5400, announced: 3800 },
      61: { early: 2000, announced: 1000, restated: 30 },
      91: { restated: 300 },
      181: { restated: 670 },
      366: { restated: 2000 },
    }),
  })
  const doubtful = { ...column.reading, metric: 'eps', scale: 1, rounding_unit: 0.01, matched_share: 0.42 }
  return madeAudit({
    columns: [
      column,
      { ...column, name: 'net_income_ttm' },
      {
        ...column,
        name: 'a_column_with_a_very_long_name'.repeat(4),
        reasons: { split: 300 },
        reading: doubtful,
      },
    ],
    worst: Array.from({ length: 100 }, (_, i) =>
      worstCell({
        row: i * 1234 + 1,
        days: 1400 - i * 11,
        state: i % 3 === 0 ? 'early' : 'restated',
        known: i % 4 === 0 ? null : 35123.5,
      }),
    ),
    premium: [
      {
        column: 'revenue',
        result: madePremium({
          notes: [{ code: 'names_left_out', message: '2900 of 24000 rows have no known value.' }],
        }),
        reason: null,
      },
      { column: 'net_income_ttm', result: null, reason: 'Fewer than two names have a score on any date.' },
    ],
    ignored: ['momentum', 'beta_60d'],
    unknown: ['NOSUCH', 'XYZZY', 'A'.repeat(60)],
    unknown_count: 250,
    licence: 'Supplied under the Free Licence.',
    attribution: appleAudit().attribution,
  })
}
