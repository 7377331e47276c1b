import type { Dataset } from '../dataset/dataset.ts'

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

/** The last returns of each name, in a ring of periods. */
export class ReturnHistory {
  readonly #periods: number
  readonly #returns: Float64Array
  readonly #names: number
  #added = 0

  constructor(names: number, periods: number) {
    this.#names = names
    this.#periods = periods
    this.#returns = new Float64Array(names * periods).fill(Number.NaN)
  }

  /** Adds the returns of a date that have ended. */
  add({ asset, offsets }: Dataset, returns: Float64Array, date: number): void {
    const at = (this.#added++ % this.#periods) * this.#names
    this.#returns.fill(Number.NaN, at, at + this.#names)
    for (let row = offsets[date]; row < offsets[date + 1]; row++)
      this.#returns[at + asset[row]] = returns[row]
  }

  /** Standard deviation (ddof 1) of the known returns, from the oldest to the latest; NaN if fewer than half of the
   * periods have one. */
  volatility(name: number): number {
    const known = new Float64Array(this.#periods)
    let count = 0
    for (let back = Math.min(this.#added, this.#periods); back > 0; back--) {
      const at = (this.#added - back) % this.#periods
      const value = this.#returns[at * this.#names + name]
      if (!Number.isNaN(value)) known[count++] = value
    }
    return 2 * count < this.#periods ? Number.NaN : pastVolatility(known, 0, count)
  }
}
