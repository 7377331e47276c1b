/** Numbers the distinct values of a column in the order of their first occurrence. One instance is reused for
 * many columns. */
export class Dictionary {
  readonly keys: Int32Array
  readonly indexes: Int32Array
  size = 0
  readonly #slots: Int32Array
  readonly #shift: number

  constructor(maxRows: number) {
    // At least twice as many slots as rows, so a free slot is found within a few probes.
    const bits = 33 - Math.clz32(maxRows - 1)
    this.keys = new Int32Array(maxRows)
    this.indexes = new Int32Array(maxRows)
    this.#slots = new Int32Array(1 << bits)
    this.#shift = 32 - bits
  }

  /** Numbers the first `count` values and returns how many of them are not null, which is the number of
   * dictionary indexes.
   *
   * @param none the value that represents null, which gets no number */
  number(values: Int32Array, count: number, none: number): number {
    const { keys, indexes } = this
    const table = this.#slots.fill(0)
    const mask = table.length - 1
    const shift = this.#shift
    let size = 0
    let written = 0
    let previous = none
    let previousIndex = 0
    for (let row = 0; row < count; row++) {
      const value = values[row]
      if (value === none) continue
      if (value !== previous || written === 0) {
        previous = value
        let slot = Math.imul(value, 0x9e3779b1) >>> shift
        while (table[slot] !== 0 && keys[table[slot] - 1] !== value) slot = (slot + 1) & mask
        if (table[slot] === 0) {
          keys[size] = value
          table[slot] = ++size
        }
        previousIndex = table[slot] - 1
      }
      indexes[written++] = previousIndex
    }
    this.size = size
    return written
  }
}
