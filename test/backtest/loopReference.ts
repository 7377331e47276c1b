import type { PortfolioSettings } from '../../src/backtest/portfolio/settings.ts'

export interface Row {
  day: number
  asset: string
  market: string
  score: number | null
  forwardReturn: number | null
}

type Weights = Map<string, number>

interface Period {
  gross: number
  net: number
  turnover: number
  cost: number
  borrow: number
  universe: number
  heldWithoutReturn: number
  weights: Weights
}

/** The backtest in plain loops: as obvious and as slow as ref_backtest.py, and with what that lacks: legs inside markets,
 * missing scores, unknown returns, names that vanish. It shares no code with the kernel. */
export function loopReference(
  rows: readonly Row[],
  settings: PortfolioSettings,
  step: number,
  roundTripBps: Record<string, number>,
  borrowPerPeriod: number,
): Period[] {
  const days = [...new Set(rows.map(row => row.day))].sort((a, b) => a - b).filter((_, i) => i % step === 0)
  const targets: Weights[] = []
  const marketOf = new Map<string, string>()
  const periods: Period[] = []
  let before: Weights = new Map()
  for (const day of days) {
    const today = rows.filter(row => row.day === day)
    for (const row of today) marketOf.set(row.asset, row.market)
    targets.push(target(today, settings))
    const tranches = targets.slice(-settings.tranches)
    const weights: Weights = new Map()
    for (const tranche of tranches) {
      for (const [asset, weight] of tranche)
        weights.set(asset, (weights.get(asset) ?? 0) + weight / settings.tranches)
    }
    let turnover = 0
    let cost = 0
    for (const asset of new Set([...weights.keys(), ...before.keys()])) {
      const traded = Math.abs((weights.get(asset) ?? 0) - (before.get(asset) ?? 0)) / 2
      turnover += traded
      cost += (traded * roundTripBps[marketOf.get(asset) ?? '']) / 1e4
    }
    const returns = new Map<string, number>()
    for (const row of today) if (row.forwardReturn !== null) returns.set(row.asset, row.forwardReturn)
    let gross = 0
    let short = 0
    let missing = 0
    for (const [asset, weight] of weights) {
      gross += weight * (returns.get(asset) ?? 0)
      if (weight < 0) short -= weight
      if (!returns.has(asset)) missing++
    }
    const borrow = short * borrowPerPeriod
    const known = [...returns.values()]
    const universe = known.length === 0 ? 0 : known.reduce((a, b) => a + b, 0) / known.length
    periods.push({
      gross,
      net: gross - cost - borrow,
      turnover,
      cost,
      borrow,
      universe,
      heldWithoutReturn: missing,
      weights,
    })
    before = settings.drift ? grown(weights, returns, gross) : weights
  }
  return periods
}

/** Shares of the grown book. A book that lost everything has none: ref_backtest.py would divide by 0. */
function grown(weights: Weights, returns: Map<string, number>, gross: number): Weights {
  if (gross <= -1 + 1e-13) return new Map()
  const shareOf = (asset: string, weight: number) => (weight * (1 + (returns.get(asset) ?? 0))) / (1 + gross)
  return new Map([...weights].map(([asset, weight]) => [asset, shareOf(asset, weight)]))
}

function target(today: Row[], settings: PortfolioSettings): Weights {
  const eligible = today.filter(row => row.score !== null)
  if (!settings.neutralMarket) return legs(eligible, settings, 1)
  const groups = [...new Set(eligible.map(row => row.market))].map(market =>
    eligible.filter(row => row.market === market),
  )
  const formed = groups.filter(group => legs(group, settings, 1).size > 0)
  const names = formed.reduce((sum, group) => sum + group.length, 0)
  return new Map(formed.flatMap(group => [...legs(group, settings, group.length / names)]))
}

function legs(names: Row[], settings: PortfolioSettings, share: number): Weights {
  const n = names.length
  let k = n > 0 ? Math.max(1, Math.floor(settings.quantile * n + 1e-9)) : 0
  if (n < 2 || (settings.longShort && 2 * k > n)) k = Math.floor(n / 2)
  const weights: Weights = new Map()
  if (k === 0) return weights
  const value = (row: Row) => row.score ?? 0
  const order = [...names].sort((a, b) => value(a) - value(b) || (a.asset < b.asset ? -1 : 1))
  const mean = names.reduce((sum, row) => sum + value(row), 0) / n
  const leg = (weakestFirst: Row[], side: number) => {
    let raw = weakestFirst.map((row, j) => {
      if (settings.weighting === 'equal') return 1
      return settings.weighting === 'rank' ? j + 1 : Math.abs(value(row) - mean)
    })
    if (raw.every(x => x === 0)) raw = raw.map(() => 1)
    const total = raw.reduce((a, b) => a + b, 0)
    // With score weights, a name whose score is exactly the mean has weight 0, so it is not held.
    weakestFirst.forEach((row, j) => {
      if (raw[j] > 0) weights.set(row.asset, side * share * (raw[j] / total))
    })
  }
  leg(order.slice(n - k), settings.longShort ? settings.gross / 2 : settings.gross)
  if (settings.longShort) leg(order.slice(0, k).reverse(), -settings.gross / 2)
  return weights
}
