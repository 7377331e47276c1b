import type { BacktestConfig } from '../../src/backtest/request.ts'
import type { PanelSpec } from './panels.ts'

/** A scenario runs one configuration, the default sweep of 48, or a batch of the same 48. */
export type Kind = 'single' | 'sweep' | 'batch'

/** One way to trade and judge a scenario's panel. */
export interface Variant {
  readonly direction: 'long_short' | 'long_only'
  readonly kind: Kind
  /** `none`: neither trading nor borrowing costs anything. */
  readonly costs: 'none' | 'default'
}

export interface Scenario {
  readonly name: string
  readonly panel: Omit<PanelSpec, 'skill'>
  /** Settings other than direction and costs. */
  readonly config: BacktestConfig
  readonly variants: readonly Variant[]
  /** The true annual Sharpe ratio, before costs, of the judged series at quantile .1 and one period; 0 for noise. */
  readonly trueSharpe: number
  /** For scenarios with skill, the minimum fraction of seeds whose verdict must be weak or better. */
  readonly minFound?: number
}

/** For noise, the maximum fractions of the seeds that may pass. */
export const maxWeak = 0.075
export const maxStrong = 0.045

const daily: Omit<PanelSpec, 'skill'> = {
  names: 50,
  dates: 1_260,
  drift: 0,
  scorePersistence: 0,
  returnPersistence: 0,
  span: 1,
  calendar: 'daily',
}
const slow = { scorePersistence: 0.98 }
const rising = { drift: 0.0006 }
const falling = { drift: -0.0006 }

const directions = ['long_short', 'long_only'] as const

function variants(kinds: readonly Kind[], costs: readonly Variant['costs'][] = ['none']): Variant[] {
  return directions.flatMap(direction =>
    kinds.flatMap(kind => costs.map(one => ({ direction, kind, costs: one }))),
  )
}

const usual = variants(['single', 'sweep'])
const withCosts = variants(['single', 'sweep'], ['none', 'default'])

function noise(
  name: string,
  panel: Partial<PanelSpec>,
  chosen: readonly Variant[] = usual,
  config: BacktestConfig = {},
): Scenario {
  return { name, panel: { ...daily, ...panel }, config, variants: chosen, trueSharpe: 0 }
}

function skilled(
  name: string,
  panel: Partial<PanelSpec>,
  minFound: number,
  chosen: readonly Variant[],
): Scenario {
  return {
    name,
    panel: { ...daily, ...panel },
    config: {},
    variants: chosen,
    trueSharpe: 1.5,
    minFound,
  }
}

const overlapping = { span: 21, ...slow }
const monthly: Partial<PanelSpec> = { calendar: 'monthEnds', scorePersistence: 0.8 }

export const scenarios: readonly Scenario[] = [
  noise('flat market, new scores daily', {}, [...withCosts, ...variants(['batch'])]),
  noise('flat market, slowly changing scores', slow, [...withCosts, ...variants(['batch'])]),
  noise('rising market, new scores daily', rising),
  noise('rising market, slowly changing scores', { ...rising, ...slow }, withCosts),
  noise('falling market, new scores daily', falling),
  noise('falling market, slowly changing scores', { ...falling, ...slow }, withCosts),
  noise('20 names', { names: 20, ...slow }),
  noise('returns that carry over 20%', { returnPersistence: 0.2, ...slow }),
  noise('month ends, 10 years', { ...monthly, dates: 120 }),
  noise('month ends, 5 years', { ...monthly, dates: 60 }),
  noise('21-day returns, declared', overlapping, usual, { returnDays: 21 }),
  noise('21-day returns, not declared', overlapping),
  noise('21-day returns, denied (returnDays 1)', overlapping, usual, { returnDays: 1 }),
  skilled('true Sharpe ratio 1.5, slowly changing scores', slow, 0.9, usual),
  skilled('true Sharpe ratio 1.5, new scores daily', {}, 0.85, usual),
]
