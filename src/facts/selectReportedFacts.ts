import type { MetricRules } from './metricRules.ts'
import type { ReportedFact } from './reportedFact.ts'
import { nominalDays, spanOf } from './spans.ts'

export interface Selection {
  /** One reported fact per metric and period, plus one more if a rounded source reports it again. */
  readonly chosen: ReportedFact[]
  /**
   * Facts in a currency other than the filing's own, and facts of lower-ranked accounts than its best ones. They
   * are stored but never served.
   */
  readonly unserved: ReportedFact[]
  /**
   * The same figures under tags of other groups, one per group. They are stored but never served. Whether their
   * values equal the chosen fact's is known only once the whole filing has been read.
   */
  readonly lesser: ReportedFact[]
  /**
   * For each chosen fact, the groups of all tags under which the filing states exactly that value, one bit
   * each. There is no entry if that is only its own group.
   */
  readonly groups: ReadonlyMap<ReportedFact, number>
  /** The filing's own currency or, if it reports no money, the previous filing's. */
  readonly currency: string | null
}

/**
 * Selects one fact for each metric and period from everything one filing reports. It prefers the best of the
 * filing's accounts, the currency of most of their facts, and better tags. The result does not depend on the
 * order of `reportedFacts`, and selecting from a selection changes nothing.
 */
export function selectReportedFacts(
  reportedFacts: readonly ReportedFact[],
  rules: MetricRules,
  previousCurrency: string | null,
): Selection {
  const basisOf = ({ tag }: ReportedFact) => rules.basis?.(tag) ?? 0
  const statements: ReportedFact[][] = []
  const periodsOf = new Map<string, Map<number, ReportedFact[][]>>()
  for (const reported of reportedFacts) {
    const { metric, unit, start, end, rounded } = reported
    const span = spanOf(start, end)
    if (span === null) continue
    let periods = periodsOf.get(metric)
    if (periods === undefined) {
      periods = new Map()
      periodsOf.set(metric, periods)
    }
    // A string key of everything that distinguishes figures would cost more than the rest of this function.
    const period = (end * 8 + span) * 2 + (rounded ? 1 : 0)
    const ofPeriod = periods.get(period)
    const basis = basisOf(reported)
    const known = ofPeriod?.find(([first]) => first.unit === unit && basisOf(first) === basis)
    if (known !== undefined) {
      addStatement(known, reported, rules)
      continue
    }
    const stated = [reported]
    statements.push(stated)
    if (ofPeriod === undefined) periods.set(period, [stated])
    else ofPeriod.push(stated)
  }
  const preferred: ReportedFact[] = []
  const lesser: ReportedFact[] = []
  const groups = new Map<ReportedFact, number>()
  for (const stated of statements) {
    const best = stated.reduce((a, b) => (isPreferred(b, a, rules) ? b : a))
    preferred.push(best)
    if (stated.length > 1 || rules.broadTags !== undefined) groups.set(best, groupsOf(best, stated, rules))
    for (const reported of stated) if (reported !== best) lesser.push(reported)
  }
  let bestBasis = Number.POSITIVE_INFINITY
  for (const reported of preferred) bestBasis = Math.min(bestBasis, basisOf(reported))
  const [ofBestAccounts, unserved] = partition(preferred, reported => basisOf(reported) === bestBasis)
  const currency = mainCurrency(ofBestAccounts, previousCurrency)
  const chosen: ReportedFact[] = []
  for (const reported of ofBestAccounts) {
    const own = currencyOf(reported.unit)
    if (own === null || own === currency) chosen.push(reported)
    else unserved.push(reported)
  }
  return { chosen, unserved, lesser, groups, currency }
}

/**
 * Adds a statement of a figure, keeping the best one of each tag group. If the figure is not part of any
 * difference, groups do not matter and only the best one overall is kept.
 */
function addStatement(stated: ReportedFact[], reported: ReportedFact, rules: MetricRules): void {
  const { metric, tag, start } = reported
  const isCompared = start !== null && rules.rule(metric).additive
  const group = rules.group(metric, tag)
  const index = isCompared ? stated.findIndex(other => rules.group(metric, other.tag) === group) : 0
  if (index === -1) stated.push(reported)
  else if (isPreferred(reported, stated[index], rules)) stated[index] = reported
}

/**
 * The groups of all tags that state the value of `best`. Without them, a year stated under two tags would
 * have no quarters if the other reports use the lower-ranked one.
 */
function groupsOf(best: ReportedFact, stated: readonly ReportedFact[], rules: MetricRules): number {
  const own = rules.group(best.metric, best.tag)
  let groups = 1 << own
  let isNextRefuted = rules.broadTags?.test(best.tag) !== true
  for (const { metric, tag, value } of stated) {
    const group = rules.group(metric, tag)
    if (value === best.value) groups |= 1 << group
    else if (group === own + 1) isNextRefuted = true
  }
  return isNextRefuted ? groups : groups | (1 << (own + 1))
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

/** Splits items into those for which `isFirst` holds and the others. */
export function partition<T>(items: Iterable<T>, isFirst: (item: T) => boolean): [T[], T[]] {
  const parts: [T[], T[]] = [[], []]
  for (const item of items) parts[isFirst(item) ? 0 : 1].push(item)
  return parts
}

/** The currency of a unit: USD for `USD` and `USD/shares`, null for `shares`. */
export function currencyOf(unit: string): string | null {
  const money = unit.endsWith('/shares') ? unit.slice(0, -7) : unit
  return money.length === 3 && money === money.toUpperCase() ? money : null
}

/** The currency of most facts. A tie goes to the previous currency, then to the first one alphabetically. */
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
