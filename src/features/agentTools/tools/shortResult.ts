import { type Static, Type } from '@sinclair/typebox'
import { BacktestResult } from '../../../backtest/result.ts'
import { shownAs } from '../schemas.ts'
import { inToolWords } from '../words.ts'
import { asArguments } from './backtestArguments.ts'

/** A backtest's result without its long lists. */

const field = BacktestResult.properties
const { equity_curve, equity_dates, trials } = field

const Point = Type.Object({ date: equity_dates.items, value: equity_curve.items })
const Text = Type.Object({ code: Type.String(), message: Type.String() })

/** Whether the record is more than luck, and why. */
const Verdict = Type.Object({ level: Type.String(), reasons: Type.Array(Text) })

export const ShortResult = Type.Object({
  verdict: Type.Optional(shownAs(Verdict, 'object', 'level (strong, weak, none, withheld) and reasons.')),
  metrics: Type.Optional(shownAs(field.metrics, 'object', 'Net of costs: sharpe, cagr, max_drawdown, ...')),
  warnings: Type.Optional(shownAs(Type.Array(Text), 'array', 'code and message.')),
  best: Type.Optional(
    shownAs(Type.Object({}), 'object', 'With sweep: label, config and metrics of the winner.'),
  ),
  deflated_sharpe: Type.Optional(
    shownAs(Type.Object({}), 'object', 'Of the winner, for the number of trials.'),
  ),
  best_trials: Type.Optional(shownAs(trials, 'array', 'The highest Sharpe ratios.')),
  equity: Type.Optional(shownAs(Type.Array(Point), 'array', 'Points of the curve: date, value.')),
})
type ShortResult = Static<typeof ShortResult>
type Result = Static<typeof BacktestResult>

const maxPoints = 13
const maxTrials = 8
const envelopeCharacters = 300

/** Most important fields first; fields that do not fit are named. */
const order: readonly string[] = [
  'verdict',
  'metrics',
  'config',
  'best',
  'deflated_sharpe',
  'factors',
  'warnings',
  'n_periods',
  'n_dates',
  'n_rows',
  'data_version',
  'source',
  'score',
  'equity',
  'best_trials',
  'dropped',
  'n_empty_periods',
  'periods_per_year',
  'evidence',
  'ic',
  'quantiles',
  'monthly',
  'folds',
  'costs',
  'universe',
]

/** Values that a model may send again are spelled like the arguments. */
const settings = ['config', 'source'] as const

export interface Shortened {
  readonly short: ShortResult
  readonly leftOut: string
  readonly text: string
}

/** @param whole how to get the omitted parts */
export function shorten(
  result: Result,
  whole: string,
  maxCharacters: number,
  names: ReadonlyMap<string, string | null>,
): Shortened {
  const { equity_curve, equity_dates, trials, object, sweep, curves, ...rest } = result
  const all: ShortResult = {
    ...rest,
    warnings: result.warnings.map(({ code, message }) => ({ code, message: inToolWords(message) })),
    equity: pointsOf(result),
    ...(trials === undefined ? {} : { best_trials: bestOf(trials) }),
  }
  if (result.factors !== undefined) {
    const { rolling: _, ...factors } = result.factors
    Reflect.set(all, 'factors', factors)
  }
  if (result.best !== undefined) all.best = { ...result.best, config: asArguments(result.best.config) }
  for (const name of settings) {
    const value = result[name]
    if (value !== undefined) Reflect.set(all, name, asArguments(value))
  }
  const { positions } = result
  if (positions !== undefined)
    Reflect.set(
      all,
      'positions',
      positions.map(one => withName(one, names)),
    )
  Reflect.deleteProperty(all, 'request')
  const text = textOf(result)
  const sections = [...order, ...Object.keys(all).filter(name => !order.includes(name))].filter(name =>
    Object.hasOwn(all, name),
  )
  let room =
    maxCharacters - envelopeCharacters - whole.length - JSON.stringify(text).length - 20 * sections.length
  const short: ShortResult = {}
  const dropped: string[] = []
  for (const name of sections) {
    const value: unknown = Reflect.get(all, name)
    const size = JSON.stringify(value).length
    if (size > room) dropped.push(name)
    else {
      room -= size
      Reflect.set(short, name, value)
    }
  }
  const thinned =
    equity_curve.length > maxPoints
      ? [`${equity_curve.length} points of the equity curve are shown as ${maxPoints}`]
      : []
  const cut = (trials?.length ?? 0) > maxTrials ? [`${trials?.length} trials as the best ${maxTrials}`] : []
  const windows =
    (result.factors?.rolling ?? null) === null ? [] : ['factors without its rolling regressions']
  const missing = dropped.length === 0 ? [] : [`left out: ${dropped.join(', ')}`]
  const parts = [...thinned, ...cut, ...windows, ...missing]
  return {
    short,
    text,
    leftOut: `${parts.length === 0 ? 'Nothing of weight' : parts.join('; ')}. ${whole}`,
  }
}

/** Assets of the archive are company IDs; those of a panel are the caller's own names. */
function withName<Position extends { readonly asset: string }>(
  { asset, ...rest }: Position,
  names: ReadonlyMap<string, string | null>,
) {
  const name = names.get(asset)
  return { asset, ...(name === undefined ? {} : { name }), ...rest }
}

function pointsOf({ equity_curve, equity_dates }: Result): Static<typeof Point>[] {
  const last = equity_curve.length - 1
  const count = Math.min(maxPoints, equity_curve.length)
  const indices = Array.from({ length: count }, (_, index) =>
    count === 1 ? 0 : Math.round((index * last) / (count - 1)),
  )
  return indices.map(index => ({ date: equity_dates[index], value: equity_curve[index] }))
}

const bestOf = (trials: NonNullable<Result['trials']>) =>
  trials
    .toSorted(
      (a, b) => (b.judged_sharpe ?? Number.NEGATIVE_INFINITY) - (a.judged_sharpe ?? Number.NEGATIVE_INFINITY),
    )
    .slice(0, maxTrials)

function explained({ alpha, betas, residual, n_periods }: NonNullable<Result['factors']>): string {
  const exposures = betas.map(({ factor, beta, t }) => `${factor} ${beta} (t ${t})`).join(', ')
  const reasons = residual.verdict.reasons.map(({ message }) => inToolWords(message)).join(' ')
  return `Factors over ${n_periods} periods: alpha a year ${alpha.annual} (t ${alpha.t}); betas ${exposures}. What remains is ${residual.verdict.level}. ${reasons}`
}

function textOf(result: Result): string {
  const { verdict, metrics, n_periods, best, deflated_sharpe, factors, warnings, equity_dates } = result
  const { sharpe, cagr, max_drawdown, cost_drag_annual } = best?.metrics ?? metrics
  const span = `${equity_dates.at(0)} to ${equity_dates.at(-1)}`
  return [
    `Verdict: ${verdict.level}, judged against ${verdict.benchmark}. ${verdict.reasons.map(({ message }) => inToolWords(message)).join(' ')}`,
    `Net of costs, ${n_periods} periods, ${span}${best === undefined ? '' : `, best configuration ${best.label}`}: Sharpe ratio ${sharpe}, growth a year ${cagr}, largest drawdown ${max_drawdown}, costs a year ${cost_drag_annual}.`,
    ...(deflated_sharpe === undefined
      ? []
      : [
          `After ${deflated_sharpe.trials} trials the deflated Sharpe ratio is ${deflated_sharpe.dsr}: the winner ${deflated_sharpe.survives ? 'survives' : 'does not survive'}.`,
        ]),
    ...(factors === undefined ? [] : [explained(factors)]),
    ...warnings.map(({ code, message }) => `Warning ${code}: ${inToolWords(message)}`),
    'Hypothetical; no prediction of future returns.',
  ].join('\n')
}
