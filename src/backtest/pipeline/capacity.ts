import { Failure } from '../../errors.ts'
import { type Dataset, nameCount } from '../dataset/dataset.ts'
import { rankDataset } from '../dataset/rank.ts'
import { visitTrades } from '../portfolio/trades.ts'
import type { BacktestInclude } from '../request.ts'
import type { PerformanceFields } from '../resultPerformance.ts'
import { periodCapacity } from '../statistics/capacity.ts'
import { quantile } from '../statistics/quantile.ts'
import { finiteOrNull } from './resultFields.ts'
import type { RunInput } from './runInput.ts'

type Capacity = PerformanceFields['capacity']

/** Rejects `capacity` for rows without volumes, before anything is computed. */
export function requireVolume({ dollarVolume }: Dataset, include: readonly BacktestInclude[]): void {
  if (dollarVolume !== undefined || !include.includes('capacity')) return
  throw new Failure(
    'backtest_impossible',
    'capacity needs the dollar volume of names, and no row has one. Send a panel with the column dollar_volume, or omit capacity from include.',
    { param: 'include' },
  )
}

/** The section `capacity` of a result: `periodCapacity` of every period with trades. Each trade is compared
 * with the volume in the row of its name on the rebalancing date. Without such a row, or without a volume in
 * it, the volume is unknown: volumes of other dates are never used.
 *
 * @param participation the largest fraction of a volume that a trade may be */
export function writeCapacity({ data, periods, config }: RunInput, participation: number): Capacity {
  const { dollarVolume, ranking } = data
  const capitals: number[] = []
  const stricts: number[] = []
  let traded = 0
  let tradedWithoutVolume = 0
  const volume = new Float64Array(nameCount(data.assets))
  const ranked = ranking ? { ...data, ranking } : rankDataset(data)
  visitTrades(ranked, periods, config.portfolio, ({ count, row, size }) => {
    for (let i = 0; i < count; i++) volume[i] = dollarVolume?.[row[i]] ?? Number.NaN
    const period = periodCapacity(size.subarray(0, count), volume, participation)
    if (period === null) return
    capitals.push(period.capital)
    stricts.push(period.strict)
    traded += period.traded
    tradedWithoutVolume += period.tradedWithoutVolume
  })
  return {
    participation,
    capital_median: quantileOrNull(capitals, 0.5),
    capital_p5: quantileOrNull(capitals, 0.05),
    strict_median: quantileOrNull(stricts, 0.5),
    share_without_volume: traded === 0 ? null : finiteOrNull(tradedWithoutVolume / traded),
    n_periods: capitals.length,
    unit: 'that of dollar_volume',
  }
}

function quantileOrNull(values: readonly number[], p: number): number | null {
  return values.length === 0 ? null : finiteOrNull(quantile(Float64Array.from(values).sort(), p))
}
