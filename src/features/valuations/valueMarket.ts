import type { ComputeCaller } from '../../backtest/pool/caller.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import { isoDate } from '../../dates.ts'
import type { CheckState } from '../../markets/checkStates.ts'
import { figuresOf } from '../../markets/valuations.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import type { PriceSet } from '../../prices/priceQueries.ts'
import type { EventStore } from '../asOfJoins/eventStore.ts'
import { blockNames } from '../asOfJoins/figures.ts'
import { readMarketPrices, valuationUnits } from '../asOfJoins/valuationPrices.ts'
import type { Valuation } from './valueCompanies.ts'

export interface MarketValuationDeps {
  readonly events: EventStore
  readonly pool: Pick<ComputePool, 'tasks'>
}

/** Values companies on behalf of a caller. */
export const companyValuer =
  (deps: MarketValuationDeps, caller: ComputeCaller) =>
  (snapshot: SqlClient, request: MarketValuationRequest): Promise<Valuation[]> =>
    valueMarket(deps, caller, snapshot, request)

export interface MarketValuationRequest {
  readonly metrics: readonly string[]
  readonly set: PriceSet
  /** Distinct companies. */
  readonly entities: Int32Array
  /** Days since 1970-01-01. What was known at its end counts. */
  readonly day: number
  /** The oldest figure, in days from the end of its period; null: only the general limit applies. */
  readonly maxAgeDays: number | null
  readonly checks: readonly CheckState[] | null
}

/**
 * Values many companies on one day, as a join does whose rows include their own day. Two statements read all prices, a
 * thread decodes them. The caller has checked that the companies and the set may be seen.
 *
 * @param snapshot of one data version
 */
export async function valueMarket(
  { events, pool }: MarketValuationDeps,
  caller: ComputeCaller,
  snapshot: SqlClient,
  { metrics, set, entities, day, maxAgeDays, checks }: MarketValuationRequest,
): Promise<Valuation[]> {
  if (entities.length === 0) return []
  const lease = events.lease()
  try {
    const dataVersion = await readDataVersion(snapshot)
    const blocks = []
    for (const { metric, ...choice } of figuresOf(metrics)) {
      const names = blockNames(entities, [metric], { ...choice, checks })
      blocks.push(await lease.open(snapshot, dataVersion, names))
    }
    const { units, names: unitNames } = valuationUnits(events.units, set)
    const prices = await readMarketPrices(snapshot, set, entities, day)
    const input = {
      plan: { metrics, maxAgeDays, checks },
      day,
      entities,
      blocks,
      set: { basis: set.basis, statesSplits: set.statesSplits },
      units,
      prices,
    }
    const found = await pool.tasks.valueMarket(input, { caller, priority: 'interactive' })
    return found.flatMap(({ metric, values, priceDays, knownDays, unit }) =>
      Array.from(entities, (entityId, row) => ({
        entityId,
        metric,
        day,
        priceDay: isoDate(priceDays[row]),
        known: isoDate(knownDays[row]),
        value: values[row],
        unit: unitNames.get(unit) ?? '',
      })).filter(({ value }) => !Number.isNaN(value)),
    )
  } finally {
    lease.release()
  }
}
