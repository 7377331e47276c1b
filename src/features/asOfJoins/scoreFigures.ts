import { beforeAllDays, type DatedName } from '../../backtest/asOf/datedNames.ts'
import type { EventBlock } from '../../backtest/asOf/figureEvents.ts'
import type { AsOfPeriod } from '../../backtest/figureScore.ts'
import type { VintageChoice } from '../../backtest/requestCompare.ts'
import { dayNumber } from '../../dates.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { findCompanies } from '../companies/queries.ts'
import { idReader, readStretches } from '../companies/symbols.ts'
import type { EventStore } from './eventStore.ts'
import { blockNames } from './figures.ts'
import { type BlockName, blockKind, findListed } from './queries.ts'

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
  { names, market, metric, fp, checks, unit, vintages = 'as_known' }: FigureRequest,
): Promise<OpenedFigures> {
  const { entities, dated } = await findListedCompanies(sql, names, market)
  const lease = events.lease()
  try {
    const wanted = blockNames(entities, [metric], { fp, checks, kind: blockKind(vintages) })
    const blocks = await lease.open(sql, await readDataVersion(sql), wanted)
    const units = new Int16Array(entities.length).fill(unitNumber(events, unit))
    return { entities, units, dated, blocks, release: () => lease.release() }
  } catch (error) {
    lease.release()
    throw error
  }
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
