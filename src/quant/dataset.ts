import type { NameTable } from './nameTable.ts'

/** A panel as columns, date-major, in shared memory wherever it serves more than one thread: all read the same bytes,
 * nobody writes them after they are built.
 *
 * - Rows of date t are `offsets[t] .. offsets[t + 1]`, ascending by asset, at most one per asset.
 * - `assets` is sorted by id (UTF-16 code units, as JavaScript compares strings), so the order of indices is
 *   the order of ids and a tie between scores is settled by the smaller row.
 * - `score` NaN: not eligible that day. `forwardReturn` NaN: not known; it earns 0 and never decides
 *   eligibility.
 * - Market 0.. index `markets`; a row that named no market has the market named ''. */
export interface Dataset {
  /** Days since 1970-01-01, ascending. */
  readonly days: Int32Array
  readonly offsets: Int32Array
  readonly asset: Int32Array
  readonly market: Uint16Array
  readonly score: Float64Array
  readonly forwardReturn: Float64Array
  readonly assets: NameTable
  readonly markets: NameTable
  /** Each asset's only market; null where an asset changes its market, so costs need a look at every date. */
  readonly marketOfAsset: Uint16Array | null
  /** Kept where a dataset serves many backtests; null where one backtest can pick its legs faster. */
  readonly ranking: Ranking | null
}

/** What every backtest of a dataset needs to know about its dates, found once. With it a row takes 26 bytes. */
export interface Ranking {
  /** Each row's place among its date's eligible rows by (score, asset id), weakest 0; -1 where it is not eligible. */
  readonly rank: Int32Array
  /** Of each date. */
  readonly eligible: Int32Array
  readonly meanScore: Float64Array
  /** Mean of the date's known returns, 0 where none is known, and how many are. */
  readonly universe: Float64Array
  readonly known: Int32Array
}

export function dateCount(data: Dataset): number {
  return data.days.length
}

export function rowCount(data: Dataset): number {
  return data.asset.length
}
