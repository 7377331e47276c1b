import type { EventBlock } from '../../backtest/asOf/events.ts'
import type { AsOfPeriod } from '../../backtest/figureScore.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import type { EventStore } from './eventStore.ts'
import { blockNames } from './figures.ts'
import { findListed } from './queries.ts'

export interface FigureRequest {
  /**
   * The IDs of an archive's assets in one market, one per line: tickers, or TICKER:MARKET if two markets
   * share one. No register's ID contains a colon.
   */
  readonly names: string
  readonly market: string
  readonly metric: string
  readonly fp: AsOfPeriod
  /** Values in other units are ignored. */
  readonly unit: string
}

/** Everything known about one metric of a dataset's assets. */
export interface AssetFigures {
  /** The company of each asset; -1 if there is none. */
  readonly entities: Int32Array
  /** For each asset the number of its accepted unit; -1 if the database has no unit of that name. */
  readonly units: Int16Array
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
