import { type Dataset, nameAt } from '../dataset/dataset.ts'
import type { Simulation } from '../portfolio/simulate.ts'
import type { BacktestInclude } from '../request.ts'
import type { BacktestResult } from '../result.ts'
import { icDecay } from '../statistics/icDecay.ts'
import { equityCurve, monthlyReturns } from '../statistics/returns.ts'
import { bucketReturns, rankIc } from '../statistics/scores.ts'
import { writeByGroup } from './byGroup.ts'
import { writeCapacity } from './capacity.ts'
import { writePerformance } from './performance.ts'
import { writeQuantileReturns } from './quantileReturns.ts'
import { finiteOrNull } from './resultFields.ts'
import type { RunInput } from './runInput.ts'

type Included = Pick<
  BacktestResult,
  | 'ic'
  | 'quantiles'
  | 'monthly'
  | 'positions'
  | 'performance'
  | 'ic_decay'
  | 'quantile_returns'
  | 'capacity'
  | 'by_group'
>

const decayPeriods = [1, 2, 3, 5, 10, 21]

/** The sections of a result that `include` requests.
 *
 * @param participation for the section `capacity` */
export function writeIncluded(
  input: RunInput,
  simulation: Simulation,
  include: readonly BacktestInclude[],
  participation: number,
): Included {
  const { data, periods, days } = input
  const included: Included = {}
  for (const section of include) {
    switch (section) {
      case 'ic':
        included.ic = writeIc(data, periods)
        break
      case 'quantiles':
        included.quantiles = bucketReturns(data, periods, 10).map(({ bucket, meanReturn, periods }) => ({
          bucket,
          mean_return: finiteOrNull(meanReturn),
          n_periods: periods,
        }))
        break
      case 'monthly':
        included.monthly = writeMonthly(simulation.series.net, days)
        break
      case 'positions':
        included.positions = writePositions(data, periods, simulation)
        break
      case 'curves':
        // Written in `curves.ts`, because it also depends on the folds.
        break
      case 'performance':
        included.performance = writePerformance(input, simulation)
        break
      case 'ic_decay':
        included.ic_decay = icDecay(data, periods, decayPeriods).map(ic => ({
          periods_ahead: ic.ahead,
          mean: finiteOrNull(ic.mean),
          sd: finiteOrNull(ic.standardDeviation),
          t_stat: finiteOrNull(ic.tStatistic),
          n_periods: ic.periods,
        }))
        break
      case 'quantile_returns':
        included.quantile_returns = writeQuantileReturns(data, periods, days)
        break
      case 'capacity':
        included.capacity = writeCapacity(input, participation)
        break
      case 'by_group':
        included.by_group = writeByGroup(data, periods)
        break
      case 'spa':
      case 'interval':
      case 'cpcv':
      case 'track_record':
        // Written in `evidence.ts`, because these sections cover all trials of a sweep.
        break
      default:
        section satisfies never
    }
  }
  return included
}

function writeIc(data: Dataset, periods: Int32Array): NonNullable<Included['ic']> {
  const ic = rankIc(data, periods)
  return {
    mean: ic.mean,
    sd: ic.standardDeviation,
    ir: ic.ratio,
    t_stat: ic.tStatistic,
    n_periods: ic.periods,
    ...(ic.tStatistic === null ? { note: whyNoT(ic.periods, ic.mean) } : {}),
  }
}

function whyNoT(periods: number, mean: number | null): string {
  if (mean === null) return 't_stat is null: no period has two names with a score and a return that vary.'
  if (periods === 1) return 't_stat is null: the correlation exists in one period only.'
  return `t_stat is null: the correlation is ${mean.toFixed(3)} in all ${periods} periods, so it has no variance to be compared with.`
}

/** Ends where the curve ends: after ruin there is no money left to compound, and two losses of more than 100%
 * would compound to a gain. */
function writeMonthly(net: Float64Array, days: Int32Array): NonNullable<Included['monthly']> {
  const { curve } = equityCurve(net)
  return monthlyReturns(net.subarray(0, curve.length - 1), days).map(({ year, months, total }) => ({
    year,
    months: months.map(finiteOrNull),
    total: finiteOrNull(total),
  }))
}

function writePositions(
  data: Dataset,
  periods: Int32Array,
  { weight, trancheCount }: Simulation,
): NonNullable<Included['positions']> {
  const market = latestMarkets(data, periods)
  const positions: NonNullable<Included['positions']> = []
  for (let name = 0; name < weight.length; name++) {
    if (trancheCount[name] === 0 || weight[name] === 0) continue
    const code = nameAt(data.markets, market[name])
    positions.push({
      asset: nameAt(data.assets, name),
      market: code === '' ? null : code,
      weight: weight[name],
    })
  }
  // The sort is stable: equal weights stay in the order of asset ids.
  return positions.sort((a, b) => b.weight - a.weight)
}

function latestMarkets(data: Dataset, periods: Int32Array): Uint16Array {
  if (data.marketOfAsset) return data.marketOfAsset
  const market = new Uint16Array(data.assets.offsets.length - 1)
  for (const date of periods) {
    for (let row = data.offsets[date]; row < data.offsets[date + 1]; row++)
      market[data.asset[row]] = data.market[row]
  }
  return market
}
