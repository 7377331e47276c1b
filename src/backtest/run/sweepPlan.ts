import { Failure } from '../../errors.ts'
import type { MarketCosts } from '../../markets/costs.ts'
import { nameCount } from '../dataset/dataset.ts'
import { shareDataset } from '../dataset/packed.ts'
import { rankDataset } from '../dataset/rank.ts'
import type { ResolvedConfig, SweepPlan, SweepSlice } from '../pool/sweepPlan.ts'
import type { ArchiveInput } from '../pool/tasks.ts'
import { planPeriods } from '../portfolio/settings.ts'
import {
  type BacktestConfig,
  type BacktestRequest,
  type BacktestSweep,
  mostConfigurations,
} from '../request.ts'
import { resolveConfig } from './config.ts'
import { priceBook } from './costs.ts'
import { archiveBasis, type Basis } from './datasets.ts'

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

export function planArchiveSweep(input: ArchiveInput): SweepPlan {
  const { config, sweep, include } = input.request
  return planSweep(archiveBasis(input), config, sweep || true, include, input.costs)
}

const standardQuantiles = [0.05, 0.1, 0.2, 0.3]
const standardWeightings = ['equal', 'rank', 'score'] as const
const standardHolds = [1, 5, 10, 21]

/** Every configuration that a sweep tries, in the order direction, quantile, weighting, holdDays. `true` is the standard
 * grid of 48 in the given direction; of a grid of the caller's, what is left out stays as `config` has it. */
export function gridConfigs(
  config: BacktestConfig,
  sweep: true | BacktestSweep,
  defaultReturnDays: number,
  spacing: number,
): ResolvedConfig[] {
  const grid = sweep === true ? standardGrid(config.returnDays ?? defaultReturnDays) : sweep
  const directions = grid.direction ?? [config.direction]
  const quantiles = grid.quantile ?? [config.quantile]
  const weightings = grid.weighting ?? [config.weighting]
  const holds = grid.holdDays ?? [config.holdDays]
  const count = directions.length * quantiles.length * weightings.length * holds.length
  if (count > mostConfigurations) throw tooMany(count)
  const configs: ResolvedConfig[] = []
  for (const direction of directions) {
    for (const quantile of quantiles) {
      for (const weighting of weightings) {
        holds.forEach((holdDays, i) => {
          const own = Object.fromEntries(
            Object.entries({ direction, quantile, weighting, holdDays }).filter(
              ([, value]) => value !== undefined,
            ),
          )
          const param = grid.holdDays ? `sweep.holdDays[${i}]` : 'config.holdDays'
          configs.push(resolveConfig({ ...config, ...own }, defaultReturnDays, spacing, param))
        })
      }
    }
  }
  return configs
}

function standardGrid(returnDays: number) {
  return {
    direction: undefined,
    quantile: standardQuantiles,
    weighting: standardWeightings,
    holdDays: standardHolds.map(hold => hold * returnDays),
  }
}

function tooMany(count: number): Failure {
  const most = mostConfigurations.toLocaleString('en')
  return new Failure(
    'parameter_invalid',
    `sweep asks for ${count.toLocaleString('en')} configurations; at most ${most} are tried. Leave out values of one list.`,
    { param: 'sweep' },
  )
}

/** A slice of this much work ends with the target it is at; nothing but a single book may take more than the most. So
 * others' requests get their turn, and progress is seen. */
const enoughMs = 10
const mostMs = 45
/** Roughly, for one period and asset: to form a target, and to move one book that holds it. */
const targetMs = 1e-6
const bookMs = 0.6e-6
/** What a period costs a book whatever it holds, in names: without it a thousand books of five names were one slice. */
const namesOfAPeriod = 100

/** Cuts the configurations into slices of 10 to 45 ms of work. Those that differ in holding alone come one after the
 * other: they hold the same targets, which are then formed once. */
export function cutSlices(configs: readonly ResolvedConfig[], periods: number, names: number): SweepSlice[] {
  const cells = periods * (names + namesOfAPeriod)
  const keys = configs.map(({ book }) => targetKey(book))
  const order = configs.map((_, i) => i)
  order.sort((a, b) => (keys[a] === keys[b] ? a - b : keys[a] < keys[b] ? -1 : 1))
  const slices: number[][] = []
  let spent = Number.POSITIVE_INFINITY
  order.forEach((config, i) => {
    const newTarget = i === 0 || keys[config] !== keys[order[i - 1]]
    const cost = cells * (newTarget ? targetMs + bookMs : bookMs)
    if ((newTarget && spent >= enoughMs) || spent + cost > mostMs) {
      slices.push([])
      spent = cells * (targetMs + bookMs)
    } else spent += cost
    slices[slices.length - 1].push(config)
  })
  return slices
}

function targetKey({ longShort, quantile, weighting }: ResolvedConfig['book']): string {
  return `${longShort} ${quantile} ${weighting}`
}
