/** Integers in shared memory that grow as they are written, because a body may declare millions of rows and
 * contain none. */
export class GrowingCells {
  #values = new Int32Array(new SharedArrayBuffer(0))

  /** Grows the column to hold at least `count` values, and returns it. */
  upTo(count: number): Int32Array {
    const before = this.#values
    if (count > before.length) {
      this.#values = new Int32Array(new SharedArrayBuffer(4 * Math.max(count, 2 * before.length, 1_024)))
      this.#values.set(before)
    }
    return this.#values
  }

  finish(count: number): Int32Array {
    return this.upTo(count).subarray(0, count)
  }
}
