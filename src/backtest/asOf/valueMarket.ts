import { maxPriceAgeDays } from '../../markets/valuations.ts'
import { type PackedPrices, unpackPrices } from '../../prices/packedPrices.ts'
import type { EventBlock } from './figureEvents.ts'
import { joinRows } from './joinTask.ts'
import type { JoinPlan } from './settings.ts'
import type { ValuationPrices } from './valuations.ts'

/** The companies of a market to be valued as known at the end of one day. */
export interface MarketValued {
  readonly plan: Pick<JoinPlan, 'metrics' | 'maxAgeDays' | 'checks'>
  readonly day: number
  /** Distinct companies. */
  readonly entities: Int32Array
  /** The blocks of each figure that the valuations need, in the order of `figuresOf`. */
  readonly blocks: readonly (readonly EventBlock[])[]
  readonly set: ValuationPrices['set']
  readonly units: ValuationPrices['units']
  readonly prices: PackedPrices
}

/** One valuation of all companies, in the order of `entities`. */
export interface MarketValuations {
  readonly metric: string
  /** NaN: the company has none. */
  readonly values: Float64Array
  readonly priceDays: Int32Array
  /** The days on which the last of the inputs became known. */
  readonly knownDays: Int32Array
  readonly unit: number
}

/** Values companies by a join of one row for each, which includes the day itself. */
export function valueMarket({
  plan,
  day,
  entities,
  blocks,
  set,
  units,
  prices,
}: MarketValued): MarketValuations[] {
  const count = entities.length
  const securitiesOf = unpackPrices(prices, day, maxPriceAgeDays)
  const names = Int32Array.from(entities, (_, index) => index)
  const { columns } = joinRows({
    rows: { count, day: new Int32Array(count).fill(day), name: names, names: [], layout: [] },
    plan: { ...plainJoin, ...plan },
    companyOfName: names,
    slotOfRow: null,
    kin: [],
    entities,
    blocks,
    prices: { set, units, securities: Array.from(entities, entity => securitiesOf.get(entity) ?? []) },
  })
  return columns.map(({ name, events, positions }) => {
    const values = new Float64Array(count).fill(Number.NaN)
    const priceDays = new Int32Array(count)
    const knownDays = new Int32Array(count)
    let unit = units.pure
    for (let row = 0; row < count; row++) {
      const at = positions[row]
      if (at < 0) continue
      values[row] = events.values[at]
      priceDays[row] = events.ends[at]
      knownDays[row] = events.filed[at]
      unit = events.units[at]
    }
    return { metric: name, values, priceDays, knownDays, unit }
  })
}

const plainJoin: Omit<JoinPlan, 'metrics' | 'maxAgeDays' | 'checks'> = {
  fp: 'latest',
  inclusive: true,
  extras: [],
  group: null,
  universe: null,
  followsLineage: false,
  prices: null,
  dataVersion: null,
}
