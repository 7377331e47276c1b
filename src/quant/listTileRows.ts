import type { Dataset } from './dataset.ts'
import { type Tile, tileColumns } from './tilePlan.ts'

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
