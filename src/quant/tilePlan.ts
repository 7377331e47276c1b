import type { Dataset } from './dataset.ts'
import { nameCount } from './nameTable.ts'

/** Assets of a run as columns, cut into tiles narrow enough that a tile's targets stay in the processor's cache. */
export interface TilePlan {
  /** Columns in use. */
  readonly columns: number
  /** Each asset's column, -1 where the run has no row of it. Null: every asset has a row in every period, and is its own
   * column. */
  readonly columnOf: Int32Array | null
  readonly tiles: readonly Tile[]
}

export interface Tile {
  readonly firstColumn: number
  /** Columns, rounded up to a multiple of 4: the rest is padding. */
  readonly width: number
  readonly columns: number
  /** Periods in which an asset of the tile has a row: first .. last. */
  readonly firstPeriod: number
  readonly lastPeriod: number
  /** Rows of period t are `rows[starts[t] .. starts[t + 1])`; null where they are the date's own rows, all of them or the
   * tile's part of a full date. */
  readonly rows: Int32Array | null
  readonly starts: Int32Array | null
}

export const tileColumns = 2_048

/** Columns in the order of the assets' first rows (then of their ids): names that come and go together share a tile, and
 * a tile is walked only while it has rows and for the holding time after. A panel in which nobody is ever absent keeps
 * its assets' order.
 *
 * Only the rows of the periods count, so a part of the archive and a panel of the same rows have the same columns, and
 * sums over them the same bits. O(rows), O(periods) for a full panel. */
export function planTiles(data: Dataset, periods: Int32Array): TilePlan {
  const assets = nameCount(data.assets)
  const last = periods.length - 1
  if (isFull(data, periods, assets)) {
    return { columns: assets, columnOf: null, tiles: cutTiles(assets, () => [0, last]) }
  }
  const first = new Int32Array(assets).fill(-1)
  const final = new Int32Array(assets)
  periods.forEach((date, t) => {
    for (let row = data.offsets[date]; row < data.offsets[date + 1]; row++) {
      const asset = data.asset[row]
      if (first[asset] === -1) first[asset] = t
      final[asset] = t
    }
  })
  const { columnOf, assetOf } = orderColumns(first, periods.length)
  const tiles = cutTiles(assetOf.length, (from, to) => {
    let end = 0
    for (let c = from; c < to; c++) end = Math.max(end, final[assetOf[c]])
    return [first[assetOf[from]], end]
  })
  if (tiles.length < 2) return { columns: assetOf.length, columnOf, tiles }
  return { columns: assetOf.length, columnOf, tiles: listRows(data, periods, columnOf, tiles) }
}

function isFull({ offsets }: Dataset, periods: Int32Array, assets: number): boolean {
  return periods.every(date => offsets[date + 1] - offsets[date] === assets)
}

/** A counting sort of the assets by first period. */
function orderColumns(first: Int32Array, periods: number): { columnOf: Int32Array; assetOf: Int32Array } {
  const start = new Int32Array(periods + 1)
  for (const t of first) if (t >= 0) start[t + 1]++
  for (let t = 0; t < periods; t++) start[t + 1] += start[t]
  const columnOf = new Int32Array(first.length).fill(-1)
  const assetOf = new Int32Array(start[periods])
  first.forEach((t, asset) => {
    if (t < 0) return
    columnOf[asset] = start[t]++
    assetOf[columnOf[asset]] = asset
  })
  return { columnOf, assetOf }
}

function cutTiles(columns: number, span: (from: number, to: number) => [number, number]): Tile[] {
  const tiles: Tile[] = []
  for (let from = 0; from < columns; from += tileColumns) {
    const count = Math.min(tileColumns, columns - from)
    const [firstPeriod, lastPeriod] = span(from, from + count)
    const width = Math.ceil(count / 4) * 4
    tiles.push({
      firstColumn: from,
      width,
      columns: count,
      firstPeriod,
      lastPeriod,
      rows: null,
      starts: null,
    })
  }
  return tiles
}

/** The rows of each tile, period by period: a counting sort. */
function listRows(data: Dataset, periods: Int32Array, columnOf: Int32Array, tiles: Tile[]): Tile[] {
  const { offsets, asset } = data
  const counts = tiles.map(() => new Int32Array(periods.length + 1))
  const tileOf = (row: number) => Math.floor(columnOf[asset[row]] / tileColumns)
  periods.forEach((date, t) => {
    for (let row = offsets[date]; row < offsets[date + 1]; row++) counts[tileOf(row)][t + 1]++
  })
  for (const starts of counts) for (let t = 0; t < periods.length; t++) starts[t + 1] += starts[t]
  const rows = counts.map(starts => new Int32Array(starts[periods.length]))
  const next = tiles.map(() => 0)
  for (const date of periods) {
    for (let row = offsets[date]; row < offsets[date + 1]; row++) {
      const tile = tileOf(row)
      rows[tile][next[tile]++] = row
    }
  }
  return tiles.map((tile, i) => ({ ...tile, rows: rows[i], starts: counts[i] }))
}
