import { type Dataset, nameCount, type Ranking } from '../dataset/dataset.ts'
import { returnEndDays } from '../dataset/returnEnds.ts'
import { targetWeights } from './legs.ts'
import type { PortfolioSettings, TradingCosts, TradingRules } from './settings.ts'
import { fitTargetSide, pastVolatility, ReturnHistory } from './tradingRules.ts'

/** What trading under limits did in one period. Arrays of names are overwritten by the next period. */
export interface TradedPeriod {
  /** Names that are held or traded, in order of their indices. */
  readonly names: Int32Array
  count: number
  /** The row of each of `names` on the date; -1: none. */
  readonly row: Int32Array
  /** |dw| of each of `names`. */
  readonly size: Float64Array
  gross: number
  /** The part of `gross` that names held long earned. */
  longGross: number
  turnover: number
  /** Round trips, without the impact. */
  spreadCost: number
  impact: number
  /** The part of `impact` that names of each market paid. */
  readonly impactOfMarket: Float64Array
  borrow: number
  longExposure: number
  shortExposure: number
  /** The multiple of the target that the volatility target allows; 1 without one. */
  leverage: number
  /** The part of every wanted trade that was made; below 1 where the turnover was capped. */
  tradedFraction: number
  /** Names whose target was cut to the limit. */
  cutNames: number
  /** The part of the target's gross exposure for which no name had room. */
  inCash: number
  heldWithoutReturn: number
  /** Trades of names without a volume or without enough past returns. */
  tradesWithoutInputs: number
}

/** A weight below this fraction of gross is a rounding error. */
const rounding = 1e-13

/** Trades a configuration period by period under the rules of `settings.trading`, in plain loops over the names in order
 * of their indices, so that every sum has one order.
 *
 * 1. Target: w* = the mean of the last h targets, as without rules.
 * 2. Volatility: s = targetVolatility / v, at most maxLeverage, with v = sd (ddof 1) of the last volatilityPeriods of
 *    u_k = sum w*_k r_k that had ended, times sqrt(P); 1 until there are that many, maxLeverage if v is 0.
 * 3. Limit: each side of s w* is fitted below maxWeight, see `fitTargetSide`.
 * 4. Turnover: with d = target - old weight (after growth, with drift) and T = 1/2 sum |d|, the fraction f =
 *    min(1, maxTurnover / T) of every d is traded.
 * 5. Impact: sum |f d_i| impact s_i sqrt(|f d_i| capital / V_i), s_i = sd (ddof 1) of the name's returns in the last
 *    impactPeriods that had ended / sqrt(returnDays), from at least half of them. A trade without s_i or V_i pays the
 *    highest rate of the period's other trades, and is counted.
 * 6. Borrow: of a name held short, its own `borrow_bps`, else `borrowBps`.
 *
 * Only returns that ended before the day of a period are used for it, see `returnEndDays`: weights never depend on later
 * ones. With drift, the old weights in 4 are those that returns have made by the time of the trade.
 *
 * O(rows + periods names impactPeriods); memory O(rows).
 *
 * @param visit gets the same object every time, and the weights by name
 * @param stop another thread sets it to 1 to end the walk before the next period */
export function walkTrading(
  data: Dataset & { ranking: Ranking },
  periods: Int32Array,
  settings: PortfolioSettings,
  costs: TradingCosts,
  visit: (period: TradedPeriod, t: number, weight: Float64Array) => void,
  stop?: Int32Array,
): void {
  const { asset, offsets, forwardReturn, market, dollarVolume, borrowBps } = data
  const decisionReturn = data.decisionReturn ?? forwardReturn
  const { tranches: h, drift, gross } = settings
  const rules: TradingRules = settings.trading ?? noRules
  const targets = targetWeights(data, periods, settings)
  const count = nameCount(data.assets)
  const minSize = rounding * gross
  const held = new Float64Array(count)
  const target = new Float64Array(count)
  const tranche = new Float64Array(count)
  const holders = new Int32Array(count)
  const rowOf = new Int32Array(count)
  const lastMarket = new Uint16Array(count)
  const rates = new Float64Array(count)
  const past = new Float64Array(periods.length)
  const history = new ReturnHistory(data, rules.impact === null ? noDates : periods, rules.impactPeriods)
  const traded: TradedPeriod = {
    names: new Int32Array(count),
    count: 0,
    row: new Int32Array(count),
    size: new Float64Array(count),
    gross: 0,
    longGross: 0,
    turnover: 0,
    spreadCost: 0,
    impact: 0,
    impactOfMarket: new Float64Array(nameCount(data.markets)),
    borrow: 0,
    longExposure: 0,
    shortExposure: 0,
    leverage: 1,
    tradedFraction: 1,
    cutNames: 0,
    inCash: 0,
    heldWithoutReturn: 0,
    tradesWithoutInputs: 0,
  }
  const move = (date: number, side: 1 | -1) => {
    for (let row = offsets[date]; row < offsets[date + 1]; row++) {
      if (targets[row] === 0) continue
      tranche[asset[row]] += side * targets[row]
      holders[asset[row]] += side
    }
  }
  const known = (returns: Float64Array, row: number) =>
    row === -1 || Number.isNaN(returns[row]) ? 0 : returns[row]
  const endDays = returnEndDays(data, rules)
  /** Periods whose returns ended before the day of period t. */
  let ended = 0
  for (let t = 0; t < periods.length; t++) {
    if (stop && Atomics.load(stop, 0) === 1) return
    const date = periods[t]
    for (; ended < t && endDays[periods[ended]] < data.days[date]; ended++)
      if (rules.impact !== null) history.add(data, decisionReturn, periods[ended])
    rowOf.fill(-1)
    for (let row = offsets[date]; row < offsets[date + 1]; row++) {
      rowOf[asset[row]] = row
      lastMarket[asset[row]] = market[row]
    }
    move(date, 1)
    if (t >= h) move(periods[t - h], -1)
    // Exactly 0 without tranches: adding and subtracting them leaves rounding errors.
    for (let i = 0; i < count; i++) if (holders[i] === 0) tranche[i] = 0

    const leverage = leverageOf(rules, past, ended)
    let unscaled = 0
    for (let i = 0; i < count; i++) {
      const whole = tranche[i] / h
      unscaled += whole * known(decisionReturn, rowOf[i])
      target[i] = whole * leverage
    }
    past[t] = unscaled
    traded.leverage = leverage
    traded.cutNames = 0
    traded.inCash = 0
    if (rules.maxWeight !== null)
      for (const side of [1, -1] as const) {
        const { cut, left } = fitTargetSide(target, side, rules.maxWeight)
        traded.cutNames += cut
        traded.inCash += left
      }

    let wanted = 0
    for (let i = 0; i < count; i++) wanted += Math.abs(target[i] - held[i])
    const fraction =
      rules.maxTurnover !== null && wanted / 2 > rules.maxTurnover ? rules.maxTurnover / (wanted / 2) : 1
    traded.tradedFraction = fraction
    traded.count = 0
    let [turnover, spreadCost, long, short, borrow] = [0, 0, 0, 0, 0]
    let [earned, longEarned, decided] = [0, 0, 0]
    let withoutReturn = 0
    for (let i = 0; i < count; i++) {
      const row = rowOf[i]
      const isUnknown = row === -1 || Number.isNaN(forwardReturn[row])
      // Names whose tranches cancel are held, too.
      if (isUnknown && holders[i] > 0) withoutReturn++
      if (target[i] === 0 && held[i] === 0) continue
      const old = held[i]
      const mixed = fraction === 1 ? target[i] : old + fraction * (target[i] - old)
      const next = target[i] === 0 && Math.abs(mixed) < minSize ? 0 : mixed
      const size = Math.abs(next - old)
      const at = traded.count++
      traded.names[at] = i
      traded.row[at] = row
      traded.size[at] = size
      turnover += size / 2
      spreadCost += (size / 2) * costs.roundTripOfMarket[lastMarket[i]]
      if (next < 0) {
        short -= next
        const own = row === -1 ? Number.NaN : (borrowBps?.[row] ?? Number.NaN)
        borrow -= next * (Number.isNaN(own) ? costs.borrowPerPeriod : own / 1e4 / costs.periodsPerYear)
      }
      const r = known(forwardReturn, row)
      earned += next * r
      decided += next * known(decisionReturn, row)
      if (next > 0) {
        long += next
        longEarned += next * r
      }
      if (isUnknown && next !== 0 && holders[i] === 0) withoutReturn++
      held[i] = next
    }
    traded.turnover = turnover
    traded.spreadCost = spreadCost
    traded.longExposure = long
    traded.shortExposure = short
    traded.borrow = borrow
    traded.gross = earned
    traded.longGross = longEarned
    traded.heldWithoutReturn = withoutReturn
    chargeImpact(traded, rules, dollarVolume, history, lastMarket, rates, minSize)
    visit(traded, t, held)
    if (!drift) continue
    // The growth of the portfolio that was traded. After a loss of everything the next one is bought from nothing.
    const growth = decided > rounding - 1 ? 1 + decided : Number.POSITIVE_INFINITY
    for (let at = 0; at < traded.count; at++) {
      const i = traded.names[at]
      held[i] = (held[i] * (1 + known(decisionReturn, traded.row[at]))) / growth
    }
  }
}

const noDates = new Int32Array(0)

const noRules: TradingRules = {
  maxTurnover: null,
  maxWeight: null,
  targetVolatility: null,
  volatilityPeriods: 0,
  maxLeverage: 1,
  impact: null,
  capital: 0,
  impactPeriods: 0,
  periodsPerYear: 1,
  returnDays: 1,
  medianGap: 1,
}

function leverageOf(rules: TradingRules, past: Float64Array, ended: number): number {
  const { targetVolatility, volatilityPeriods, maxLeverage, periodsPerYear } = rules
  if (targetVolatility === null) return 1
  if (ended < volatilityPeriods) return Math.min(1, maxLeverage)
  const volatility = pastVolatility(past, ended - volatilityPeriods, ended) * Math.sqrt(periodsPerYear)
  return volatility > 0 ? Math.min(maxLeverage, targetVolatility / volatility) : maxLeverage
}

function chargeImpact(
  traded: TradedPeriod,
  rules: TradingRules,
  dollarVolume: Float64Array | undefined,
  history: ReturnHistory,
  market: Uint16Array,
  rates: Float64Array,
  minSize: number,
): void {
  traded.impact = 0
  traded.impactOfMarket.fill(0)
  traded.tradesWithoutInputs = 0
  if (rules.impact === null) return
  let highest = 0
  for (let at = 0; at < traded.count; at++) {
    rates[at] = 0
    if (traded.size[at] <= minSize) continue
    const row = traded.row[at]
    const volume = row === -1 ? Number.NaN : (dollarVolume?.[row] ?? Number.NaN)
    const volatility = history.volatility(traded.names[at]) / Math.sqrt(rules.returnDays)
    rates[at] =
      volume > 0
        ? rules.impact * volatility * (Math.sqrt(traded.size[at] * rules.capital) / Math.sqrt(volume))
        : Number.NaN
    if (rates[at] > highest) highest = rates[at]
  }
  for (let at = 0; at < traded.count; at++) {
    if (traded.size[at] <= minSize) continue
    const isUnknown = Number.isNaN(rates[at])
    if (isUnknown) traded.tradesWithoutInputs++
    const paid = traded.size[at] * (isUnknown ? highest : rates[at])
    traded.impact += paid
    traded.impactOfMarket[market[traded.names[at]]] += paid
  }
}
