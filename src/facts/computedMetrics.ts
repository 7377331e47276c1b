import { earliestMark, laterOfDay, trailingInputs, yearlyInputs } from './computeRatios.ts'
import type { PeriodIndex, Series } from './periods.ts'
import type { Filing } from './reportedFact.ts'
import type { VintageBuilder } from './vintages.ts'
import { isKnown, type KnownSeries, sumOf } from './yearsToDate.ts'

type Find = (metric: string) => Series | undefined

/** A figure that is a sum of other figures of the same period. */
interface Computed {
  readonly name: string
  readonly parts: readonly { readonly metric: string; readonly sign: 1 | -1 }[]
  /** True if other figures of the period contradict the meaning of the parts; there is no row then. */
  readonly isRefuted?: (find: Find) => boolean
}

const plus = (metric: string) => ({ metric, sign: 1 }) as const
const minus = (metric: string) => ({ metric, sign: -1 }) as const

/** In order of computation. `src/markets/metrics.ts` describes them. */
export const computedMetrics: readonly Computed[] = [
  { name: 'gross_profit', parts: [plus('revenue'), minus('cost_of_revenue')] },
  { name: 'free_cash_flow', parts: [plus('operating_cash_flow'), minus('capital_expenditure')] },
  { name: 'ebitda', parts: [plus('operating_income'), plus('depreciation_amortization')] },
  { name: 'working_capital', parts: [plus('current_assets'), minus('current_liabilities')] },
  { name: 'short_term_borrowings', parts: [plus('commercial_paper')], isRefuted: hasOtherBorrowings },
  {
    // Some filers include the current part of long-term debt in `ShortTermBorrowings` (it makes up 8,944 of
    // IBM's 8,945 million), so the two are never added. Commercial paper runs for at most 270 days, so by
    // definition it is not long-term debt.
    name: 'current_debt',
    parts: [plus('commercial_paper'), plus('long_term_debt_current')],
    isRefuted: find => hasOtherBorrowings(find) || borrowsMoreThanPaper(find),
  },
  {
    name: 'total_debt',
    parts: [plus('current_debt'), plus('long_term_debt_noncurrent')],
    isRefuted: find => isLessThanItsParts(find) || mixesLeases(find),
  },
  { name: 'net_debt', parts: [plus('total_debt'), minus('cash')] },
]

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
    for (const computed of computedMetrics) {
      if (find(computed.parts[0].metric) === undefined) continue
      const parts = computed.parts.map(({ metric }) => find(metric))
      updateOne(name(computed.name), computed, { parts, find }, periods, vintages, filing)
    }
  }
}

function updateOne(
  name: string,
  { parts: definition, isRefuted }: Computed,
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
  const value = sumOf(...known.map((part, index) => part.current.value * definition[index].sign))
  const isWhole = known.length === definition.length && areOfOneKind(known) && Number.isFinite(value)
  if (!isWhole || isRefuted?.(find)) {
    if (series !== undefined) vintages.withdraw(series, filing)
    return
  }
  const sum = series ?? periods.seriesOf(first.period, name)
  sum.bases = known.reduce((bases, part) => bases & part.bases, -1)
  const { unit, start } = known[0].current
  const inputs = known.map(part => part.current.filing)
  const earlierSince = known.map(part => part.current.earlierSince).reduce(earliestMark, null)
  const filed = inputs.reduce((last, next) => laterOfDay(last, next, filing))
  vintages.record(sum, { tag: null, unit, value, start, inputs, earlierSince }, filed)
}

const areOfOneKind = (parts: readonly KnownSeries[]): boolean =>
  parts.every(
    ({ current: { unit, end } }) => unit === parts[0].current.unit && end === parts[0].current.end,
  ) && parts.reduce((bases, part) => bases & part.bases, -1) !== 0
