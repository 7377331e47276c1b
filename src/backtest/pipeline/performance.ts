import { isoDate } from '../../dates.ts'
import { periodEnds } from '../dataset/returnEnds.ts'
import { type Simulation, simulate } from '../portfolio/simulate.ts'
import type { PerformanceFields } from '../resultPerformance.ts'
import { worstDrawdowns } from '../statistics/drawdowns.ts'
import { kurtosisRaw, mean, skewness } from '../statistics/moments.ts'
import { tailRisk } from '../statistics/quantile.ts'
import { cagr, equityCurve, hitRate } from '../statistics/returns.ts'
import { maxDrawdown, volatility } from '../statistics/risk.ts'
import { rollingRatios } from '../statistics/rolling.ts'
import { sharpe } from '../statistics/sharpe.ts'
import { marketRecords } from './marketRecords.ts'
import type { ResolvedConfig } from './resolveConfig.ts'
import { dayOfPoint, finiteOrNull, type RecordEnds } from './resultFields.ts'
import type { RunInput } from './runInput.ts'

type Performance = PerformanceFields['performance']

const tailLevel = 0.95
const maxDrawdowns = 10
const minWindow = 4

/** The section `performance` of a result. */
export function writePerformance(input: RunInput, simulation: Simulation): Performance {
  const { config, data, days, periods } = input
  const { periodsPerYear } = config
  const { series } = simulation
  const window = Math.max(minWindow, Math.round(periodsPerYear))
  const rolling = rollingRatios(series.net, window, periodsPerYear)
  return {
    compared: (['net', 'gross', 'universe'] as const).map(name => ({
      series: name,
      ...compare(series[name], periodsPerYear),
    })),
    legs: writeLegs(input, simulation),
    markets: marketRecords(input),
    drawdowns: writeDrawdowns(series.net, {
      days,
      returnDays: config.returnDays,
      ends: periodEnds(data, periods),
    }),
    turnover: Array.from(series.turnover),
    exposure_long: longExposure(config, simulation),
    exposure_short: Array.from(series.shortExposure),
    rolling_window: window,
    rolling_sharpe: rolling.sharpe.map(finiteOrNull),
    rolling_volatility: rolling.volatility.map(finiteOrNull),
  }
}

function compare(
  returns: Float64Array,
  periodsPerYear: number,
): Omit<Performance['compared'][number], 'series'> {
  const { curve } = equityCurve(returns)
  const tail = tailRisk(returns, tailLevel)
  return {
    cagr: finiteOrNull(cagr(curve[curve.length - 1], returns.length, periodsPerYear)),
    sharpe: finiteOrNull(sharpe(returns, periodsPerYear)),
    sharpe_per_period: finiteOrNull(sharpe(returns, 1)),
    volatility: finiteOrNull(volatility(returns, periodsPerYear)),
    max_drawdown: finiteOrNull(maxDrawdown(curve)),
    skew: finiteOrNull(skewness(returns)),
    kurtosis_raw: finiteOrNull(kurtosisRaw(returns)),
    value_at_risk: finiteOrNull(tail?.valueAtRisk ?? null),
    expected_shortfall: finiteOrNull(tail?.expectedShortfall ?? null),
  }
}

/** The long leg is the long-only portfolio with half the exposure: the same names with the same weights. The
 * short leg gets the rest of the gross return. */
function writeLegs(input: RunInput, { series, path }: Simulation): Performance['legs'] {
  const { data, periods, config, tradingCosts } = input
  const { portfolio } = config
  if (!portfolio.longShort) return [writeLeg('long', series.gross, config)]
  if (path !== undefined) {
    const short = series.gross.map((gross, t) => gross - path.longGross[t])
    return [writeLeg('long', path.longGross, config), writeLeg('short', short, config)]
  }
  const longOnly = { ...portfolio, longShort: false, gross: portfolio.gross / 2 }
  const long = simulate(data, periods, longOnly, tradingCosts).series.gross
  const short = series.gross.map((gross, t) => gross - long[t])
  return [writeLeg('long', long, config), writeLeg('short', short, config)]
}

function writeLeg(
  leg: 'long' | 'short',
  returns: Float64Array,
  { periodsPerYear }: ResolvedConfig,
): Performance['legs'][number] {
  return {
    leg,
    return_annual: finiteOrNull(mean(returns) * periodsPerYear),
    sharpe: finiteOrNull(sharpe(returns, periodsPerYear)),
    sharpe_per_period: finiteOrNull(sharpe(returns, 1)),
    volatility: finiteOrNull(volatility(returns, periodsPerYear)),
    hit_rate: finiteOrNull(hitRate(returns)),
    returns: Array.from(returns, finiteOrNull),
  }
}

/** Both legs of a long-short portfolio have equal size, whatever cancels out between its tranches. A
 * long-only portfolio holds a fraction of its exposure for each of the last h periods that formed a leg. */
function longExposure({ portfolio }: ResolvedConfig, { series, ranked, path }: Simulation): number[] {
  // Limits may hold one leg back more than the other.
  if (path !== undefined) return Array.from(path.longExposure)
  if (portfolio.longShort) return Array.from(series.shortExposure)
  const h = portfolio.tranches
  let held = 0
  return Array.from(ranked, (names, t) => {
    if (names >= 2) held++
    if (t >= h && ranked[t - h] >= 2) held--
    return (portfolio.gross * held) / h
  })
}

function writeDrawdowns(net: Float64Array, record: RecordEnds): Performance['drawdowns'] {
  const { curve } = equityCurve(net)
  const dayOf = (point: number) => dayOfPoint(point, record)
  return worstDrawdowns(curve, maxDrawdowns).map(({ peak, trough, recovered, depth }) => ({
    peak: isoDate(dayOf(peak)),
    trough: isoDate(dayOf(trough)),
    recovered: recovered === null ? null : isoDate(dayOf(recovered)),
    depth: finiteOrNull(depth),
    days_to_trough: dayOf(trough) - dayOf(peak),
    days_to_recover: recovered === null ? null : dayOf(recovered) - dayOf(trough),
  }))
}
