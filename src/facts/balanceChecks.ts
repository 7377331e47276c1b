import { isoDate } from '../dates.ts'
import type { Contribution, Filing, MetricRules, Statement } from './reportedFact.ts'

/** A sum that does not hold in what one filing says. */
export interface BrokenSum {
  readonly sum: SumName
  readonly market: string
  readonly issuerId: string
  /** First day of a flow; null for a balance. */
  readonly start: string | null
  readonly end: string
  readonly accession: string
  /** Left side less right side, in `unit`. */
  readonly difference: number
  readonly unit: string
}

export const sumNames = ['assets = liabilities + equity', 'gross_profit = revenue - cost_of_revenue'] as const
export type SumName = (typeof sumNames)[number]

export interface SumCount {
  checked: number
  broken: number
  /** Balances whose assets are more than what is stated against them, where something may stand between that has no
   * metric: nothing is proved. */
  open: number
}

export interface SumReport {
  readonly counts: Record<SumName, SumCount>
  /** The first ones met, a few of each sum. */
  readonly examples: BrokenSum[]
}

const mostExamples = 5

export const noSums = (): SumReport => ({
  counts: {
    'assets = liabilities + equity': { checked: 0, broken: 0, open: 0 },
    'gross_profit = revenue - cost_of_revenue': { checked: 0, broken: 0, open: 0 },
  },
  examples: [],
})

const isTerm: Readonly<Record<string, true>> = {
  ...{ assets: true, liabilities: true, equity: true, provisions: true, minority_interests: true },
  ...{ gross_profit: true, revenue: true, cost_of_revenue: true },
}

/** What a filing states of each term, the preferred tag first. */
type Terms = Map<string, Statement[]>

/** Checks, in each filing by itself, the sums that must hold in accounts. Nothing is changed or left out for it: filers make
 * errors, and what they filed is what is served.
 *
 * - `assets = liabilities + equity`, plus provisions where the filing sets them apart from liabilities. Equity has several
 * tags in US GAAP: `StockholdersEquity` is that of the parent's owners, and minority interests and temporary equity, which
 * have no metric, stand beside it. The sum holds if it does with any tag of equity that the filing states, and with or
 * without minority interests that it states. Where it does not, and the preferred tag is one that leaves something out
 * (`partialTags`), more assets than the other side is counted as open, not as broken. Fewer assets is broken, though a US minority interest
 * may be negative.
 * - `gross_profit = revenue - cost_of_revenue`.
 *
 * Figures are compared where one filing states all terms for the same days in the same unit. Tolerance: each term may be
 * rounded by half of the unit it is reported in, which is taken to be the largest power of ten that divides all of them. */
export function checkSums({ profile, statements }: Contribution, rules: MetricRules, into: SumReport): void {
  for (const [{ filing, start, end, unit }, terms] of groupTerms(statements, rules)) {
    const report = (sum: SumName, verdict: Verdict | null) => {
      if (verdict === null) return
      const count = into.counts[sum]
      count.checked++
      if (verdict.kind === 'holds') return
      count[verdict.kind]++
      if (verdict.kind !== 'broken' || count.broken > mostExamples) return
      const { market, issuerId } = profile
      const days = { start: start === null ? null : isoDate(start), end: isoDate(end) }
      const { difference } = verdict
      into.examples.push({ sum, market, issuerId, ...days, accession: filing.accession, difference, unit })
    }
    if (start === null) report('assets = liabilities + equity', checkBalance(terms, rules))
    else report('gross_profit = revenue - cost_of_revenue', checkGross(terms))
  }
}

interface Place {
  readonly filing: Filing
  readonly start: number | null
  readonly end: number
  readonly unit: string
}

/** The terms of each filing, days and unit. */
function groupTerms(statements: readonly Statement[], rules: MetricRules): Map<Place, Terms> {
  const filings = new Map<string, Map<number, Map<string, Place>>>()
  const groups = new Map<Place, Terms>()
  for (const statement of statements) {
    const { metric, tag, filing, start, end, unit, rounded } = statement
    if (isTerm[metric] === undefined) continue
    const days = getOrMake(filings, filing.accession, () => new Map<number, Map<string, Place>>())
    // One number for both days and the rounding: keys of text would cost more than all else here.
    const period = end * 2 ** 26 + ((start ?? -1) + 1) * 2 + (rounded ? 1 : 0)
    const units = getOrMake(days, period, () => new Map<string, Place>())
    let place = units.get(unit)
    if (place === undefined) {
      place = { filing, start, end, unit }
      units.set(unit, place)
      groups.set(place, new Map())
    }
    const terms = groups.get(place)
    const said = terms?.get(metric)
    if (said === undefined) terms?.set(metric, [statement])
    else said.splice(rules.rank(metric, tag) < rules.rank(metric, said[0].tag) ? 0 : 1, 0, statement)
  }
  return groups
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

type Verdict =
  | { readonly kind: 'holds' }
  | { readonly kind: 'open' }
  | { readonly kind: 'broken'; readonly difference: number }

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

function checkGross(terms: Terms): Verdict | null {
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
  const tolerance = (terms.length * unitOfReport(terms)) / 2
  return { holds: Math.abs(difference) <= tolerance, difference }
}

const largestUnit = 1e9

/** The largest power of ten up to a billion that divides all of some amounts; amounts with a fraction are reported in
 * hundredths. */
function unitOfReport(terms: readonly number[]): number {
  if (!terms.every(Number.isInteger)) return 0.01
  let unit = largestUnit
  while (unit > 1 && terms.some(value => value % unit !== 0)) unit /= 10
  return unit
}

/** What one import found, beside what those before it did; of each sum the first examples are kept. */
export function addSums(into: SumReport, more: SumReport): void {
  for (const sum of sumNames) {
    const { checked, broken, open } = more.counts[sum]
    const count = into.counts[sum]
    count.checked += checked
    count.broken += broken
    count.open += open
    if (into.examples.some(example => example.sum === sum)) continue
    into.examples.push(...more.examples.filter(example => example.sum === sum))
  }
}
