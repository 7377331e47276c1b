import { type Dataset, nameCount } from '../../dataset/dataset.ts'

/** Assets of a run as columns, cut into tiles narrow enough that a tile's targets stay in the processor's cache. */
export interface TilePlan {
  /** Every asset has a row in every period: rows and columns run in step. */
  readonly full: boolean
  /** Columns in use. */
  readonly columns: number
  /** Each asset's column, -1 where the run has no row of it. Null: the asset's own number. */
  readonly columnOf: Int32Array | null
  readonly tiles: readonly Tile[]
}

export interface Tile {
  readonly firstColumn: number
  /** Columns, rounded up to a multiple of 4: the rest is padding. */
  readonly width: number
  readonly columns: number
  /** Periods in which an asset of the tile may have a row: first .. last. */
  readonly firstPeriod: number
  readonly lastPeriod: number
  /** Its rows of period t are from[t] .. to[t] - 1, of `rows` or, where that is null, of the dataset; null: all rows of
   * the date. */
  readonly from: Int32Array | null
  readonly to: Int32Array | null
  readonly rows: Int32Array | null
}

export const tileColumns = 2_048
/** With fewer rows than this share of its cells a panel is taken to be one of names that come and go. */
const leastDensity = 0.25

/** Columns in the order of the assets: a date's rows in a tile are then one stretch. Only the periods' own rows count, so
 * a part of the archive and a panel of the same rows have the same columns, and sums over them the same bits.
 *
 * Where names come and go, so that few cells have a row, columns are in the order of the assets' first rows instead:
 * names of one time share a tile, and it is walked only while it has rows and for the holding time after.
 *
 * O(periods) where all dates of the dataset are periods, O(rows) otherwise. */
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
  const columns = columnOf === null ? assets : highest(columnOf) + 1
  if (!full && columns > tileColumns && rows < leastDensity * columns * periods.length) {
    return planByTime(data, periods)
  }
  const tiles = cutTiles(columns, () => [0, periods.length - 1])
  if (full || tiles.length < 2) return { full, columns, columnOf, tiles }
  return { full, columns, columnOf, tiles: tiles.map(tile => findStretch(data, periods, columnOf, tile)) }
}

/** Columns for those that have a row in the periods, in the order of assets. */
function presentColumns(data: Dataset, periods: Int32Array): Int32Array {
  const columnOf = new Int32Array(nameCount(data.assets)).fill(-1)
  for (const date of periods) {
    for (let row = data.offsets[date]; row < data.offsets[date + 1]; row++) columnOf[data.asset[row]] = 0
  }
  let next = 0
  for (let asset = 0; asset < columnOf.length; asset++) if (columnOf[asset] === 0) columnOf[asset] = next++
  return columnOf
}

function highest(columnOf: Int32Array): number {
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

/** Where the tile's rows begin and end in each period, by bisection. */
function findStretch(data: Dataset, periods: Int32Array, columnOf: Int32Array | null, tile: Tile): Tile {
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

function planByTime(data: Dataset, periods: Int32Array): TilePlan {
  const { first, last } = lifetimes(data, periods)
  const { columnOf, assetOf } = orderByBirth(first, periods.length)
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

/** First and last period of each asset, -1 for one without a row. */
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

/** A counting sort of the assets by first period. */
function orderByBirth(first: Int32Array, periods: number): { columnOf: Int32Array; assetOf: Int32Array } {
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

/** The rows of each tile, period by period, where they lie scattered over their dates: a counting sort. O(rows). */
export function listTileRows(
  data: Dataset,
  periods: Int32Array,
  columnOf: Int32Array,
  tiles: readonly Tile[],
): Tile[] {
  const { offsets, asset } = data
  const count = periods.length
  // Place s + 1 of tile i counts its rows before period s, then where the next of period s goes.
  const starts = new Int32Array(tiles.length * (count + 1) + 1)
  const tileOf = (row: number) => (columnOf[asset[row]] / tileColumns) | 0
  for (let t = 0; t < count; t++) {
    for (let row = offsets[periods[t]]; row < offsets[periods[t] + 1]; row++) {
      const place = tileOf(row) * (count + 1) + t + 1
      starts[place] = (starts[place] + 1) | 0
    }
  }
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1]
  const rows = new Int32Array(starts[starts.length - 1])
  const next = starts.slice()
  for (let t = 0; t < count; t++) {
    for (let row = offsets[periods[t]]; row < offsets[periods[t] + 1]; row++) {
      const place = tileOf(row) * (count + 1) + t
      const at = next[place]
      next[place] = (at + 1) | 0
      rows[at] = row
    }
  }
  return tiles.map((tile, i) => {
    const own = starts.subarray(i * (count + 1), (i + 1) * (count + 1))
    return { ...tile, rows, from: own.subarray(0, count), to: own.subarray(1) }
  })
}
