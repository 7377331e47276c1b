import type { EventBlock } from '../../backtest/asOf/events.ts'
import { firstOfBlock } from '../../backtest/asOf/gather.ts'
import type { AsOfPeriod } from '../../backtest/figureScore.ts'
import { Failure } from '../../errors.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { EventLease } from './eventStore.ts'
import type { BlockName } from './queries.ts'

/** Companies as they are known in one data version. */
export interface VersionedCompanies<Company> {
  readonly dataVersion: number
  readonly companies: Company
}

export interface FigureSource<Company> {
  readonly sql: Sql
  /** Each company of the request once. */
  readonly entitiesOf: (companies: Company) => Int32Array
  /** Finds the companies again, as a snapshot has them. */
  readonly findAgain: (snapshot: SqlClient) => Promise<Company>
  /** Fails where these companies may not be shown. */
  readonly authorize: (companies: Company) => Promise<void>
}

export interface OpenedFigures<Company> extends VersionedCompanies<Company> {
  readonly entities: Int32Array
  /** For each metric the blocks that have the companies. */
  readonly blocks: readonly (readonly EventBlock[])[]
}

const maxAttempts = 8

/** The events of some metrics of companies, of one data version with the companies themselves. Nothing is read before the caller may
 * see it. If an import commits in between, the companies are found again: an old ID must not come with new figures. */
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
    'The data changed again and again while this request was read. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

/** By metric, and the blocks of one metric by their companies.
 *
 * @param entities -1 for none */
export function blockNames(entities: Int32Array, metrics: readonly string[], fp: AsOfPeriod): BlockName[] {
  const known = entities.filter(entity => entity !== -1)
  const firsts = [...new Set(Array.from(known, firstOfBlock))].sort((a, b) => a - b)
  return metrics.flatMap(metric => firsts.map(firstEntity => ({ metric, fp, firstEntity })))
}

function byMetric(blocks: readonly EventBlock[], metrics: readonly string[]): EventBlock[][] {
  const each = blocks.length / metrics.length
  return metrics.map((_, metric) => blocks.slice(metric * each, (metric + 1) * each))
}
