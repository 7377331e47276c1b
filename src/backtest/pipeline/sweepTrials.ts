import type { Dataset, Ranking } from '../dataset/dataset.ts'
import { universeReturns } from '../dataset/rank.ts'
import type { BenchmarkKind } from '../judging/benchmark.ts'
import { judgedReturns } from '../judging/judgedReturns.ts'
import { heldPeriods, idlePeriodsOf } from '../portfolio/held.ts'
import { rebalanceDates } from '../portfolio/rebalanceDates.ts'
import { sharpe } from '../statistics/sharpe.ts'
import { dataOf, type SliceSeries, type SweepPlan } from './sweepPlan.ts'

/** One configuration's part of the slices' series. */
export interface Trial {
  readonly label: string
  readonly net: Float64Array
  readonly avgTurnover: number
  readonly sharpe: number | null
  /** The series that the trial is judged by: net return minus the return of its benchmark. */
  readonly judged: Float64Array
  readonly benchmark: BenchmarkKind
  /** The Sharpe ratio of the judged returns, which decides the winning trial. */
  readonly judgedSharpe: number | null
  /** h, in periods. */
  readonly tranches: number
}

/** Every configuration's record, in the order of the grid.
 *
 * @param series of each slice, in the order of `plan.slices` */
export function readTrials(plan: SweepPlan, series: readonly SliceSeries[]): Trial[] {
  const { configs, slices, benchmark } = plan
  const dates = rebalanceDates(plan.view.firstDate, plan.view.endDate, configs[0].step)
  const periods = dates.length
  const { universe } = universeReturns(plan.data, dates)
  const heldOf = heldByTranches(plan, dates)
  const trials: Trial[] = []
  slices.forEach((slice, s) => {
    slice.forEach((config, i) => {
      const at = i * (periods + 1)
      const net = series[s].subarray(at, at + periods)
      const { label, periodsPerYear, portfolio } = configs[config]
      const { tranches, longShort } = portfolio
      const own = judgedReturns({ net, universe, held: heldOf(config) }, benchmark, longShort)
      const netSharpe = sharpe(net, periodsPerYear)
      trials[config] = {
        label,
        net,
        avgTurnover: series[s][at + periods],
        sharpe: netSharpe,
        ...own,
        judgedSharpe: own.judged === net ? netSharpe : sharpe(own.judged, periodsPerYear),
        tranches,
      }
    })
  })
  return trials
}

/** Where the portfolio of a configuration holds names. This is the same for all configurations with the same score and
 * the same h. */
function heldByTranches(plan: SweepPlan, dates: Int32Array): (config: number) => Uint8Array {
  const { configs, scores } = plan
  const idleOf = new Map<number, ReturnType<typeof idlePeriodsOf>>()
  const found = new Map<string, Uint8Array>()
  return config => {
    const { tranches } = configs[config].portfolio
    const variant = scores?.variantOf[config] ?? 0
    const key = `${variant} ${tranches}`
    const idle =
      idleOf.get(variant) ?? idlePeriodsOf(ranked(dataOf(plan, config)), dates, configs[0].portfolio)
    idleOf.set(variant, idle)
    const held = found.get(key) ?? heldPeriods(idle, tranches)
    found.set(key, held)
    return held
  }
}

function ranked(data: Dataset): Dataset & { readonly ranking: Ranking } {
  if (data.ranking === null) throw new Error('The rows of a sweep are ranked when it is planned.')
  return { ...data, ranking: data.ranking }
}
