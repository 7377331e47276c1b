import type { BacktestSettings } from '../backtest/panelFile/panelBody.ts'
import type { PanelFormat } from '../backtest/panelFile/panelFormat.ts'
import { reportSections } from '../backtest/report/reportSections.ts'
import { Failure } from '../errors.ts'
import type { Horizon } from '../horizons.ts'
import type { BetaBound } from './backtestFactors.ts'

/** The verdict levels that can be required; a withheld verdict falls short of each. */
export const requiredLevels = ['strong', 'weak', 'none'] as const
export type RequiredLevel = (typeof requiredLevels)[number]

/** Flags as commander returns them; lists are still text. */
export interface BacktestFlags {
  readonly format?: PanelFormat
  readonly horizon?: Horizon
  readonly quantile?: string
  readonly weighting?: string
  readonly holdDays?: string
  readonly direction?: string
  readonly returnDays?: number
  readonly costBps?: number
  readonly borrowBps?: number
  readonly gross?: number
  readonly neutral?: string
  readonly drift?: true
  readonly folds?: number
  readonly rebalance?: string
  readonly entryDates?: number
  readonly delistingReturn?: number
  readonly horizons?: string
  readonly maxTurnover?: number
  readonly maxWeight?: number
  readonly targetVolatility?: number
  readonly volatilityPeriods?: number
  readonly maxLeverage?: number
  readonly impact?: number
  readonly capital?: number
  readonly impactPeriods?: number
  readonly sweep?: true
  readonly include?: string
  readonly seed?: number
  readonly bootstraps?: number
  readonly meanBlock?: number
  readonly benchmark?: string
  readonly factors?: string
  readonly factorEntryLag?: number
  readonly factorLags?: number
  readonly factorWindow?: number
  readonly groups?: number
  readonly testGroups?: number
  readonly participation?: number
  readonly demean?: string
  readonly regress?: string
  readonly rankBy?: string
  readonly combine?: string
  readonly scores?: string
  readonly trialsAlreadyTried?: number
  readonly compare?: string
  readonly prices?: string
  readonly title?: string
  readonly json?: string
  readonly html?: string
  readonly failVerdict?: RequiredLevel
  readonly failBelowDsr?: number
  readonly failAboveSpa?: number
  readonly failBelowSharpe?: number
  readonly failBelowIc?: number
  readonly failBelowOosSharpe?: number
  readonly failBelowMaxDrawdown?: number
  readonly failAboveTurnover?: number
  readonly failAboveImpact?: number
  readonly failAboveLeverage?: number
  readonly failBelowAlphaT?: number
  readonly failBelowResidualSharpe?: number
  readonly failAboveAbsBeta?: readonly BetaBound[]
}

type AxisValue = string | number

/** Converts the flags to a request's settings. An option with several values makes a grid. */
export function toSettings(flags: BacktestFlags): BacktestSettings {
  const { returnDays, costBps, borrowBps, gross, neutral, drift, folds } = flags
  const axes: Record<string, AxisValue[]> = {
    ...axis('quantile', flags.quantile, numberOf('--quantile')),
    ...axis('weighting', flags.weighting, text => text),
    ...axis('holdDays', flags.holdDays, numberOf('--hold-days')),
    ...axis('direction', flags.direction, text => text),
  }
  const single = Object.entries(axes).filter(([, values]) => values.length === 1)
  const grid = Object.fromEntries(Object.entries(axes).filter(([, values]) => values.length > 1))
  const isGrid = Object.keys(grid).length > 0
  if (flags.sweep && (isGrid || single.some(([name]) => name !== 'direction'))) throw sweepWithValues()
  const config = {
    ...given({ returnDays, costBps, borrowBps, gross, neutral, drift, folds }),
    ...tradingOf(flags),
    ...Object.fromEntries(single.map(([name, [value]]) => [name, value])),
    ...neutraliseOf(flags),
    ...rankByOf(flags),
  }
  const { seed, bootstraps, meanBlock, groups, testGroups, participation } = flags
  const evidence = given({ seed, bootstraps, meanBlock, groups, testGroups, participation })
  const isSweep = isGrid || flags.sweep === true || flags.scores !== undefined
  const shown = flags.include?.split(',') ?? (flags.html === undefined ? [] : [...reportSections(isSweep)])
  const required = [
    ...(flags.failAboveSpa === undefined ? [] : ['spa']),
    ...(flags.failBelowIc === undefined ? [] : ['ic']),
  ]
  const include = [...shown, ...required.filter(section => !shown.includes(section))]
  return {
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(isGrid ? { sweep: grid } : flags.sweep ? { sweep: true } : {}),
    ...(include.length === 0 ? {} : { include }),
    ...(Object.keys(evidence).length === 0 ? {} : { evidence }),
    ...(flags.scores === undefined ? {} : { scores: listOf(flags.scores) }),
    ...(flags.trialsAlreadyTried === undefined ? {} : { trials_already_tried: flags.trialsAlreadyTried }),
  }
}

const listOf = (text: string) => text.split(',').map(part => part.trim())

function neutraliseOf({ demean, regress }: BacktestFlags): { neutralise?: object } {
  if (demean === undefined && regress === undefined) return {}
  return {
    neutralise: {
      ...(demean === undefined ? {} : { demean: listOf(demean) }),
      ...(regress === undefined ? {} : { columns: listOf(regress) }),
    },
  }
}

function rankByOf({ rankBy, combine }: BacktestFlags): { rankBy?: object } {
  if (rankBy === undefined && combine === undefined) return {}
  return {
    rankBy: { columns: listOf(rankBy ?? 'score'), ...(combine === undefined ? {} : { combine }) },
  }
}

function tradingOf(flags: BacktestFlags): NonNullable<BacktestSettings['config']> {
  const { rebalance, entryDates, delistingReturn, maxTurnover, maxWeight, targetVolatility } = flags
  const { volatilityPeriods, maxLeverage, impact, capital, impactPeriods } = flags
  const trading = given({
    maxTurnover,
    maxWeight,
    targetVolatility,
    volatilityPeriods,
    maxLeverage,
    impact,
    capital,
    impactPeriods,
  })
  return {
    ...given({ rebalance, entryDates, delistingReturn }),
    ...axis('horizons', flags.horizons, numberOf('--horizons')),
    ...(Object.keys(trading).length === 0 ? {} : { trading }),
  }
}

function given(
  values: Readonly<Record<string, AxisValue | true | undefined>>,
): Record<string, AxisValue | true> {
  const set: Record<string, AxisValue | true> = {}
  for (const [name, value] of Object.entries(values)) if (value !== undefined) set[name] = value
  return set
}

function axis(
  name: string,
  text: string | undefined,
  read: (part: string) => AxisValue,
): Record<string, AxisValue[]> {
  if (text === undefined) return {}
  const values = text.split(',').map(part => read(part.trim()))
  const repeated = values.find((value, i) => values.indexOf(value) !== i)
  if (repeated !== undefined)
    throw new Failure('parameter_invalid', `${optionOf(name)} contains ${repeated} twice. Give it once.`)
  return { [name]: values }
}

function numberOf(option: string): (text: string) => number {
  return text => {
    const value = Number(text)
    if (text !== '' && Number.isFinite(value)) return value
    throw new Failure(
      'parameter_invalid',
      `${option}: ${JSON.stringify(text)} is not a number. Give one, or several separated by commas.`,
    )
  }
}

function sweepWithValues(): Failure {
  return new Failure(
    'parameter_invalid',
    '--sweep tries its own grid: 48 combinations of --quantile, --weighting and --hold-days. Omit those options, or omit --sweep and give several comma-separated values.',
  )
}

/** Replaces a request's field names in a message by the options that set them. */
export function inOptionWords(message: string): string {
  return message
    .replace(/\bSend (?=config\.)/g, 'Give ')
    .replace(/\bsend (?=config\.)/g, 'give ')
    .replace(/\bconfig\.neutralise\.columns\b/g, '--regress')
    .replace(/\bconfig\.neutralise\.demean\b/g, '--demean')
    .replace(/\bconfig\.rankBy\.combine\b/g, '--combine')
    .replace(/\b(?:config\.trading|config|sweep|evidence)\.(\w+)(?:\[\d+\])?/g, (_, name: string) =>
      optionOf(name),
    )
    .replace(/^benchmark\b/, '--benchmark')
    .replace(/^trials_already_tried\b/, '--trials-already-tried')
    .replace(/\bfactors\.entryLag\b/g, '--factor-entry-lag')
    .replace(/\bfactors\.lags\b/g, '--factor-lags')
    .replace(/\bfactors\.window\b/g, '--factor-window')
    .replace(/^factors\b/, '--factors')
    .replace(/\b(sweep|include)(?:\[\d+\])? (?=is )/g, (_, name: string) => `${optionOf(name)} `)
    .replace(
      /^evidence sets how (.*), but include (.*) to include, or omit evidence\.$/,
      evidenceWithoutSection,
    )
    .replace(/\b(returnDays|holdDays|costBps|borrowBps)\b/g, optionOf)
}

const evidenceWithoutSection =
  '--seed and its like set how $1, but --include $2 to --include, or omit the option.'

const optionOf = (name: string) => `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`

/** True if the engine refused a value that an option set. */
export function blamesOption({ details }: Failure, settings: BacktestSettings): boolean {
  const [, root, name] =
    /^(config|sweep|include|evidence|benchmark|scores|factors|trials_already_tried)\b(?:\.(\w+))?/.exec(
      details.param ?? '',
    ) ?? []
  switch (root) {
    case 'config':
      return settings.config !== undefined && (name === undefined || name in settings.config)
    case 'sweep':
      return settings.sweep !== undefined
    case 'include':
      return settings.include !== undefined
    case 'evidence':
      return settings.evidence !== undefined
    case 'benchmark':
      return settings.benchmark !== undefined
    case 'scores':
      return settings.scores !== undefined
    case 'trials_already_tried':
      return settings.trials_already_tried !== undefined
    case 'factors':
      return settings.factors !== undefined
    default:
      return false
  }
}
