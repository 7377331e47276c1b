import type { PeriodSeries } from './periodSeries.ts'
import type { Prices } from './prices.ts'

/** A walked book's sums as a record: turnover 1/2 sum |dw|, its price, the gross return, and the borrow on the short
 * side.
 *
 * @param sums four numbers a period, h times what they are in the book */
export function readPeriods(
  sums: Float64Array,
  h: number,
  { borrowPerPeriod }: Prices,
  series: Pick<PeriodSeries, 'gross' | 'net' | 'turnover' | 'tradingCost' | 'borrow'>,
): void {
  const { gross, net, turnover, tradingCost, borrow } = series
  for (let t = 0; t < net.length; t++) {
    const cost = sums[4 * t + 1] / (2 * h)
    const charge = ((0 - sums[4 * t + 3]) / h) * borrowPerPeriod
    const earned = sums[4 * t + 2] / h
    turnover[t] = sums[4 * t] / (2 * h)
    tradingCost[t] = cost
    borrow[t] = charge
    gross[t] = earned
    net[t] = earned - (cost + charge)
  }
}
