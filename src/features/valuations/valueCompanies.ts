import { joinRows } from '../../backtest/asOf/joinTask.ts'
import type { JoinPlan } from '../../backtest/asOf/settings.ts'
import { isoDate } from '../../dates.ts'
import type { CheckState } from '../../markets/checkStates.ts'
import { figuresOf } from '../../markets/strategies/pricedMetrics.ts'
import type { Sql } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { PriceSet } from '../../prices/priceQueries.ts'
import type { EventStore } from '../asOfJoins/eventStore.ts'
import { blockNames } from '../asOfJoins/figures.ts'
import { readValuationPrices, valuationUnits } from '../asOfJoins/valuationPrices.ts'

export interface ValuationDeps {
  readonly sql: Sql
  readonly events: EventStore
}

export interface ValuationRequest {
  readonly metrics: readonly string[]
  readonly set: PriceSet
  /** Companies and days since 1970-01-01, in ascending order; each company is valued on each day. */
  readonly entities: readonly number[]
  readonly days: Int32Array
  readonly checks: readonly CheckState[] | null
}

/** A valuation of a company as known at the end of a day. */
export interface Valuation {
  readonly entityId: number
  readonly metric: string
  /** The day on which it was read. */
  readonly day: number
  /** The day of the price. */
  readonly priceDay: string
  /** The day on which the last of its inputs became known. */
  readonly known: string
  readonly value: number
  readonly unit: string
}

/**
 * Values companies on days as a join does whose rows include their own day, all from one data version. The caller has
 * checked that the companies and the set may be seen.
 */
export async function valueCompanies(
  { sql, events }: ValuationDeps,
  { metrics, set, entities, days, checks }: ValuationRequest,
): Promise<{ readonly dataVersion: number; readonly valuations: readonly Valuation[] }> {
  const lease = events.lease()
  try {
    return await withSnapshot(sql, async snapshot => {
      const dataVersion = await readDataVersion(snapshot)
      const ids = Int32Array.from(entities)
      const names = figuresOf(metrics).map(({ metric, ...choice }) =>
        blockNames(ids, [metric], { ...choice, checks }),
      )
      const blocks = []
      for (const ofFigure of names) blocks.push(await lease.open(snapshot, dataVersion, ofFigure))
      const { units, names: unitNames } = valuationUnits(events.units, set)
      const range = { first: days[0], last: days[days.length - 1] }
      const prices = await readValuationPrices(snapshot, set, ids, range, units)
      const rows = rowsOf(entities.length, days)
      const { columns } = joinRows({
        rows,
        plan: planOf(metrics, checks),
        companyOfName: Int32Array.from(entities, (_, index) => index),
        slotOfRow: null,
        kin: [],
        entities: ids,
        blocks,
        prices,
      })
      const valuations: Valuation[] = []
      for (let row = 0; row < rows.count; row++)
        for (const { name, events: found, positions } of columns) {
          const at = positions[row]
          if (at < 0) continue
          valuations.push({
            entityId: entities[rows.name[row]],
            metric: name,
            day: rows.day[row],
            priceDay: isoDate(found.ends[at]),
            known: isoDate(found.filed[at]),
            value: found.values[at],
            unit: unitNames.get(found.units[at]) ?? '',
          })
        }
      return { dataVersion, valuations }
    })
  } finally {
    lease.release()
  }
}

/** Each company on each day. */
function rowsOf(companies: number, days: Int32Array) {
  const count = companies * days.length
  const rows = { count, day: new Int32Array(count), name: new Int32Array(count), names: [], layout: [] }
  for (let row = 0; row < count; row++) {
    rows.name[row] = Math.floor(row / days.length)
    rows.day[row] = days[row % days.length]
  }
  return rows
}

const planOf = (metrics: readonly string[], checks: readonly CheckState[] | null): JoinPlan => ({
  metrics,
  fp: 'latest',
  inclusive: true,
  maxAgeDays: null,
  extras: [],
  group: null,
  universe: null,
  checks,
  followsLineage: false,
  prices: null,
  dataVersion: null,
})
