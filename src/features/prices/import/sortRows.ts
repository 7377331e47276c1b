import { type NumberColumn, numberColumns, type StagedPrices } from './stagedPrices.ts'

/** The rows of one symbol and market of a file. */
export interface SymbolRows {
  readonly symbol: number
  readonly market: number
  /** Positions in `order`. */
  readonly start: number
  readonly end: number
}

export interface SortedRows {
  /** Rows in order of symbol and market, then of day and known day. */
  readonly order: Int32Array
  readonly groups: readonly SymbolRows[]
}

/**
 * Sorts rows by counting, in linear time if the rows of each symbol are in order of day, as they are in most files.
 *
 * @param symbols the number of symbols
 * @param markets the number of markets
 */
export function sortRows(rows: StagedPrices, symbols: number, markets: number): SortedRows {
  const { count, symbolOf, marketOf, days, knownDays } = rows
  const hasMarket = rows.has.has('market')
  const hasKnown = rows.has.has('known')
  const keyOf = hasMarket
    ? (row: number) => symbolOf[row] * markets + marketOf[row]
    : (row: number) => symbolOf[row]
  const keys = hasMarket ? symbols * markets : symbols
  const starts = new Int32Array(keys + 1)
  for (let row = 0; row < count; row++) starts[keyOf(row) + 1]++
  for (let key = 0; key < keys; key++) starts[key + 1] += starts[key]
  const next = starts.slice(0, keys)
  const order = new Int32Array(count)
  for (let row = 0; row < count; row++) order[next[keyOf(row)]++] = row
  const groups: SymbolRows[] = []
  for (let key = 0; key < keys; key++) {
    const [start, end] = [starts[key], starts[key + 1]]
    if (start === end) continue
    groups.push({
      symbol: hasMarket ? Math.floor(key / markets) : key,
      market: hasMarket ? key % markets : 0,
      start,
      end,
    })
    const isBefore = (a: number, b: number) =>
      days[a] < days[b] || (days[a] === days[b] && (!hasKnown || knownDays[a] <= knownDays[b]))
    let isSorted = true
    for (let at = start + 1; isSorted && at < end; at++) isSorted = isBefore(order[at - 1], order[at])
    if (!isSorted)
      order
        .subarray(start, end)
        .sort((a, b) => days[a] - days[b] || (hasKnown ? knownDays[a] - knownDays[b] : 0) || a - b)
  }
  return { order, groups }
}

/** Whether two rows of one symbol state the same. */
export function statesTheSame(rows: StagedPrices, a: number, b: number): boolean {
  return numberColumns.every(
    (column: NumberColumn) =>
      !rows.has.has(column) || Object.is(rows.numbers[column][a], rows.numbers[column][b]),
  )
}
