import type { IsoDate } from '../../dates.ts'
import {
  commonOf,
  type Fraction,
  type Interval,
  ratioOf,
  simplestFraction,
  statedCount,
  statedPerShare,
} from './splitRatios.ts'

/** A figure that filings state, at one vintage. */
export interface Evidence {
  readonly metric: string
  readonly kind: 'count' | 'perShare' | 'profit'
  readonly end: IsoDate
  readonly fp: number
  readonly filed: IsoDate
  readonly accession: string
  readonly value: number
}

/** One old share became numerator / denominator new shares. */
export interface Split {
  readonly numerator: number
  readonly denominator: number
  /** Filing date and accession of the first filing that shows the split. */
  readonly filed: IsoDate
  readonly accession: string
}

/**
 * Detects the splits that these filings show. A filing shows a split if it restates share counts by a ratio
 * p/q and per-share figures of unchanged profit by its inverse, each within its rounding, and more of them
 * have that ratio than another. Earlier vintages are adjusted by the splits detected since, so that each
 * split counts once. A count that changes alone is an issue or a correction; a per-share figure that changes
 * alone is a restatement.
 *
 * @param evidence ordered by filing date, acceptance and accession
 */
export function detectSplits(evidence: readonly Evidence[]): Split[] {
  const splits: Split[] = []
  const known = new Map<string, Evidence>()
  const profits = new Map<string, number>()
  for (const filing of filingsOf(evidence)) {
    const restatedProfits = new Set<string>()
    for (const row of filing) {
      if (row.kind !== 'profit') continue
      const period = periodOf(row)
      if (profits.get(period) !== row.value) restatedProfits.add(period)
      profits.set(period, row.value)
    }
    const counts: Interval[] = []
    const perShare: Interval[] = []
    for (const row of filing) {
      const before = known.get(seriesOf(row))
      if (before === undefined || before.filed === row.filed || before.value === 0 || row.value === 0)
        continue
      const factor = splitFactor(splits, before.filed)
      if (row.kind === 'count')
        counts.push(ratioOf(statedCount(row.value), statedCount(before.value), 1 / factor))
      const isSameProfit = profits.has(periodOf(row)) && !restatedProfits.has(periodOf(row))
      if (row.kind !== 'perShare' || !isSameProfit) continue
      perShare.push(ratioOf(statedPerShare(before.value), statedPerShare(row.value), 1 / factor))
    }
    const ratio = commonRatio(counts, perShare)
    const [{ filed, accession }] = filing
    if (ratio !== null) splits.push({ ...ratio, filed, accession })
    for (const row of filing) known.set(seriesOf(row), row)
  }
  return splits
}

/** How many shares one share of a figure filed on a day has become, according to these splits. */
export function splitFactor(splits: readonly Split[], filed: IsoDate): number {
  return splits.reduce(
    (factor, split) => (split.filed > filed ? (factor * split.numerator) / split.denominator : factor),
    1,
  )
}

const periodOf = ({ end, fp }: Evidence) => `${end} ${fp}`
const seriesOf = (row: Evidence) => `${row.metric} ${periodOf(row)}`

function* filingsOf(evidence: readonly Evidence[]): Generator<readonly Evidence[], void, undefined> {
  let filing: Evidence[] = []
  for (const row of evidence) {
    if (filing.length > 0 && filing[0].accession !== row.accession) {
      yield filing
      filing = []
    }
    filing.push(row)
  }
  if (filing.length > 0) yield filing
}

/** The ratio other than 1 by which both counts and per-share figures are restated, or null. */
function commonRatio(counts: readonly Interval[], perShare: readonly Interval[]): Fraction | null {
  for (const count of counts) {
    for (const figure of perShare) {
      const ratio = simplestFraction(commonOf(count, figure))
      if (ratio !== null && areMost(counts, ratio) && areMost(perShare, ratio)) return ratio
    }
  }
  return null
}

/** Whether more than half of the intervals contain the ratio but not 1. */
function areMost(intervals: readonly Interval[], { numerator, denominator }: Fraction): boolean {
  const ratio = numerator / denominator
  const agree = intervals.filter(({ low, high }) => low <= ratio && ratio <= high && !(low <= 1 && 1 <= high))
  return agree.length * 2 > intervals.length
}
