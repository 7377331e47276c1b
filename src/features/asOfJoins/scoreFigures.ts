import type { EventBlock } from '../../backtest/asOf/events.ts'
import type { AsOfPeriod } from '../../backtest/figureScore.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import type { EventStore } from './eventStore.ts'
import { blockNames } from './figures.ts'
import { findListed } from './queries.ts'

export interface FigureRequest {
  /** The ids of an archive's assets of one market, one per line: tickers, or TICKER:MARKET if two markets share one. No
   * register's ID contains a colon. */
  readonly names: string
  readonly market: string
  readonly metric: string
  readonly fp: AsOfPeriod
  /** Values in any other unit are ignored. */
  readonly unit: string
}

/** What is known of one metric of the assets of a dataset. */
export interface AssetFigures {
  /** The company of each asset; -1: none. */
  readonly entities: Int32Array
  /** The number of the unit that counts, for each asset; -1: the database has none of that name. */
  readonly units: Int16Array
  readonly blocks: readonly EventBlock[]
}

/** Figures in memory until they are released. */
export interface OpenedFigures extends AssetFigures {
  readonly release: () => void
}

/** The figures of the assets of an archive's market.
 *
 * @param sql of one data version: a snapshot, or a pinned pool */
export async function openListedFigures(
  events: EventStore,
  sql: SqlClient,
  { names, market, metric, fp, unit }: FigureRequest,
): Promise<OpenedFigures> {
  const entities = Int32Array.from(await findListed(sql, names, market))
  const lease = events.lease()
  try {
    const wanted = blockNames(entities, [metric], fp)
    const blocks = await lease.open(sql, await readDataVersion(sql), wanted)
    const units = new Int16Array(entities.length).fill(unitNumber(events, unit))
    return { entities, units, blocks, release: () => lease.release() }
  } catch (error) {
    lease.release()
    throw error
  }
}

export function unitNumber({ units }: Pick<EventStore, 'units'>, name: string): number {
  for (const [number, known] of units) if (known === name) return number
  return -1
}
