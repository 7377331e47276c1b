import { type Dataset, nameCount } from '../../dataset/dataset.ts'

/** A run's assets as columns, cut into tiles so narrow that a tile's targets stay in the processor's
 * cache. */
export interface TilePlan {
  /** Every asset has a row in every period, so the rows of a period are its columns. */
  readonly full: boolean
  readonly columns: number
  /** Each asset's column, -1 if the run has no row for it. Null: the asset's own index. */
  readonly columnOf: Int32Array | null
  readonly tiles: readonly Tile[]
}

export interface Tile {
  readonly firstColumn: number
  /** The number of columns, rounded up to a multiple of 4 by padding. */
  readonly width: number
  readonly columns: number
  /** The periods in which an asset of the tile may have a row: first .. last. */
  readonly firstPeriod: number
  readonly lastPeriod: number
  /** The tile's rows in period t are from[t] .. to[t] - 1, as elements of `rows` or, if that is null, as rows
   * of the dataset. Null: all rows of the date. */
  readonly from: Int32Array | null
  readonly to: Int32Array | null
  readonly rows: Int32Array | null
}

export const tileColumns = 2_048
/** If its rows fill less than this fraction of its cells, a panel counts as sparse. */
const minDensity = 0.25

/** Plans columns and tiles. Columns are in the order of the assets, so that a date's rows in a tile are
 * contiguous. Only rows of the periods count, so part of the archive and a panel with the same rows have the
 * same columns, and sums over them have the same bits.
 *
 * In a sparse panel, where names come and go, columns are in the order of the assets' first rows instead.
 * Names of the same era then share a tile, which is simulated only from its first row until the longest
 * holding time after its last row.
 *
 * O(periods) if all dates of the dataset are periods, else O(rows). */
export function planTiles(data: Dataset, periods: Int32Array): TilePlan {
  const { offsets, days } = data
  const assets = nameCount(data.assets)
  let rows = 0
  let full = true
  for (const date of periods) {
    const count = offsets[date + 1] - offsets[date]
    rows += count
    if (count !== assets) full = false
  }
  const columnOf = full || periods.length === days.length ? null : presentColumns(data, periods)
  const columns = columnOf === null ? assets : lastColumn(columnOf) + 1
  if (!full && columns > tileColumns && rows < minDensity * columns * periods.length) {
    return planByTime(data, periods)
  }
  const tiles = cutTiles(columns, () => [0, periods.length - 1])
  if (full || tiles.length < 2) return { full, columns, columnOf, tiles }
  return { full, columns, columnOf, tiles: tiles.map(tile => findRows(data, periods, columnOf, tile)) }
}

/** Columns for the assets that have a row in the periods, in the order of assets. */
function presentColumns(data: Dataset, periods: Int32Array): Int32Array {
  const columnOf = new Int32Array(nameCount(data.assets)).fill(-1)
  for (const date of periods) {
    for (let row = data.offsets[date]; row < data.offsets[date + 1]; row++) columnOf[data.asset[row]] = 0
  }
  let next = 0
  for (let asset = 0; asset < columnOf.length; asset++) if (columnOf[asset] === 0) columnOf[asset] = next++
  return columnOf
}

function lastColumn(columnOf: Int32Array): number {
  let last = -1
  for (const column of columnOf) if (column > last) last = column
  return last
}

function cutTiles(
  columns: number,
  span: (from: number, to: number) => [first: number, last: number],
): Tile[] {
  const tiles: Tile[] = []
  for (let firstColumn = 0; firstColumn < columns; firstColumn += tileColumns) {
    const count = Math.min(tileColumns, columns - firstColumn)
    const [firstPeriod, lastPeriod] = span(firstColumn, firstColumn + count)
    const width = Math.ceil(count / 4) * 4
    tiles.push({
      firstColumn,
      width,
      columns: count,
      firstPeriod,
      lastPeriod,
      from: null,
      to: null,
      rows: null,
    })
  }
  return tiles
}

/** The tile with its rows in each period, found by binary search. */
function findRows(data: Dataset, periods: Int32Array, columnOf: Int32Array | null, tile: Tile): Tile {
  const { asset, offsets } = data
  const firstAt = (from: number, to: number, column: number) => {
    let low = from
    let high = to
    while (low < high) {
      const middle = (low + high) >>> 1
      const found = columnOf ? columnOf[asset[middle]] : asset[middle]
      if (found < column) low = middle + 1
      else high = middle
    }
    return low
  }
  const end = tile.firstColumn + tile.columns
  const from = Int32Array.from(periods, date => firstAt(offsets[date], offsets[date + 1], tile.firstColumn))
  const to = Int32Array.from(periods, date => firstAt(offsets[date], offsets[date + 1], end))
  return { ...tile, from, to }
}

/** Columns in the order of the assets' first rows. */
function planByTime(data: Dataset, periods: Int32Array): TilePlan {
  const { first, last } = lifetimes(data, periods)
  const { columnOf, assetOf } = orderByFirstPeriod(first, periods.length)
  const tiles = cutTiles(assetOf.length, (from, to) => {
    let end = 0
    for (let c = from; c < to; c++) end = Math.max(end, last[assetOf[c]])
    return [first[assetOf[from]], end]
  })
  return {
    full: false,
    columns: assetOf.length,
    columnOf,
    tiles: listTileRows(data, periods, columnOf, tiles),
  }
}

/** The first and last period of each asset, -1 if it has no row. */
function lifetimes(data: Dataset, periods: Int32Array): { first: Int32Array; last: Int32Array } {
  const { asset, offsets } = data
  const first = new Int32Array(nameCount(data.assets)).fill(-1)
  const last = new Int32Array(first.length).fill(-1)
  for (let t = 0; t < periods.length; t++) {
    for (let row = offsets[periods[t]]; row < offsets[periods[t] + 1]; row++) {
      if (first[asset[row]] === -1) first[asset[row]] = t
      last[asset[row]] = t
    }
  }
  return { first, last }
}

/** Columns of the assets by first period: a counting sort. */
function orderByFirstPeriod(
  first: Int32Array,
  periods: number,
): { columnOf: Int32Array; assetOf: Int32Array } {
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

/** The tiles with their rows, period by period, for rows that are scattered over their dates: a counting
 * sort. O(rows). */
function listTileRows(
  data: Dataset,
  periods: Int32Array,
  columnOf: Int32Array,
  tiles: readonly Tile[],
): Tile[] {
  const { offsets, asset } = data
  const count = periods.length
  // Per tile, element t + 1 first counts the rows of period t. The running sum then turns element t into the
  // start of period t.
  const starts = new Int32Array(tiles.length * (count + 1) + 1)
  const tileOf = (row: number) => (columnOf[asset[row]] / tileColumns) | 0
  for (let t = 0; t < count; t++) {
    for (let row = offsets[periods[t]]; row < offsets[periods[t] + 1]; row++) {
      const index = tileOf(row) * (count + 1) + t + 1
      starts[index] = (starts[index] + 1) | 0
    }
  }
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1]
  const rows = new Int32Array(starts[starts.length - 1])
  const next = starts.slice()
  for (let t = 0; t < count; t++) {
    for (let row = offsets[periods[t]]; row < offsets[periods[t] + 1]; row++) {
      const index = tileOf(row) * (count + 1) + t
      const at = next[index]
      next[index] = (at + 1) | 0
      rows[at] = row
    }
  }
  return tiles.map((tile, i) => {
    const own = starts.subarray(i * (count + 1), (i + 1) * (count + 1))
    return { ...tile, rows, from: own.subarray(0, count), to: own.subarray(1) }
  })
}
