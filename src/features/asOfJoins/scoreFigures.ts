import { beforeAllDays, type DatedName } from '../../backtest/asOf/datedNames.ts'
import type { EventBlock } from '../../backtest/asOf/figureEvents.ts'
import type { ScoredValuation } from '../../backtest/asOf/scoreDataset.ts'
import type { AsOfPeriod } from '../../backtest/figureScore.ts'
import type { VintageChoice } from '../../backtest/requestCompare.ts'
import { dayNumber } from '../../dates.ts'
import { figuresOf } from '../../markets/strategies/pricedMetrics.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import type { PriceSet } from '../../prices/priceQueries.ts'
import { findCompanies } from '../companies/queries.ts'
import { idReader, readStretches } from '../companies/symbols.ts'
import type { EventLease, EventStore } from './eventStore.ts'
import { blockNames } from './figures.ts'
import { type BlockName, blockKind, findListed } from './queries.ts'
import { type DaysValued, readValuationPrices, valuationUnits } from './valuationPrices.ts'

export interface FigureRequest {
  /**
   * The IDs of an archive's assets in one market, one per line: tickers, or TICKER:MARKET if two markets
   * share one. No register's ID contains a colon.
   */
  readonly names: string
  readonly market: string
  readonly metric: string
  readonly fp: AsOfPeriod
  readonly checks?: BlockName['checks']
  /** Which vintages count; `as_known` by default. */
  readonly vintages?: VintageChoice
  /** Values in other units are ignored. */
  readonly unit: string
  /** For a valuation: its set of prices, and the days that are ranked. */
  readonly priced?: { readonly set: PriceSet; readonly days: DaysValued } | null
}

/** Everything known about one metric of a dataset's assets. */
export interface AssetFigures {
  /** The company of each asset, followed by the company of each slot of `dated`; -1 if there is none. */
  readonly entities: Int32Array
  /** For each of these companies, the id of the unit that counts; -1 if the database has no unit of that name. */
  readonly units: Int16Array
  /** Assets whose company depends on the date. */
  readonly dated: readonly DatedName[]
  readonly blocks: readonly EventBlock[]
  /** For a valuation, which replaces `blocks`. */
  readonly valuation?: ScoredValuation | null
}

/** Figures in memory until they are released. */
export interface OpenedFigures extends AssetFigures {
  readonly release: () => void
}

/**
 * The figures of an archive's assets in one market.
 *
 * @param sql of one data version: a snapshot, or a pinned pool
 */
export async function openListedFigures(
  events: EventStore,
  sql: SqlClient,
  { names, market, metric, fp, checks, unit, vintages = 'as_known', priced = null }: FigureRequest,
): Promise<OpenedFigures> {
  const { entities, dated } = await findListedCompanies(sql, names, market)
  const lease = events.lease()
  try {
    const dataVersion = await readDataVersion(sql)
    if (priced !== null) {
      const of = { metric, unit, checks, ...priced }
      const { valuation, unitId } = await openValuation(events, lease, sql, dataVersion, entities, of)
      const units = new Int16Array(entities.length).fill(unitId)
      return { entities, units, dated, blocks: [], valuation, release: () => lease.release() }
    }
    const wanted = blockNames(entities, [metric], { fp, checks, kind: blockKind(vintages) })
    const blocks = await lease.open(sql, dataVersion, wanted)
    const units = new Int16Array(entities.length).fill(unitNumber(events, unit))
    return { entities, units, dated, blocks, valuation: null, release: () => lease.release() }
  } catch (error) {
    lease.release()
    throw error
  }
}

interface ListedValuation {
  readonly metric: string
  readonly unit: string
  readonly checks: BlockName['checks']
  readonly set: PriceSet
  readonly days: DaysValued
}

/** The figures and prices of a valuation, and the id of its unit. */
async function openValuation(
  events: EventStore,
  lease: EventLease,
  sql: SqlClient,
  dataVersion: number,
  entities: Int32Array,
  { metric, unit, checks, set, days }: ListedValuation,
): Promise<{ readonly valuation: ScoredValuation; readonly unitId: number }> {
  const blocks = []
  for (const { metric: figure, ...choice } of figuresOf([metric]))
    blocks.push(await lease.open(sql, dataVersion, blockNames(entities, [figure], { ...choice, checks })))
  const { units } = valuationUnits(events.units, set)
  const prices = await readValuationPrices(sql, set, entities, days, units, archiveLimit)
  return {
    valuation: { metric, prices, blocks, interims: [] },
    unitId: unit === 'pure' ? units.pure : units.currency,
  }
}

const archiveLimit = {
  param: 'source.score',
  mend: 'Choose another market, or send rows of your own as panel with score.asOf.',
}

/**
 * The companies of an archive's assets in one market on all days.
 *
 * @param names as in a `FigureRequest`
 */
export async function findListedCompanies(
  sql: SqlClient,
  names: string,
  market: string,
): Promise<Pick<AssetFigures, 'entities' | 'dated'>> {
  const ids = names.split('\n').map(name => (name.endsWith(`:${market}`) ? name.slice(0, -3) : name))
  const listed = [...(await findListed(sql, names, market))]
  const reader = idReader(sql)
  const stated = await reader.datedSymbols(ids)
  const symbols = ids.filter(id => (stated.get(id)?.spells.length ?? 0) > 0)
  if (symbols.length === 0) return { entities: Int32Array.from(listed), dated: [] }
  const today = await findCompanies(sql, symbols)
  const { stretches } = await readStretches({ ...reader, datedSymbols: async () => stated }, symbols, today)
  const dated: DatedName[] = []
  for (const [name, id] of ids.entries()) {
    const ofId = stretches.get(id)
    if (ofId === undefined) continue
    const first = listed.length
    listed[name] = -1
    for (const { company } of ofId) listed.push(company?.market === market ? company.entityId : -1)
    dated.push({
      name,
      starts: Int32Array.from(ofId, ({ from }) => (from === null ? beforeAllDays : dayNumber(from))),
      slots: Int32Array.from(ofId, (_, index) => first + index),
    })
  }
  return { entities: Int32Array.from(listed), dated }
}

export function unitNumber({ units }: Pick<EventStore, 'units'>, name: string): number {
  for (const [number, known] of units) if (known === name) return number
  return -1
}
