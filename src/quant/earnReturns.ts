import type { Book } from './book.ts'
import type { Dataset } from './dataset.ts'
import type { PeriodSeries } from './periodSeries.ts'

/** The period's gross return, sum w_i r_i over the date's rows; the equal-weight universe's return, the mean of
 * every known return of the date (0 where there is none); and how many held names earned 0 because their return
 * is missing or they are absent. */
export function earnReturns(data: Dataset, date: number, book: Book, series: PeriodSeries, t: number): void {
  const start = data.offsets[date]
  const end = data.offsets[date + 1]
  const names = book.weight.length
  if (end - start === names) {
    earnFull(data.forwardReturn, start, book.weight, series, t)
    if (!Number.isNaN(series.universe[t])) return
  }
  earnRagged(data, start, end, book, series, t)
}

/** Every asset has a row, so row and asset run in step. Four running sums: one would wait for each addition. A
 * missing return shows as NaN, and the date is then done again with care. */
function earnFull(
  returns: Float64Array,
  start: number,
  weight: Float64Array,
  series: PeriodSeries,
  t: number,
): void {
  const names = weight.length
  const even = names & ~3
  let earnedA = 0
  let earnedB = 0
  let earnedC = 0
  let earnedD = 0
  let sumA = 0
  let sumB = 0
  let sumC = 0
  let sumD = 0
  for (let i = 0; i < even; i += 4) {
    const a = returns[start + i]
    const b = returns[start + i + 1]
    const c = returns[start + i + 2]
    const d = returns[start + i + 3]
    sumA += a
    sumB += b
    sumC += c
    sumD += d
    earnedA += weight[i] * a
    earnedB += weight[i + 1] * b
    earnedC += weight[i + 2] * c
    earnedD += weight[i + 3] * d
  }
  for (let i = even; i < names; i++) {
    sumA += returns[start + i]
    earnedA += weight[i] * returns[start + i]
  }
  series.gross[t] = earnedA + earnedB + (earnedC + earnedD)
  series.universe[t] = (sumA + sumB + (sumC + sumD)) / names
  series.heldWithoutReturn[t] = 0
}

function earnRagged(
  data: Dataset,
  start: number,
  end: number,
  book: Book,
  series: PeriodSeries,
  t: number,
): void {
  const { asset, forwardReturn } = data
  const { weight, live } = book
  let gross = 0
  let sum = 0
  let known = 0
  let heldAndKnown = 0
  for (let row = start; row < end; row++) {
    const r = forwardReturn[row]
    if (Number.isNaN(r)) continue
    const name = asset[row]
    gross += weight[name] * r
    sum += r
    known++
    heldAndKnown += 1 - ((live[name] - 1) >>> 31) // 1 where the name is held
  }
  series.gross[t] = gross
  series.universe[t] = known === 0 ? 0 : sum / known
  series.heldWithoutReturn[t] = book.held - heldAndKnown
}
