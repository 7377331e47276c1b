import { LRUCache } from 'lru-cache'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { EventStore } from '../asOfJoins/eventStore.ts'
import {
  type FigureRequest,
  findListedCompanies,
  type OpenedFigures,
  openListedFigures,
} from '../asOfJoins/scoreFigures.ts'
import { ArchiveCache, type ArchiveDeps } from './archive.ts'
import { ScoreCache } from './scoreCache.ts'

/** The database at one data version, until released. */
interface OpenPin {
  readonly store: { readonly sql: Sql }
  release(): void
}

/** Opens earlier data versions. */
export interface ArchivePins {
  open(version: number, signal?: AbortSignal): Promise<OpenPin>
  /** Fails, naming the allowed versions, if the version is no longer remembered. */
  requireKnown(version: number): Promise<void>
}

interface PinnedArchiveDeps {
  readonly pool: ComputePool
  readonly pins: ArchivePins
  readonly events: EventStore
  /** As in `ArchiveDeps`, reading from the given pool. */
  readonly loadArchive: (
    sql: Sql,
    ...request: Parameters<ArchiveDeps['loadArchive']>
  ) => ReturnType<ArchiveDeps['loadArchive']>
  readonly listHorizons: (sql: Sql) => ReturnType<ArchiveDeps['listHorizons']>
}

/** The archive of one data version, unranked and ranked by metrics. */
export interface PinnedArchive {
  readonly archive: ArchiveCache
  readonly scores: ScoreCache
}

/** Each may have a dataset per horizon and market in memory. */
const maxVersions = 2

/**
 * The archives of the most recently used pinned data versions, in shared memory. Backtests that use a dropped
 * archive still finish on it. Connections are used only while rows are loaded.
 */
export class PinnedArchives {
  readonly #deps: PinnedArchiveDeps
  readonly #archives = new LRUCache<number, PinnedArchive>({ max: maxVersions })

  constructor(deps: PinnedArchiveDeps) {
    this.#deps = deps
  }

  /**
   * Fails for a version that is no longer remembered, even if its rows are in memory: access must not depend
   * on what others have read.
   */
  async get(version: number): Promise<PinnedArchive> {
    await this.#deps.pins.requireKnown(version)
    const known = this.#archives.get(version)
    if (known !== undefined) return known
    const made = this.#make(version)
    this.#archives.set(version, made)
    return made
  }

  #make(version: number): PinnedArchive {
    const { pool, pins, events, loadArchive, listHorizons } = this.#deps
    const archive = new ArchiveCache({
      pool,
      dataVersion: () => version,
      loadArchive: (...request) => streamAt(pins, version, sql => loadArchive(sql, ...request)),
      listHorizons: () => useAt(pins, version, listHorizons),
    })
    const scores = new ScoreCache({
      pool,
      archive,
      openFigures: wanted => useAt(pins, version, sql => openListedFigures(events, sql, wanted)),
      findListed: (names, market) => useAt(pins, version, sql => listCompanies(sql, names, market)),
    })
    return { archive, scores }
  }
}

interface VersionedReads {
  readonly sql: Sql
  readonly pins: ArchivePins
}

/**
 * The values that rank an archive, of exactly the data version of its rows even if an import came in between.
 */
export const openFiguresAt = (
  { events, ...reads }: VersionedReads & { readonly events: EventStore },
  wanted: FigureRequest,
  dataVersion: number,
): Promise<OpenedFigures> => readAt(reads, dataVersion, sql => openListedFigures(events, sql, wanted))

/** The companies of an archive's assets at the same data version as its rows. */
export const findListedAt = (
  reads: VersionedReads,
  names: string,
  market: string,
  dataVersion: number,
): Promise<readonly number[]> => readAt(reads, dataVersion, sql => listCompanies(sql, names, market))

const listCompanies = async (sql: SqlClient, names: string, market: string): Promise<readonly number[]> => [
  ...(await findListedCompanies(sql, names, market)).entities,
]

async function readAt<T>(
  { sql, pins }: VersionedReads,
  dataVersion: number,
  read: (sql: SqlClient) => Promise<T>,
): Promise<T> {
  const current = await withSnapshot(sql, async connection =>
    (await readDataVersion(connection)) === dataVersion ? { value: await read(connection) } : null,
  )
  return current === null ? useAt(pins, dataVersion, read) : current.value
}

async function useAt<T>(pins: ArchivePins, version: number, work: (sql: Sql) => Promise<T>): Promise<T> {
  const pin = await pins.open(version)
  try {
    return await work(pin.store.sql)
  } finally {
    pin.release()
  }
}

async function* streamAt<T>(pins: ArchivePins, version: number, open: (sql: Sql) => AsyncIterable<T>) {
  const pin = await pins.open(version)
  try {
    yield* open(pin.store.sql)
  } finally {
    pin.release()
  }
}
