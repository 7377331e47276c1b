import { type Static, Type } from '@sinclair/typebox'
import { BacktestResult } from '../../../backtest/result.ts'

/** A result of a backtest without its long lists. */

const field = BacktestResult.properties
const { equity_curve, equity_dates, trials } = field

/** What every answer has room for, or nearly. */
const sections = {
  data_version: field.data_version,
  source: field.source,
  score: field.score,
  n_rows: field.n_rows,
  n_dates: field.n_dates,
  n_periods: field.n_periods,
  n_empty_periods: field.n_empty_periods,
  periods_per_year: field.periods_per_year,
  verdict: field.verdict,
  metrics: field.metrics,
  folds: field.folds,
  costs: field.costs,
  warnings: field.warnings,
  deflated_sharpe: field.deflated_sharpe,
  ic: field.ic,
}

/** Sections that repeat the request, or that `include` requests: their schemas are long, and those of the API. */
const included = [
  ...([
    'request',
    'config',
    'dropped',
    'universe',
    'quantiles',
    'monthly',
    'positions',
    'benchmark',
    'evidence',
    'performance',
    'ic_decay',
  ] as const),
  ...(['quantile_returns', 'capacity'] as const),
]
const asInTheApi = { description: 'As in the result of POST /api/v1/backtest.' }

const Point = Type.Object({ date: equity_dates.items, value: equity_curve.items })

export const ShortResult = Type.Object({
  ...Type.Partial(Type.Object(sections)).properties,
  best: Type.Optional(
    Type.Unknown({ description: 'With sweep: the best configuration: label, config and metrics.' }),
  ),
  ...Object.fromEntries(included.map(name => [name, Type.Optional(Type.Unknown(asInTheApi))])),
  equity: Type.Optional(
    Type.Array(Point, {
      description: 'Some points of the equity curve: the first, the last and some between them.',
    }),
  ),
  best_trials: Type.Optional(
    Type.Array(trials.items, { description: 'The trials with the highest Sharpe ratios.' }),
  ),
})
type ShortResult = Static<typeof ShortResult>
type Result = Static<typeof BacktestResult>

const maxPoints = 13
const maxTrials = 8
const envelopeCharacters = 300

/** What matters most for the reader of a conversation comes first; what does not fit any more is named. */
const order: readonly string[] = [
  ...[
    'verdict',
    'metrics',
    'config',
    'best',
    'deflated_sharpe',
    'warnings',
    'n_periods',
    'n_dates',
    'n_rows',
  ],
  ...['data_version', 'source', 'score', 'equity', 'best_trials', 'dropped', 'n_empty_periods'],
  ...['periods_per_year', 'evidence', 'ic', 'quantiles', 'monthly', 'folds', 'costs', 'universe'],
]

export function shorten(
  result: Result,
  whole: string,
  maxCharacters: number,
): { short: ShortResult; leftOut: string; text: string } {
  const { equity_curve, equity_dates, trials, object, sweep, curves, ...rest } = result
  const all: ShortResult = {
    ...rest,
    equity: pointsOf(result),
    ...(trials === undefined ? {} : { best_trials: bestOf(trials) }),
  }
  const text = textOf(result)
  const names = [...order, ...Object.keys(all).filter(name => !order.includes(name))].filter(name =>
    Object.hasOwn(all, name),
  )
  let room =
    maxCharacters - envelopeCharacters - whole.length - JSON.stringify(text).length - 20 * names.length
  const short: ShortResult = {}
  const dropped: string[] = []
  for (const name of names) {
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
  const missing = dropped.length === 0 ? [] : [`left out: ${dropped.join(', ')}`]
  const parts = [...thinned, ...cut, ...missing]
  return {
    short,
    text,
    leftOut: `${parts.length === 0 ? 'Nothing of weight' : parts.join('; ')}. ${whole} has the whole result.`,
  }
}

function pointsOf({ equity_curve, equity_dates }: Result): Static<typeof Point>[] {
  const last = equity_curve.length - 1
  const count = Math.min(maxPoints, equity_curve.length)
  const places = Array.from({ length: count }, (_, place) =>
    count === 1 ? 0 : Math.round((place * last) / (count - 1)),
  )
  return places.map(place => ({ date: equity_dates[place], value: equity_curve[place] }))
}

const bestOf = (trials: NonNullable<Result['trials']>) =>
  trials
    .toSorted(
      (a, b) => (b.judged_sharpe ?? Number.NEGATIVE_INFINITY) - (a.judged_sharpe ?? Number.NEGATIVE_INFINITY),
    )
    .slice(0, maxTrials)

function textOf({ verdict, metrics, n_periods, best, warnings, equity_dates }: Result): string {
  const { sharpe, cagr, max_drawdown, cost_drag_annual } = best?.metrics ?? metrics
  const span = `${equity_dates.at(0)} to ${equity_dates.at(-1)}`
  return [
    `Net of costs, ${n_periods} periods, ${span}${best === undefined ? '' : `, best configuration ${best.label}`}: Sharpe ratio ${sharpe}, growth a year ${cagr}, largest drawdown ${max_drawdown}, costs a year ${cost_drag_annual}.`,
    `Verdict ${verdict.level}, judged against ${verdict.benchmark}: ${verdict.reasons.map(({ message }) => message).join(' ')}`,
    ...warnings.map(({ code, message }) => `Warning ${code}: ${message}`),
    'Hypothetical; no prediction of future returns.',
  ].join('\n')
}
