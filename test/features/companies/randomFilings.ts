import fc from 'fast-check'
import { dayNumber } from '../../../src/dates.ts'
import type { MetricRules } from '../../../src/facts/metricRules.ts'
import type { Filing, ReportedFact } from '../../../src/facts/reportedFact.ts'
import { importFacts } from '../../../src/ingest/import/importFacts.ts'
import { checkStates } from '../../../src/markets/checkStates.ts'
import type { Sql } from '../../../src/postgres/client.ts'

/* Companies that file on a dozen days, often on the same, and change their minds about a few figures. */

export const firstDay = '2021-02-01'
export const spanDays = 12

export const rules: MetricRules = {
  rule: metric => ({ kind: metric === 'assets' || metric === 'equity' ? 'instant' : 'flow', additive: true }),
  rank: () => 0,
  group: () => 0,
  annualForm: /^10-K/,
  quarterlyForm: /^10-Q/,
}

export interface Period {
  readonly start: string
  readonly end: string
}

export interface Draft {
  /** After the first. */
  readonly day: number
  readonly hour: number | null
  /** What the filing's document states about the company; null if nothing. */
  readonly name: string | null
  /** 10-K where it is not said. */
  readonly form?: string
  readonly figures: readonly { metric: string; period: Period; value: number }[]
}

/** A filing on one of a dozen days, often the same as another's, its hour known, equal or not known at all.
 *
 * @param lengths of its figures, least and most */
export function draftsOf(
  periods: readonly Period[],
  lengths: readonly [number, number],
): fc.Arbitrary<Draft> {
  const figure = fc.record({
    metric: fc.constantFrom('revenue', 'net_income', 'assets', 'equity'),
    period: fc.constantFrom(...periods),
    // Few values, zero among them: repeats, returns to an older value, ratios without a denominator.
    value: fc.constantFrom(0, 1, 2, 3, -5),
  })
  const [minLength, maxLength] = lengths
  return fc.record({
    day: fc.integer({ min: 0, max: spanDays }),
    hour: fc.constantFrom(null, 8, 8, 16),
    name: fc.constantFrom(null, 'Old', 'New'),
    figures: fc.array(figure, { minLength, maxLength }),
  })
}

/** What a company's filings state. If a filing states a figure twice, the first one counts. */
export function statementsOf(number: number, drafts: readonly Draft[]): ReportedFact[] {
  return drafts.flatMap((draft, index) => {
    const filed = dayNumber(firstDay) + draft.day
    const made: Filing = {
      // Shuffled, so that they are not in the order in which they were made.
      accession: `${number}-${(index * 7) % 10}-${index}`,
      form: draft.form ?? '10-K',
      filed,
      acceptedAt: draft.hour === null ? null : (filed * 24 + draft.hour) * 3_600_000,
      ...(draft.name === null ? {} : { companyName: draft.name, sector: `SIC ${draft.name}` }),
    }
    const said = new Set<string>()
    return draft.figures.flatMap(({ metric, period, value }) => {
      const name = `${metric} ${period.end}`
      if (said.has(name)) return []
      said.add(name)
      const start = rules.rule(metric).kind === 'flow' ? dayNumber(period.start) : null
      const end = dayNumber(period.end)
      const check = checkStates[(index + value + metric.length + 5) % checkStates.length]
      return [{ metric, tag: metric, unit: 'USD', start, end, value, rounded: false, filing: made, check }]
    })
  })
}

/** Imports statements of a company under the ID that is returned. Outside the United States accessions begin with the market. */
export async function importAs(
  sql: Sql,
  market: string,
  number: number,
  reportedFacts: readonly ReportedFact[],
): Promise<string> {
  const ticker = `E${number}${market === 'US' ? '' : `.${market}`}`
  const profile = {
    market,
    issuerId: `${number}`,
    tickers: [ticker],
    fiscalYearEnd: '1231',
    registers: true,
  }
  const filings = new Map<Filing, Filing>()
  const own = (filing: Filing): Filing => {
    const known = filings.get(filing) ?? { ...filing, accession: `${market}:${filing.accession}` }
    filings.set(filing, known)
    return known
  }
  const stated =
    market === 'US' ? reportedFacts : reportedFacts.map(fact => ({ ...fact, filing: own(fact.filing) }))
  await importFacts(sql, [{ parsed: [{ profile, reportedFacts: stated, filings: [] }] }], {
    source: market,
    rules,
  })
  return ticker
}

const tablesOfFilings = [
  'entity_other_name',
  'entity_former_id',
  'entity_ticker',
  'known_moment',
  'fact_interim',
  'fact_repeat',
  'fact',
  'filing',
  'entity',
]

/** Removes all companies and their filings, before the next case of a property. Truncating makes new files for each table
 * and index, which takes longer than the case itself. */
export async function removeCompanies(sql: Sql): Promise<void> {
  await sql.unsafe(tablesOfFilings.map(table => `delete from ${table}`).join(';'))
}

/** A year, or its first quarter. */
const periods = [2018, 2019, 2020].flatMap(year => [
  { start: `${year}-01-01`, end: `${year}-12-31` },
  { start: `${year}-01-01`, end: `${year}-03-31` },
])
const drafts = fc.array(draftsOf(periods, [2, 12]), { minLength: 2, maxLength: 6 })
/** States what trailing twelve months need: a year, its first quarter, and that of the year after. */
const whole: fc.Arbitrary<Draft> = fc.record({
  day: fc.integer({ min: 0, max: spanDays / 2 }),
  hour: fc.constant(8),
  name: fc.constant(null),
  form: fc.constant('10-Q'),
  figures: fc
    .tuple(fc.constantFrom('revenue', 'net_income'), fc.integer({ min: 1, max: 9 }))
    .map(([metric, value]) =>
      [2, 3, 5].map(place => ({ metric, period: periods[place], value: value + place })),
    ),
})
/** The filings of one company. */
export const companyDrafts = fc.oneof(
  { weight: 3, arbitrary: drafts },
  { weight: 1, arbitrary: fc.array(whole, { minLength: 1, maxLength: 4 }) },
)
