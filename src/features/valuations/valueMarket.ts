import { LRUCache } from 'lru-cache'
import type { MarketValuations } from '../../backtest/asOf/valueMarket.ts'
import type { ComputeCaller } from '../../backtest/pool/caller.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import { isoDate } from '../../dates.ts'
import type { CheckState } from '../../markets/checkStates.ts'
import { figuresOf } from '../../markets/strategies/pricedMetrics.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import type { PriceSet } from '../../prices/priceQueries.ts'
import type { EventStore } from '../asOfJoins/eventStore.ts'
import { blockNames } from '../asOfJoins/figures.ts'
import { readMarketPrices, valuationUnits } from '../asOfJoins/valuationPrices.ts'
import type { Valuation } from './valueCompanies.ts'
import { pricedEntities } from './valueMarketQueries.ts'

export interface MarketValuationDeps {
  readonly events: EventStore
  readonly pool: Pick<ComputePool, 'tasks'>
  readonly marketValuations: MarketValuationCache
}

/** Values companies on behalf of a caller. */
export const companyValuer =
  (deps: MarketValuationDeps, caller: ComputeCaller) =>
  (snapshot: SqlClient, request: MarketValuationRequest): Promise<Valuation[]> =>
    valueMarket(deps, caller, snapshot, request)

export interface MarketValuationRequest {
  readonly metrics: readonly string[]
  readonly set: PriceSet
  readonly market: string
  /** Companies of the market. */
  readonly entities: readonly number[]
  /** Days since 1970-01-01. What was known at its end counts. */
  readonly day: number
  /** The oldest figure, in days from the end of its period; null: only the general limit applies. */
  readonly maxAgeDays: number | null
  readonly checks: readonly CheckState[] | null
}

/** One valuation of all companies of a market that have prices. */
interface WholeMarket extends Omit<MarketValuations, 'metric' | 'unit'> {
  readonly rowOf: ReadonlyMap<number, number>
  readonly unit: string
}

/** Of at most 50,000 companies each, 1.4 MB; the whole market of the US takes a tenth. */
const maxColumns = 48

/**
 * Valuations of whole markets, by data version, set, day and rule. Whoever changes a bound, a filter or the order of a screen
 * reads the same ones again. They hold what no caller may see; callers pick the companies and the set that they may see.
 */
export class MarketValuationCache {
  readonly #columns = new LRUCache<string, WholeMarket>({ max: maxColumns })

  get(key: string): WholeMarket | undefined {
    return this.#columns.get(key)
  }

  set(key: string, column: WholeMarket): void {
    this.#columns.set(key, column)
  }
}

/**
 * Values companies of a market on one day, as a join does whose rows include their own day. Two statements read all prices
 * of the market, and a thread decodes them. The caller has checked that the companies and the set may be seen.
 *
 * @param snapshot of one data version
 */
export async function valueMarket(
  deps: MarketValuationDeps,
  caller: ComputeCaller,
  snapshot: SqlClient,
  request: MarketValuationRequest,
): Promise<Valuation[]> {
  const { metrics, set, market, entities, day, maxAgeDays, checks } = request
  if (entities.length === 0) return []
  const dataVersion = await readDataVersion(snapshot)
  const keyOf = (metric: string) =>
    JSON.stringify([dataVersion, set.priceSetId, market, day, maxAgeDays, checks, metric])
  const columns = new Map<string, WholeMarket>()
  for (const metric of metrics) {
    const known = deps.marketValuations.get(keyOf(metric))
    if (known !== undefined) columns.set(metric, known)
  }
  const missing = metrics.filter(metric => !columns.has(metric))
  if (missing.length > 0)
    for (const [metric, column] of await computeMarket(deps, caller, snapshot, dataVersion, {
      ...request,
      metrics: missing,
    })) {
      deps.marketValuations.set(keyOf(metric), column)
      columns.set(metric, column)
    }
  return [...columns].flatMap(([metric, column]) => pick(metric, column, entities, day))
}

function pick(
  metric: string,
  { rowOf, values, priceDays, knownDays, unit }: WholeMarket,
  entities: readonly number[],
  day: number,
): Valuation[] {
  const found: Valuation[] = []
  for (const entityId of entities) {
    const row = rowOf.get(entityId)
    if (row === undefined || Number.isNaN(values[row])) continue
    const [priceDay, known] = [isoDate(priceDays[row]), isoDate(knownDays[row])]
    found.push({ entityId, metric, day, priceDay, known, value: values[row], unit })
  }
  return found
}

async function computeMarket(
  { events, pool }: MarketValuationDeps,
  caller: ComputeCaller,
  snapshot: SqlClient,
  dataVersion: number,
  { metrics, set, market, day, maxAgeDays, checks }: Omit<MarketValuationRequest, 'entities'>,
): Promise<Map<string, WholeMarket>> {
  const entities = Int32Array.from(await pricedEntities(snapshot, market, set.priceSetId, day))
  const lease = events.lease()
  try {
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
    const rowOf = new Map(Array.from(entities, (entity, row) => [entity, row]))
    return new Map(
      found.map(({ metric, unit, ...column }) => [
        metric,
        { ...column, rowOf, unit: unitNames.get(unit) ?? '' },
      ]),
    )
  } finally {
    lease.release()
  }
}
