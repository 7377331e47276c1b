import type { MetricRules } from './metricRules.ts'
import type { ReportedFact } from './reportedFact.ts'
import { nominalDays, spanOf } from './spans.ts'

export interface Selection {
  /** One reported fact per metric and period (and one more if a rounded source reports it again). */
  readonly chosen: ReportedFact[]
  /** The same in currencies other than the filing's own, and those of lesser accounts than its best: stored, never
   * served. */
  readonly unserved: ReportedFact[]
  /** The filing's own; the previous one if the filing reports no money. */
  readonly currency: string | null
}

/** Selects one fact for each metric and period from everything that one filing reports. Preferred are the best of its
 * accounts, the currency of most of their facts, and the better tags. The result does not depend on the order of
 * `reportedFacts`; selecting from a selection changes nothing. */
export function selectReportedFacts(
  reportedFacts: readonly ReportedFact[],
  rules: MetricRules,
  previousCurrency: string | null,
): Selection {
  const basisOf = ({ tag }: ReportedFact) => rules.basis?.(tag) ?? 0
  const preferred = new Map<string, ReportedFact>()
  for (const reported of reportedFacts) {
    const { metric, unit, start, end, rounded } = reported
    const span = spanOf(start, end)
    if (span === null) continue
    const key = `${metric} ${span}${rounded ? 'r' : ' '}${end} ${unit} ${basisOf(reported)}`
    const rival = preferred.get(key)
    if (rival === undefined || isPreferred(reported, rival, rules)) preferred.set(key, reported)
  }
  let bestBasis = Number.POSITIVE_INFINITY
  for (const reported of preferred.values()) bestBasis = Math.min(bestBasis, basisOf(reported))
  const [ofBestAccounts, unserved] = partition(
    preferred.values(),
    reported => basisOf(reported) === bestBasis,
  )
  const currency = mainCurrency(ofBestAccounts, previousCurrency)
  const chosen: ReportedFact[] = []
  for (const reported of ofBestAccounts) {
    const own = currencyOf(reported.unit)
    if (own === null || own === currency) chosen.push(reported)
    else unserved.push(reported)
  }
  return { chosen, unserved, currency }
}

function isPreferred(a: ReportedFact, b: ReportedFact, rules: MetricRules): boolean {
  const rank = rules.rank(a.metric, a.tag) - rules.rank(b.metric, b.tag)
  if (rank !== 0) return rank < 0
  const daysOff = daysFromNominal(a) - daysFromNominal(b)
  if (daysOff !== 0) return daysOff < 0
  if (a.start !== b.start) return (a.start ?? 0) < (b.start ?? 0)
  return a.value < b.value
}

function daysFromNominal({ start, end }: ReportedFact): number {
  if (start === null) return 0
  const span = spanOf(start, end) ?? 0
  return Math.abs(end - start + 1 - nominalDays[span])
}

/** The items for which `isFirst` holds, and the others. */
export function partition<T>(items: Iterable<T>, isFirst: (item: T) => boolean): [T[], T[]] {
  const parts: [T[], T[]] = [[], []]
  for (const item of items) parts[isFirst(item) ? 0 : 1].push(item)
  return parts
}

/** The currency of a unit: USD for `USD` and `USD/shares`, none for `shares`. */
export function currencyOf(unit: string): string | null {
  const money = unit.endsWith('/shares') ? unit.slice(0, -7) : unit
  return money.length === 3 && money === money.toUpperCase() ? money : null
}

/** The currency of most facts; of those equally frequent the previous one, else the first by name. */
function mainCurrency(reportedFacts: Iterable<ReportedFact>, previous: string | null): string | null {
  const counts = new Map<string, number>()
  for (const { unit } of reportedFacts) {
    const currency = currencyOf(unit)
    if (currency !== null) counts.set(currency, (counts.get(currency) ?? 0) + 1)
  }
  let main = previous
  let maxCount = 0
  for (const [currency, count] of counts) {
    const breaksTie = main !== previous && (currency === previous || (main !== null && currency < main))
    if (count > maxCount || (count === maxCount && breaksTie)) {
      main = currency
      maxCount = count
    }
  }
  return main
}
