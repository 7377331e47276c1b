import { daySpan, type IsoDate } from '../dates.ts'
import type { DefaultManifest, Manifest, TradingCosts } from './manifest.ts'

/** The cost of a round trip (a purchase and a sale) and its source. */
interface RoundTripCost {
  readonly roundTripBps: number
  readonly source: string
  /** The latest date of its components. */
  readonly date: IsoDate
}

/** Round-trip costs as plain data, which can be sent to a worker. */
export interface MarketCosts {
  /** By market code, for every market with a manifest. */
  readonly markets: Readonly<Record<string, RoundTripCost>>
  /** For rows without a market, or with a market that has no manifest. */
  readonly standard: RoundTripCost
}

/** The cost of one market. `isDefault` is true if the market has none of its own. */
interface MarketCost extends RoundTripCost {
  readonly market: string | null
  readonly isDefault: boolean
}

export interface CostTable {
  /** The same costs as plain data. */
  readonly plain: MarketCosts
  roundTripBps(market: string | null): number
  describe(market: string | null): MarketCost
}

export function costTable(manifests: readonly Manifest[], fallback: DefaultManifest): CostTable {
  const byMarket = new Map(manifests.map(manifest => [manifest.code, summarise(manifest.costs)]))
  const standard = summarise(fallback.costs)
  const find = (market: string | null) => (market === null ? undefined : byMarket.get(market))
  return {
    plain: { markets: Object.fromEntries(byMarket), standard },
    roundTripBps: market => (find(market) ?? standard).roundTripBps,
    describe(market) {
      const found = find(market)
      return { ...(found ?? standard), market, isDefault: found === undefined }
    },
  }
}

function summarise(costs: TradingCosts): RoundTripCost {
  return {
    roundTripBps: costs.round_trip_bps,
    source: costs.components
      .map(part => `${part.name} (${part.side}, ${part.bps} bps): ${part.source.replace(/\.$/, '')}`)
      .join('; '),
    date: daySpan(costs.components.map(part => part.date))?.last ?? '',
  }
}
