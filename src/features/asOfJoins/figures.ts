import type { EventBlock } from '../../backtest/asOf/events.ts'
import { firstOfBlock } from '../../backtest/asOf/gather.ts'
import type { AsOfPeriod } from '../../backtest/figureScore.ts'
import { Failure } from '../../errors.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { EventLease } from './eventStore.ts'
import type { BlockName } from './queries.ts'

/** Companies as of one data version. */
export interface VersionedCompanies<Company> {
  readonly dataVersion: number
  readonly companies: Company
}

export interface FigureSource<Company> {
  readonly sql: Sql
  /** Each company of the request once. */
  readonly entitiesOf: (companies: Company) => Int32Array
  /** Looks the companies up again in a snapshot. */
  readonly findAgain: (snapshot: SqlClient) => Promise<Company>
  /** Throws if the caller may not see these companies. */
  readonly authorize: (companies: Company) => Promise<void>
}

export interface OpenedFigures<Company> extends VersionedCompanies<Company> {
  readonly entities: Int32Array
  /** For each metric, the blocks that contain the companies. */
  readonly blocks: readonly (readonly EventBlock[])[]
}

const maxAttempts = 8

/**
 * The events of some metrics of companies, at the data version of the companies themselves. Nothing is read
 * before the caller is authorised. If an import commits in between, the companies are looked up again: an old
 * ID must not be paired with new figures.
 */
export async function openFigures<Company>(
  lease: EventLease,
  { sql, entitiesOf, findAgain, authorize }: FigureSource<Company>,
  first: VersionedCompanies<Company>,
  { metrics, fp }: { readonly metrics: readonly string[]; readonly fp: AsOfPeriod },
  signal?: AbortSignal,
): Promise<OpenedFigures<Company>> {
  let found = first
  for (let left = maxAttempts; left > 0; left--) {
    const { dataVersion, companies } = found
    await authorize(companies)
    const entities = entitiesOf(companies)
    const names = blockNames(entities, metrics, fp)
    const inMemory = lease.find(dataVersion, names)
    if (inMemory !== null) return { ...found, entities, blocks: byMetric(inMemory, metrics) }
    signal?.throwIfAborted()
    const read = await withSnapshot(sql, async snapshot => {
      const version = await readDataVersion(snapshot)
      if (version === dataVersion) return lease.open(snapshot, version, names, signal)
      found = { dataVersion: version, companies: await findAgain(snapshot) }
      return null
    })
    if (read !== null) return { ...found, entities, blocks: byMetric(read, metrics) }
  }
  throw new Failure(
    'database_unavailable',
    'The data kept changing while this request was being served. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

/**
 * The names of all blocks needed, by metric and then by company.
 *
 * @param entities -1 for unknown companies
 */
export function blockNames(entities: Int32Array, metrics: readonly string[], fp: AsOfPeriod): BlockName[] {
  const known = entities.filter(entity => entity !== -1)
  const firsts = [...new Set(Array.from(known, firstOfBlock))].sort((a, b) => a - b)
  return metrics.flatMap(metric => firsts.map(firstEntity => ({ metric, fp, firstEntity })))
}

function byMetric(blocks: readonly EventBlock[], metrics: readonly string[]): EventBlock[][] {
  const each = blocks.length / metrics.length
  return metrics.map((_, metric) => blocks.slice(metric * each, (metric + 1) * each))
}
