import { type Dataset, nameCount } from '../dataset/dataset.ts'

/** Fits one side of a target below a limit, in place. With S the sum of the side, names with weight x get
 * min(limit, c x), with the smallest c >= 1 for which they sum to S; if the names have no room for S, all get the limit
 * and the rest stays in cash. Each pass caps the names that exceed the limit and spreads what is left over the others in
 * proportion, so there are at most as many passes as names.
 *
 * @param side 1: names with weights above 0, -1: below
 * @returns how many names are cut below their own share, and the part of S that stays in cash */
export function fitTargetSide(
  target: Float64Array,
  side: 1 | -1,
  limit: number,
): { cut: number; left: number } {
  let total = 0
  let names = 0
  let largest = 0
  for (let i = 0; i < target.length; i++) {
    const weight = side * target[i]
    if (weight <= 0) continue
    total += weight
    names++
    if (weight > largest) largest = weight
  }
  if (largest <= limit) return { cut: 0, left: 0 }
  const capped = new Uint8Array(target.length)
  let cut = 0
  let scale = 1
  for (let passes = 0; passes <= names; passes++) {
    let free = 0
    let cappedNames = 0
    for (let i = 0; i < target.length; i++) {
      if (side * target[i] <= 0) continue
      if (capped[i] === 1) cappedNames++
      else free += side * target[i]
    }
    scale = free > 0 ? Math.max(1, (total - cappedNames * limit) / free) : 1
    let more = false
    for (let i = 0; i < target.length; i++) {
      const weight = side * target[i]
      if (weight <= 0 || capped[i] === 1 || weight * scale <= limit) continue
      capped[i] = 1
      more = true
    }
    if (!more) break
  }
  let kept = 0
  for (let i = 0; i < target.length; i++) {
    const weight = side * target[i]
    if (weight <= 0) continue
    if (capped[i] === 1 && weight > limit) cut++
    target[i] = side * (capped[i] === 1 ? limit : weight * scale)
    kept += side * target[i]
  }
  const left = total - kept
  return { cut, left: left > 1e-12 * total ? left : 0 }
}

/** Standard deviation (ddof 1) of elements from .. end - 1, in two passes. */
export function pastVolatility(values: Float64Array, from: number, end: number): number {
  let sum = 0
  for (let k = from; k < end; k++) sum += values[k]
  const mean = sum / (end - from)
  let squares = 0
  for (let k = from; k < end; k++) squares += (values[k] - mean) ** 2
  return Math.sqrt(squares / (end - from - 1))
}

/** The known returns of each name, name by name in order of their periods. Memory O(rows), however many names there are. */
export class ReturnHistory {
  readonly #periods: number
  /** The returns of name i are at start[i] .. end[i] - 1. */
  readonly #start: Int32Array
  readonly #end: Int32Array
  readonly #returns: Float64Array
  /** How many periods had been added before that of each return. */
  readonly #period: Int32Array
  #added = 0

  /** @param dates those whose returns may be added
   * @param periods how far back volatilities look */
  constructor({ asset, assets, offsets }: Dataset, dates: Int32Array, periods: number) {
    this.#periods = periods
    this.#start = new Int32Array(nameCount(assets) + 1)
    for (const date of dates)
      for (let row = offsets[date]; row < offsets[date + 1]; row++) this.#start[asset[row] + 1]++
    for (let name = 0; name + 1 < this.#start.length; name++) this.#start[name + 1] += this.#start[name]
    this.#end = this.#start.slice()
    this.#returns = new Float64Array(this.#start[this.#start.length - 1])
    this.#period = new Int32Array(this.#returns.length)
  }

  /** Adds the returns of a date that have ended. */
  add({ asset, offsets }: Dataset, returns: Float64Array, date: number): void {
    for (let row = offsets[date]; row < offsets[date + 1]; row++) {
      if (Number.isNaN(returns[row])) continue
      const at = this.#end[asset[row]]++
      this.#returns[at] = returns[row]
      this.#period[at] = this.#added
    }
    this.#added++
  }

  /** Standard deviation (ddof 1) of the known returns, from the oldest to the latest; NaN if fewer than half of the
   * periods have one. */
  volatility(name: number): number {
    const end = this.#end[name]
    let from = end
    while (from > this.#start[name] && this.#period[from - 1] >= this.#added - this.#periods) from--
    return 2 * (end - from) < this.#periods ? Number.NaN : pastVolatility(this.#returns, from, end)
  }
}
