import { type ComputedMetric, computedMetrics } from '../markets/metrics.ts'
import { earliestMark, laterOfDay, trailingInputs, yearlyInputs } from './computeRatios.ts'
import { weakestCheck } from './factRow.ts'
import type { PeriodIndex, Series } from './periods.ts'
import type { Filing } from './reportedFact.ts'
import type { VintageBuilder } from './vintages.ts'
import { isKnown, type KnownSeries, sumOf } from './yearsToDate.ts'

type Find = (metric: string) => Series | undefined

type Sum = Pick<ComputedMetric, 'name' | 'operation'> & { readonly components: readonly string[] }

/** In order of computation. */
const sums: readonly Sum[] = [
  // Filings may state these two themselves. They are computed only for filings that do not.
  { name: 'gross_profit', components: ['revenue', 'cost_of_revenue'], operation: '-' },
  { name: 'short_term_borrowings', components: ['commercial_paper'], operation: '+' },
  ...computedMetrics.filter(({ operation }) => operation !== '/'),
]

/**
 * For each sum, whether other figures of the period contradict its parts; there is no row then. Some filers include the
 * current part of long-term debt in `ShortTermBorrowings` (it makes up 8,944 of IBM's 8,945 million), so the two are
 * never added. Commercial paper runs for at most 270 days, so by definition it is not long-term debt.
 */
const refutations = new Map<string, (find: Find) => boolean>([
  ['short_term_borrowings', hasOtherBorrowings],
  ['current_debt', find => hasOtherBorrowings(find) || borrowsMoreThanPaper(find)],
  ['total_debt', find => isLessThanItsParts(find) || mixesLeases(find)],
])

/**
 * Some filers have bank loans beside commercial paper (Honeywell, Alcoa), so the paper alone understates what
 * they borrowed. Equal amounts are the same item: Apple only renamed the line.
 */
function hasOtherBorrowings(find: Find): boolean {
  const other = find('other_short_term_borrowings')
  return isKnown(other) && other.current.value !== find('commercial_paper')?.current?.value
}

/** If short-term borrowings differ from the commercial paper, the paper may or may not be part of them. */
function borrowsMoreThanPaper(find: Find): boolean {
  const borrowings = find('short_term_borrowings')
  return isKnown(borrowings) && borrowings.current.value !== find('commercial_paper')?.current?.value
}

/**
 * H&R Block tags 2.6 million as `DebtCurrent` beside 1,675 million of short-term borrowings, so the tag
 * cannot be its total.
 */
function isLessThanItsParts(find: Find): boolean {
  const total = find('current_debt')
  const parts = [find('short_term_borrowings'), find('long_term_debt_current')]
  return isKnown(total) && parts.some(part => isKnown(part) && part.current.value > total.current.value)
}

/**
 * If the current part of long-term debt includes leases and the rest does not, or the reverse, their sum
 * means nothing. A reported total of current debt (`DebtCurrent`) does not use that part.
 */
function mixesLeases(find: Find): boolean {
  if (find('current_debt')?.reportedGroup != null) return false
  const [current, rest] = [find('long_term_debt_current'), find('long_term_debt_noncurrent')]
  return isKnown(current) && isKnown(rest) && (current.groups & rest.groups) === 0
}

/**
 * Recomputes, at the end of a day, the sums whose parts changed. A missing part never counts as 0. A figure
 * that a filing states, or that follows as a difference, takes precedence.
 */
export function updateComputed(periods: PeriodIndex, vintages: VintageBuilder): void {
  for (const { key, filing } of vintages.touchedGroups()) {
    const { top: find, name } = key % 8 === 5 ? trailingInputs(vintages, key) : yearlyInputs(vintages, key)
    for (const sum of sums) {
      if (find(sum.components[0]) === undefined) continue
      const parts = sum.components.map(find)
      updateOne(name(sum.name), sum, { parts, find }, periods, vintages, filing)
    }
  }
}

function updateOne(
  name: string,
  { name: metric, operation }: Sum,
  { parts, find }: { readonly parts: readonly (Series | undefined)[]; readonly find: Find },
  periods: PeriodIndex,
  vintages: VintageBuilder,
  filing: Filing,
): void {
  const [first] = parts
  if (first === undefined) return
  const series = first.period.series.get(name)
  if (series !== undefined && (series.reportedGroup !== null || series.derivedGroup !== null)) return
  const known = parts.filter(isKnown)
  const value = sumOf(
    ...known.map(({ current }, index) => (operation === '-' && index > 0 ? -current.value : current.value)),
  )
  const isWhole = known.length === parts.length && areOfOneKind(known) && Number.isFinite(value)
  if (!isWhole || refutations.get(metric)?.(find)) {
    if (series !== undefined) vintages.withdraw(series, filing)
    return
  }
  const sum = series ?? periods.seriesOf(first.period, name)
  sum.bases = known.reduce((bases, part) => bases & part.bases, -1)
  const { unit, start } = known[0].current
  const inputs = known.map(part => part.current.filing)
  const earlierSince = known.map(part => part.current.earlierSince).reduce(earliestMark, null)
  const filed = inputs.reduce((last, next) => laterOfDay(last, next, filing))
  const check = weakestCheck(known.map(part => part.current.check))
  vintages.record(sum, { tag: null, unit, value, start, inputs, earlierSince, check }, filed)
}

const areOfOneKind = (parts: readonly KnownSeries[]): boolean =>
  parts.every(
    ({ current: { unit, end } }) => unit === parts[0].current.unit && end === parts[0].current.end,
  ) && parts.reduce((bases, part) => bases & part.bases, -1) !== 0
