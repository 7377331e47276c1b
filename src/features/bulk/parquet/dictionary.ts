/** Twice the rows of a group, so that a place is found within a few steps. */
const slots = 65_536
const mask = slots - 1

/** Numbers the distinct values of a column in the order of their first use. One is used again and again: it takes half a megabyte. */
export class Dictionary {
  readonly keys: Int32Array
  readonly indexes: Int32Array
  size = 0
  readonly #slots = new Int32Array(slots)
  readonly #none: number

  /** @param none the value that stands for null, which gets no number */
  constructor(maxRows: number, none: number) {
    if (maxRows * 2 > slots)
      throw new Error(`A dictionary of ${slots} slots is too small for ${maxRows} rows.`)
    this.keys = new Int32Array(maxRows)
    this.indexes = new Int32Array(maxRows)
    this.#none = none
  }

  /** Returns how many of the first `count` values are not null: so many indexes there are. */
  number(values: Int32Array, count: number): number {
    const { keys, indexes } = this
    const places = this.#slots.fill(0)
    const none = this.#none
    let size = 0
    let written = 0
    let previous = none
    let previousIndex = 0
    for (let row = 0; row < count; row++) {
      const value = values[row]
      if (value === none) continue
      if (value !== previous || written === 0) {
        previous = value
        let place = (Math.imul(value, 0x9e3779b1) >>> 15) & mask
        while (places[place] !== 0 && keys[places[place] - 1] !== value) place = (place + 1) & mask
        if (places[place] === 0) {
          keys[size] = value
          places[place] = ++size
        }
        previousIndex = places[place] - 1
      }
      indexes[written++] = previousIndex
    }
    this.size = size
    return written
  }
}
