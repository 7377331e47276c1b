/**
 * The number of rows per row group. Readers process a group as a unit, and each open file holds one in
 * memory.
 */
export const rowsPerGroup = 16_384
const firstRows = 256

/** Represents null in nullable columns. */
export const none = -0x8000_0000

/** The integer columns, as they come from the database. Days are days since 1970-01-01. */
export const wholeColumns = [
  ...(['entity', 'filing', 'end', 'filed', 'until', 'start', 'tag'] as const),
  ...(['version', 'metric', 'fy', 'unit', 'fp'] as const),
] as const
export type WholeColumn = (typeof wholeColumns)[number]

/**
 * Rows of a file that wait for a full row group. Most files of small markets have few rows, so the arrays
 * start small and grow.
 */
export class RowBuffer {
  count = 0
  value = new Float64Array(firstRows)
  readonly whole: Record<WholeColumn, Int32Array>

  constructor() {
    const column = () => new Int32Array(firstRows)
    this.whole = {
      ...{
        entity: column(),
        filing: column(),
        end: column(),
        filed: column(),
        until: column(),
        start: column(),
      },
      tag: column(),
      version: column(),
      metric: column(),
      fy: column(),
      unit: column(),
      fp: column(),
    }
  }

  /** Makes room for one more row and returns its index. */
  next(): number {
    if (this.count === this.value.length) this.#grow()
    return this.count++
  }

  get isFull(): boolean {
    return this.count === rowsPerGroup
  }

  #grow(): void {
    const rows = Math.min(rowsPerGroup, this.value.length * 4)
    const value = new Float64Array(rows)
    value.set(this.value)
    this.value = value
    for (const name of wholeColumns) {
      const column = new Int32Array(rows)
      column.set(this.whole[name])
      this.whole[name] = column
    }
  }
}
