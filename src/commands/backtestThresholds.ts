import type { BacktestResult } from '../backtest/result.ts'
import type { VerdictLevel } from '../backtest/resultVerdict.ts'
import { absBetaOf } from './backtestFactors.ts'
import type { BacktestFlags, RequiredLevel } from './backtestOptions.ts'

/**
 * Reports which results fall short of the required ones. A result that cannot be computed does, and so does a
 * withheld verdict.
 */
export function reportShortfalls(result: BacktestResult, flags: BacktestFlags): boolean {
  const shortfalls = [
    ...(flags.failVerdict === undefined ? [] : verdictShortfall(result, flags.failVerdict)),
    ...checksOf(result, flags).flatMap(shortfallOf),
  ]
  for (const message of shortfalls) console.error(message)
  return shortfalls.length > 0
}

const rankOf: Readonly<Record<VerdictLevel, number>> = { withheld: -1, none: 0, weak: 1, strong: 2 }

function verdictShortfall({ verdict }: BacktestResult, required: RequiredLevel): string[] {
  const { level, reasons } = verdict
  if (rankOf[level] >= rankOf[required]) return []
  return [`The verdict is ${level}, below ${required} (--fail-verdict). ${reasons[0]?.message ?? ''}`.trim()]
}

interface Check {
  readonly option: string
  readonly bound: number | undefined
  readonly name: string
  readonly value: number | null
  /** True if the bound is the highest accepted value rather than the lowest. */
  readonly isMax?: boolean
}

function checksOf(result: BacktestResult, flags: BacktestFlags): Check[] {
  const { deflated_sharpe, evidence, metrics, verdict, ic, factors, trading, horizons } = result
  return [
    {
      option: '--fail-below-dsr',
      bound: flags.failBelowDsr,
      name: 'Deflated Sharpe ratio',
      // One configuration has a Deflated Sharpe ratio if others were tried before it, or other horizons with it.
      value:
        deflated_sharpe?.dsr ??
        (verdict.already_tried === undefined && horizons === undefined ? null : verdict.dsr),
    },
    {
      option: '--fail-above-spa',
      bound: flags.failAboveSpa,
      name: 'p-value of the test for superior predictive ability (consistent)',
      value: evidence?.spa?.consistent ?? null,
      isMax: true,
    },
    {
      option: '--fail-below-sharpe',
      bound: flags.failBelowSharpe,
      name: 'annualised Sharpe ratio',
      value: metrics.sharpe,
    },
    {
      option: '--fail-below-ic',
      bound: flags.failBelowIc,
      name: 'mean rank IC',
      value: ic?.mean ?? null,
    },
    {
      option: '--fail-below-oos-sharpe',
      bound: flags.failBelowOosSharpe,
      name: 'mean out-of-sample Sharpe ratio',
      value: metrics.oos_sharpe_mean,
    },
    {
      option: '--fail-below-max-drawdown',
      bound: flags.failBelowMaxDrawdown,
      name: 'max drawdown',
      value: metrics.max_drawdown,
    },
    {
      option: '--fail-above-turnover',
      bound: flags.failAboveTurnover,
      name: 'mean turnover',
      value: metrics.avg_turnover,
      isMax: true,
    },
    {
      option: '--fail-above-impact',
      bound: flags.failAboveImpact,
      name: 'impact paid per year',
      value: (trading?.impact ?? null) === null ? null : (trading?.impact_annual ?? null),
      isMax: true,
    },
    {
      option: '--fail-above-leverage',
      bound: flags.failAboveLeverage,
      name: 'highest leverage',
      value: (trading?.targetVolatility ?? null) === null ? null : (trading?.leverage_max ?? null),
      isMax: true,
    },
    {
      option: '--fail-below-alpha-t',
      bound: flags.failBelowAlphaT,
      name: 't value of alpha',
      value: factors?.alpha.t ?? null,
    },
    {
      option: '--fail-below-residual-sharpe',
      bound: flags.failBelowResidualSharpe,
      name: 'annualised Sharpe ratio of what the factors leave',
      value: factors?.residual.sharpe ?? null,
    },
    ...(flags.failAboveAbsBeta ?? []).map(({ factor, bound }) => ({
      option: '--fail-above-abs-beta',
      bound,
      name: `size of the beta to ${factor}`,
      value: absBetaOf(result, factor),
      isMax: true,
    })),
  ]
}

function shortfallOf({ option, bound, name, value, isMax = false }: Check): string[] {
  if (bound === undefined) return []
  const side = isMax ? 'above' : 'below'
  if (value === null)
    return [
      `The ${name} cannot be computed from these rows (null), which counts as ${side} ${bound} (${option}).`,
    ]
  return (isMax ? value <= bound : value >= bound)
    ? []
    : [`The ${name} is ${value}, ${side} ${bound} (${option}).`]
}
