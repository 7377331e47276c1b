import type { FundamentalsRow } from '../../fundamentals/schema.ts'
import { ratioOf, statedCount, statedPerShare } from '../../fundamentals/splitRatios.ts'
import { type Split, splitFactor } from '../../fundamentals/splits.ts'
import { exactFigure, formOf, type Scale, shownFigure } from '../figures.ts'
import { currentOf, restatedFrom } from '../grid.ts'

/** How the cells of a page are shown. */
export interface CellView {
  /** The company's currency, or null. */
  readonly currency: string | null
  readonly scale: Scale
  /** Whether figures per share and share counts are in the shares of the day. */
  readonly isAdjusted: boolean
}

export interface ShownCell {
  readonly text: string
  /** The figure before its restatement, or null. */
  readonly former: string | null
  /** The splits that alone changed the figure, or a part of its change: `split 4:1`. Otherwise null. */
  readonly split: string | null
  readonly title: string
  readonly value: number
  /** How many of the known splits came after the filing of a figure of shares, and are not in it; 0 if it is adjusted. */
  readonly behind: number
  /** Whether no filing states the value: it is adjusted for splits. */
  readonly isAdjusted: boolean
}

/**
 * What a cell shows of the vintages known on a day, or null if none is current.
 *
 * @param splits those that filings of the day show
 */
export function shownCell(
  vintages: readonly FundamentalsRow[],
  splits: readonly Split[],
  { currency, scale, isAdjusted }: CellView,
): ShownCell | null {
  const current = currentOf(vintages)
  if (current === null) return null
  const before = restatedFrom(vintages)
  const later = isOfShares(current) ? splitsAfter(splits, current) : []
  const shown = isAdjusted ? adjustedFor(current, later) : current
  const change = before === null ? null : changeOf(before, current, splits)
  // Beside a figure that a split changed as well, the one before it is in the same shares.
  const between = isAdjusted && before !== null ? splitsAfter(splits, before) : (change?.between ?? [])
  const wasBefore = before !== null && isOfShares(before) ? adjustedFor(before, between) : before
  const isRestated = change !== null && !change.isSplitAlone
  const split = change === null || change.between.length === 0 || isAdjusted ? null : namesOf(change.between)
  const own =
    isAdjusted && later.length > 0
      ? `${exactFigure(shown.v)} ${shown.u}, computed: ${adjustmentOf(current, later)}`
      : `${filing(current)}${later.length === 0 ? '' : `; before the ${namesOf(later)}`}`
  return {
    text: cellText(shown, currency, scale),
    former: isRestated && wasBefore !== null ? cellText(wasBefore, currency, scale) : null,
    split,
    title: before === null ? own : `${own}; ${formerText(before, change)}`,
    value: shown.v,
    behind: isAdjusted ? 0 : later.length,
    isAdjusted: isAdjusted && later.length > 0,
  }
}

/** A figure in a currency other than the company's includes its currency. */
export function cellText({ m, v, u }: FundamentalsRow, currency: string | null, scale: Scale): string {
  const form = formOf(m, u)
  const text = shownFigure(v, form, scale)
  return form === 'amount' && currency !== null && u !== currency ? `${u} ${text}` : text
}

export const isOfShares = ({ m, u }: FundamentalsRow): boolean =>
  ['shares', 'perShare'].includes(formOf(m, u))

export const splitName = ({ numerator, denominator }: Split): string => `${numerator}:${denominator}`

/** `split 4:1`, or `splits 7:1 and 4:1`. */
export const namesOf = (splits: readonly Split[]): string =>
  `${splits.length === 1 ? 'split' : 'splits'} ${splits.map(splitName).join(' and ')}`

export const splitsAfter = (splits: readonly Split[], { filed }: FundamentalsRow) =>
  splits.filter(split => split.filed > filed)

/** The figure in the shares after these splits. */
export function adjustedFor(row: FundamentalsRow, splits: readonly Split[]): FundamentalsRow {
  const factor = splitFactor(splits, '')
  return { ...row, v: row.u === 'shares' ? row.v * factor : row.v / factor }
}

/** `9.21 USD/shares, filed 2017-11-03 (10-K), divided by 4 for the split 4:1, first shown by 0000320193-20-000096 of 2020-10-30`. */
function adjustmentOf(row: FundamentalsRow, splits: readonly Split[]): string {
  const factor = exactFigure(splitFactor(splits, ''))
  const how = row.u === 'shares' ? `multiplied by ${factor}` : `divided by ${factor}`
  const sources = splits.map(
    split => `the split ${splitName(split)}, first shown by ${split.accession} of ${split.filed}`,
  )
  return `${filing(row)}, ${how} for ${sources.join(', and ')}`
}

export interface SplitChange {
  /** The splits between the filings of two vintages. */
  readonly between: readonly Split[]
  /** Whether they explain the whole change, as far as both are rounded. */
  readonly isSplitAlone: boolean
}

/** What splits have to do with the change from one vintage of a figure to another. */
export function changeOf(
  before: FundamentalsRow,
  after: FundamentalsRow,
  splits: readonly Split[],
): SplitChange {
  if (!isOfShares(after)) return { between: [], isSplitAlone: false }
  const between = splits.filter(({ filed }) => filed > before.filed && filed <= after.filed)
  if (between.length === 0 || before.u !== after.u) return { between, isSplitAlone: false }
  const { low, high } =
    after.u === 'shares'
      ? ratioOf(statedCount(after.v), statedCount(before.v), 1)
      : ratioOf(statedPerShare(before.v), statedPerShare(after.v), 1)
  const factor = splitFactor(between, '')
  return { between, isSplitAlone: low <= factor && factor <= high }
}

/** The exact value that a vintage has after the splits before the next one. */
export const afterSplits = (row: FundamentalsRow, { between }: SplitChange): number =>
  adjustedFor(row, between).v

function formerText(before: FundamentalsRow, change: SplitChange | null): string {
  if (change === null || change.between.length === 0) return `before: ${filing(before)}`
  const splits = `before the ${namesOf(change.between)}: ${filing(before)}`
  return change.isSplitAlone
    ? splits
    : `${splits}, which is ${exactFigure(afterSplits(before, change))} after it`
}

export const filing = ({ v, u, filed, form, kind }: FundamentalsRow) =>
  `${exactFigure(v)} ${u}, ${kind === 'derived' ? 'derived, ' : ''}filed ${filed}${form === null || form === undefined ? '' : ` (${form})`}`
