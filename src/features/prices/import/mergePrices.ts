import { copyPriceRow, emptyPriceRows, isEmptyPriceRow, type PriceRows } from '../../../prices/priceRows.ts'

/** The columns that a file does not have. Its rows keep what was known of them. */
export interface AbsentColumns {
  readonly volumes: boolean
  readonly splitFactors: boolean
  readonly dividends: boolean
  readonly delistingReturns: boolean
}

export interface MergedPrices {
  readonly rows: PriceRows
  /** Rows of the import that are now vintages of their day. */
  readonly stored: number
  /** Rows that state what was known already. */
  readonly unchanged: number
  /** Rows without a close of days that have none. */
  readonly withoutClose: number
}

/**
 * Adds rows of one import to the rows on record. A row is stored only if it differs from the vintage of its day that was
 * known on its own known day; the vintages on record stay as they are. A row that repeats this vintage states nothing, even
 * if a later import adds a vintage between the two known days.
 *
 * @param onCloses is called for what changes about which days have a close, as known from which days on
 * @param incoming in order of day, then of the day on which they became known, and each pair of these once
 */
export function mergePrices(
  recorded: PriceRows,
  incoming: PriceRows,
  absent: AbsentColumns,
  onCloses: CloseListener = () => {},
): MergedPrices {
  const merged = emptyPriceRows(recorded.count + incoming.count)
  let count = 0
  let stored = 0
  let unchanged = 0
  let withoutClose = 0
  let from = 0
  for (let at = 0; at < incoming.count; ) {
    const day = incoming.days[at]
    for (; from < recorded.count && recorded.days[from] < day; from++)
      copyPriceRow(recorded, from, merged, count++)
    const first = count
    const before = from
    const storedBefore = stored
    for (; from < recorded.count && recorded.days[from] === day; from++)
      copyPriceRow(recorded, from, merged, count++)
    for (; at < incoming.count && incoming.days[at] === day; at++) {
      let after = count
      while (after > first && merged.knownDays[after - 1] > incoming.knownDays[at]) after--
      // Written one place further first, because columns that the file lacks come from the row before.
      for (let to = count; to > after; to--) copyPriceRow(merged, to - 1, merged, to)
      copyPriceRow(incoming, at, merged, after)
      if (after > first) keepAbsent(merged, after - 1, after, absent)
      const isNew = after > first ? !statesTheSame(merged, after - 1, after) : !isEmptyPriceRow(merged, after)
      if (isNew) {
        count++
        stored++
        continue
      }
      if (after > first) unchanged++
      else withoutClose++
      for (let to = after; to < count; to++) copyPriceRow(merged, to + 1, merged, to)
    }
    if (stored === storedBefore) continue
    listCloses(recorded, before, from, -1, onCloses)
    listCloses(merged, first, count, 1, onCloses)
  }
  for (; from < recorded.count; from++) copyPriceRow(recorded, from, merged, count++)
  return { rows: shortened(merged, count), stored, unchanged, withoutClose }
}

/** By how many the securities with a close on a day change, as known from a day on. */
export type CloseListener = (day: number, knownDay: number, change: number) => void

/**
 * Lists from which known days on the vintages of one day have a close (1) or no longer have one (-1).
 *
 * @param sign -1 for rows that are replaced
 */
export function listCloses(
  { days, knownDays, closes }: PriceRows,
  start: number,
  end: number,
  sign: 1 | -1,
  onCloses: CloseListener,
): void {
  let had = 0
  for (let at = start; at < end; at++) {
    // Of two vintages with one known day the later import counts.
    if (at + 1 < end && knownDays[at + 1] === knownDays[at]) continue
    const has = Number.isNaN(closes[at]) ? 0 : 1
    if (has !== had) onCloses(days[at], knownDays[at], sign * (has - had))
    had = has
  }
}

function keepAbsent(rows: PriceRows, before: number, at: number, absent: AbsentColumns): void {
  if (absent.volumes) rows.volumes[at] = rows.volumes[before]
  if (absent.splitFactors) rows.splitFactors[at] = rows.splitFactors[before]
  if (absent.dividends) rows.dividends[at] = rows.dividends[before]
  if (absent.delistingReturns) rows.delistingReturns[at] = rows.delistingReturns[before]
}

const statesTheSame = (rows: PriceRows, one: number, other: number): boolean =>
  Object.is(rows.closes[one], rows.closes[other]) &&
  Object.is(rows.volumes[one], rows.volumes[other]) &&
  rows.splitFactors[one] === rows.splitFactors[other] &&
  rows.dividends[one] === rows.dividends[other] &&
  Object.is(rows.delistingReturns[one], rows.delistingReturns[other])

function shortened(rows: PriceRows, count: number): PriceRows {
  if (count === rows.count) return rows
  return {
    count,
    days: rows.days.subarray(0, count),
    knownDays: rows.knownDays.subarray(0, count),
    imports: rows.imports.subarray(0, count),
    closes: rows.closes.subarray(0, count),
    volumes: rows.volumes.subarray(0, count),
    splitFactors: rows.splitFactors.subarray(0, count),
    dividends: rows.dividends.subarray(0, count),
    delistingReturns: rows.delistingReturns.subarray(0, count),
  }
}
