import { isoDate } from '../dates.ts'
import type { MetricRules } from './metricRules.ts'
import type { Filing, ParsedDocument, ReportedFact } from './reportedFact.ts'

export const balanceChecks = [
  'assets = liabilities + equity',
  'gross_profit = revenue - cost_of_revenue',
] as const
export type BalanceCheck = (typeof balanceChecks)[number]

export interface BalanceReport {
  readonly counts: Record<BalanceCheck, CheckCounts>
  /** The first few failures of each check. */
  readonly examples: FailedCheck[]
}

interface CheckCounts {
  checked: number
  broken: number
  /**
   * Balances whose assets exceed liabilities and equity by an amount that may be an item without a metric. They prove
   * nothing, so they count as neither held nor broken.
   */
  open: number
}

/** A check that failed within one filing. */
export interface FailedCheck {
  readonly check: BalanceCheck
  readonly market: string
  readonly issuerId: string
  /** First day of a flow; null for a balance. */
  readonly start: string | null
  readonly end: string
  readonly accession: string
  /** Left side minus right side, in `unit`. */
  readonly difference: number
  readonly unit: string
}

const maxExamples = 5

export const emptyBalanceReport = (): BalanceReport => ({
  counts: {
    'assets = liabilities + equity': { checked: 0, broken: 0, open: 0 },
    'gross_profit = revenue - cost_of_revenue': { checked: 0, broken: 0, open: 0 },
  },
  examples: [],
})

/**
 * Checks the accounting identities within each filing and adds the result to `report`. It changes or drops
 * nothing: filers make errors, and we serve what they filed.
 *
 * - `assets = liabilities + equity`, plus provisions if the filing reports them apart from liabilities. US
 *   GAAP has several equity tags: `StockholdersEquity` belongs to the parent's owners, and minority interests
 *   and temporary equity, which have no metric there, come on top. The check holds if it holds for any equity
 *   tag that the filing reports, with or without the minority interests that it reports. If it fails and the
 *   preferred tag leaves something out (`partialTags`), assets above the other side count as open, not as
 *   broken. Assets below it count as broken, although a US minority interest may be negative.
 * - `gross_profit = revenue - cost_of_revenue`.
 *
 * Figures are compared where one filing reports all terms for the same days in the same unit. Tolerance: each
 * term may be rounded by half of the unit it is reported in. That unit is taken to be the largest power of
 * ten that divides all terms.
 */
export function checkBalances(
  { profile, reportedFacts }: ParsedDocument,
  rules: MetricRules,
  report: BalanceReport,
): void {
  for (const [{ filing, start, end, unit }, terms] of groupTerms(reportedFacts, rules)) {
    const check: BalanceCheck =
      start === null ? 'assets = liabilities + equity' : 'gross_profit = revenue - cost_of_revenue'
    const verdict = start === null ? checkBalance(terms, rules) : checkGrossProfit(terms)
    if (verdict === null) continue
    const count = report.counts[check]
    count.checked++
    if (verdict.kind === 'holds') continue
    count[verdict.kind]++
    if (verdict.kind !== 'broken' || count.broken > maxExamples) continue
    const { market, issuerId } = profile
    const days = { start: start === null ? null : isoDate(start), end: isoDate(end) }
    const { difference } = verdict
    report.examples.push({ check, market, issuerId, ...days, accession: filing.accession, difference, unit })
  }
}

/**
 * Adds one more import's report to the total. Each check keeps the examples of the first import that has any.
 */
export function addBalanceReport(total: BalanceReport, more: BalanceReport): void {
  for (const check of balanceChecks) {
    const { checked, broken, open } = more.counts[check]
    const count = total.counts[check]
    count.checked += checked
    count.broken += broken
    count.open += open
    if (total.examples.some(example => example.check === check)) continue
    total.examples.push(...more.examples.filter(example => example.check === check))
  }
}

/** A filing's facts for each term, the preferred tag first. */
type Terms = Map<string, ReportedFact[]>

/** Facts are comparable within one filing, period and unit. */
interface Scope {
  readonly filing: Filing
  readonly start: number | null
  readonly end: number
  readonly unit: string
}

const isTerm: Readonly<Record<string, true>> = {
  assets: true,
  liabilities: true,
  equity: true,
  provisions: true,
  minority_interests: true,
  gross_profit: true,
  revenue: true,
  cost_of_revenue: true,
}

function groupTerms(reportedFacts: readonly ReportedFact[], rules: MetricRules): Map<Scope, Terms> {
  const filings = new Map<string, Map<number, Map<string, Scope>>>()
  const groups = new Map<Scope, Terms>()
  for (const reported of reportedFacts) {
    const { metric, tag, filing, start, end, unit, rounded } = reported
    if (isTerm[metric] === undefined) continue
    const periods = getOrCreate(filings, filing.accession, () => new Map<number, Map<string, Scope>>())
    // Packs both days and the rounding into one number: string keys would cost more than the rest of this
    // function.
    const period = end * 2 ** 26 + ((start ?? -1) + 1) * 2 + (rounded ? 1 : 0)
    const units = getOrCreate(periods, period, () => new Map<string, Scope>())
    const scope = getOrCreate(units, unit, () => ({ filing, start, end, unit }))
    const terms = getOrCreate(groups, scope, () => new Map<string, ReportedFact[]>())
    const sameTerm = terms.get(metric)
    if (sameTerm === undefined) terms.set(metric, [reported])
    else sameTerm.splice(rules.rank(metric, tag) < rules.rank(metric, sameTerm[0].tag) ? 0 : 1, 0, reported)
  }
  return groups
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const created = create()
  map.set(key, created)
  return created
}

type Verdict =
  | { readonly kind: 'holds' }
  | { readonly kind: 'open' }
  | { readonly kind: 'broken'; readonly difference: number }

/** Returns null if a term is missing. */
function checkBalance(terms: Terms, { partialTags }: MetricRules): Verdict | null {
  const [assets, liabilities, equity] = ['assets', 'liabilities', 'equity'].map(metric => terms.get(metric))
  if (assets === undefined || liabilities === undefined || equity === undefined) return null
  const provisions = terms.get('provisions')
  const minority = terms.get('minority_interests')?.[0].value ?? 0
  const parts = [liabilities[0].value, provisions?.[0].value ?? 0]
  for (const { value } of equity) {
    if (compare(assets[0].value, [...parts, value]).holds) return { kind: 'holds' }
    if (compare(assets[0].value, [...parts, value, minority]).holds) return { kind: 'holds' }
  }
  const { difference } = compare(assets[0].value, [...parts, equity[0].value])
  const isPartial =
    partialTags?.test(equity[0].tag) === true ||
    (provisions === undefined && partialTags?.test(liabilities[0].tag) === true)
  return isPartial && difference > 0 ? { kind: 'open' } : { kind: 'broken', difference }
}

/** Returns null if a term is missing. */
function checkGrossProfit(terms: Terms): Verdict | null {
  const [gross, revenue, cost] = ['gross_profit', 'revenue', 'cost_of_revenue'].map(metric =>
    terms.get(metric),
  )
  if (gross === undefined || revenue === undefined || cost === undefined) return null
  const { holds, difference } = compare(gross[0].value, [revenue[0].value, -cost[0].value])
  return holds ? { kind: 'holds' } : { kind: 'broken', difference }
}

function compare(left: number, right: readonly number[]): { holds: boolean; difference: number } {
  const terms = [left, ...right].filter(value => value !== 0)
  const difference = left - right.reduce((sum, value) => sum + value, 0)
  const tolerance = (terms.length * reportingUnit(terms)) / 2
  return { holds: Math.abs(difference) <= tolerance, difference }
}

const maxReportingUnit = 1e9

/**
 * The largest power of ten, up to a billion, that divides all amounts. If any has a fraction, the unit is a
 * hundredth.
 */
function reportingUnit(terms: readonly number[]): number {
  if (!terms.every(Number.isInteger)) return 0.01
  let unit = maxReportingUnit
  while (unit > 1 && terms.some(value => value % unit !== 0)) unit /= 10
  return unit
}
