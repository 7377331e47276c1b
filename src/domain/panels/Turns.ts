/** Lets a few work at a time, in the order in which they came: the rows of panels go through connections to the database
 * that other requests need too. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(turns: number) {
    this.#free = turns
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
