import type { PeriodSeries } from '../statistics/returns.ts'
import type { TradingCosts } from './settings.ts'

/** Turns the sums of a simulated portfolio into its record, and subtracts the costs from its returns: the cost of
 * each trade, 1/2 |dw| times the round trip of its market, which the compiled kernel has summed
 * (`kernel/assembly/walk.ts`), and the borrow cost of the short side.
 *
 * @param sums four numbers per period, h times those of the portfolio: sum |dw|, sum |dw| cost, sum w r, sum
 *   min(w, 0)
 * @param h the number of tranches */
export function chargeCosts(
  sums: Float64Array,
  h: number,
  { borrowPerPeriod }: TradingCosts,
  series: Pick<PeriodSeries, 'gross' | 'net' | 'turnover' | 'tradingCost' | 'borrow' | 'shortExposure'>,
): void {
  const { gross, net, turnover, tradingCost, borrow, shortExposure } = series
  for (let t = 0; t < net.length; t++) {
    const cost = sums[4 * t + 1] / (2 * h)
    const short = (0 - sums[4 * t + 3]) / h
    const charge = short * borrowPerPeriod
    const earned = sums[4 * t + 2] / h
    turnover[t] = sums[4 * t] / (2 * h)
    tradingCost[t] = cost
    borrow[t] = charge
    shortExposure[t] = short
    gross[t] = earned
    net[t] = earned - (cost + charge)
  }
}
