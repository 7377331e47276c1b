import { daySpan } from '../../model/daySpan.ts'
import type { DefaultManifest, Manifest, TradingCosts } from '../../model/market.ts'

/** What a round trip costs in a market, and on whose word. */
export interface MarketCost {
  readonly market: string | null
  readonly roundTripBps: number
  /** True where the market has no manifest, or the row no market. */
  readonly isDefault: boolean
  readonly source: string
  /** The latest day on which one of the components changed. */
  readonly date: string
}

export interface CostTable {
  readonly defaultRoundTripBps: number
  roundTripBps(market: string | null | undefined): number
  describe(market: string | null | undefined): MarketCost
}

export function costTable(manifests: readonly Manifest[], fallback: DefaultManifest): CostTable {
  const known = new Map(manifests.map(manifest => [manifest.code, summarise(manifest.code, manifest.costs)]))
  const standard = { ...summarise(null, fallback.costs), isDefault: true }
  const find = (market: string | null | undefined) => (market ? known.get(market) : undefined)
  return {
    defaultRoundTripBps: standard.roundTripBps,
    roundTripBps: market => (find(market) ?? standard).roundTripBps,
    describe: market => find(market) ?? { ...standard, market: market ?? null },
  }
}

function summarise(market: string | null, costs: TradingCosts): MarketCost {
  return {
    market,
    roundTripBps: costs.round_trip_bps,
    isDefault: false,
    source: costs.components
      .map(part => `${part.name} (${part.side}, ${part.bps} bps): ${part.source}`)
      .join('; '),
    date: daySpan(costs.components.map(part => part.date))?.last ?? '',
  }
}
