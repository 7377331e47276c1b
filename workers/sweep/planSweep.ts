import type { SweepPlan } from '../../src/compute/sweepPlan.ts'
import type { BacktestConfig, BacktestRequest, BacktestSweep } from '../../src/model/backtest.ts'
import type { MarketCosts } from '../../src/model/marketCosts.ts'
import { nameCount } from '../../src/quant/nameTable.ts'
import { planPeriods } from '../../src/quant/planPeriods.ts'
import { rankDataset } from '../../src/quant/rankDataset.ts'
import { shareDataset } from '../../src/quant/shareDataset.ts'
import type { Basis } from '../backtest/basis.ts'
import { priceBook } from '../backtest/priceBook.ts'
import { cutSlices } from './cutSlices.ts'
import { gridConfigs } from './gridConfigs.ts'

/** A sweep of the rows: its configurations, cut into slices, and the rows where every thread can read them. */
export function planSweep(
  basis: Basis,
  config: BacktestConfig,
  sweep: true | BacktestSweep,
  include: NonNullable<BacktestRequest['include']>,
  costs: MarketCosts,
): SweepPlan {
  const { view, spacing, returnDays, warnings, dataVersion, score } = basis
  const configs = gridConfigs(config, sweep, returnDays, spacing)
  const shared = shareDataset(basis.data)
  const data = shared.ranking ? shared : rankDataset(shared)
  const periods = planPeriods(view.firstDate, view.endDate, configs[0].step)
  return {
    data,
    view,
    configs,
    slices: cutSlices(configs, periods.length, nameCount(data.assets)),
    prices: priceBook(data, periods, configs[0], costs).prices,
    costs,
    include,
    warnings,
    dataVersion,
    ...(score === undefined ? {} : { score }),
  }
}
