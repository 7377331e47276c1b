/**
 * Stated prices of one security as columns, in order of day, then the day on which they became known, then import. A day
 * may have several rows: its vintages.
 */
export interface PriceRows {
  readonly count: number
  /** Days since 1970-01-01. */
  readonly days: Int32Array
  /** The first day on which the row was known, never before its own day. */
  readonly knownDays: Int32Array
  /** The import that each row came with. */
  readonly imports: Int32Array
  /** As stated, in the set's currency and on its basis; NaN: the day has no close. */
  readonly closes: Float64Array
  /** Shares; NaN if not stated. */
  readonly volumes: Float64Array
  /** New shares for one old share, from the opening of this day; 1: no split. */
  readonly splitFactors: Float64Array
  /** Cash per share as shares are after the splits of this day, which is the ex-day; 0: none. */
  readonly dividends: Float64Array
  /** The return from the last close, this day's included, to what holders received at the end; NaN: not delisted. */
  readonly delistingReturns: Float64Array
}

export function emptyPriceRows(count: number): PriceRows {
  return {
    count,
    days: new Int32Array(count),
    knownDays: new Int32Array(count),
    imports: new Int32Array(count),
    closes: new Float64Array(count).fill(Number.NaN),
    volumes: new Float64Array(count).fill(Number.NaN),
    splitFactors: new Float64Array(count).fill(1),
    dividends: new Float64Array(count),
    delistingReturns: new Float64Array(count).fill(Number.NaN),
  }
}

/** Whether a row states nothing about its day: neither a close nor a split, a dividend or a delisting. */
export const isEmptyPriceRow = (rows: PriceRows, at: number): boolean =>
  Number.isNaN(rows.closes[at]) &&
  Number.isNaN(rows.delistingReturns[at]) &&
  rows.splitFactors[at] === 1 &&
  rows.dividends[at] === 0

/** Copies the row at `from` to the position `to` of other columns. */
export function copyPriceRow(source: PriceRows, from: number, target: PriceRows, to: number): void {
  target.days[to] = source.days[from]
  target.knownDays[to] = source.knownDays[from]
  target.imports[to] = source.imports[from]
  target.closes[to] = source.closes[from]
  target.volumes[to] = source.volumes[from]
  target.splitFactors[to] = source.splitFactors[from]
  target.dividends[to] = source.dividends[from]
  target.delistingReturns[to] = source.delistingReturns[from]
}

/** The rows of several parts of one security, one after the other. */
export function joinPriceRows(parts: readonly PriceRows[]): PriceRows {
  if (parts.length === 1) return parts[0]
  const all = emptyPriceRows(parts.reduce((sum, { count }) => sum + count, 0))
  let at = 0
  for (const part of parts) {
    all.days.set(part.days, at)
    all.knownDays.set(part.knownDays, at)
    all.imports.set(part.imports, at)
    all.closes.set(part.closes, at)
    all.volumes.set(part.volumes, at)
    all.splitFactors.set(part.splitFactors, at)
    all.dividends.set(part.dividends, at)
    all.delistingReturns.set(part.delistingReturns, at)
    at += part.count
  }
  return all
}

/** The index of the first row whose day is at least `day`. */
export function firstRowFrom(days: Int32Array, day: number): number {
  let low = 0
  let high = days.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (days[middle] < day) low = middle + 1
    else high = middle
  }
  return low
}
