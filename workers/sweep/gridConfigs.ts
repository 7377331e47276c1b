import type { ResolvedConfig } from '../../src/compute/resolvedConfig.ts'
import { Failure } from '../../src/errors.ts'
import { type BacktestConfig, type BacktestSweep, mostConfigurations } from '../../src/model/backtest.ts'
import { resolveConfig } from '../backtest/resolveConfig.ts'

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
