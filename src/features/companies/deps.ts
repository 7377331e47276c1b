import type { IsoDate } from '../../dates.ts'
import type { CursorSigner } from '../../http/cursor.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import type { Markets } from '../../markets/markets.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'
import type { DataVersionWatch } from '../../postgres/dataVersion.ts'
import type { ReadLimiter } from '../../postgres/readLimiter.ts'
import type { CompanyDirectory } from './queries.ts'

/** What reads of companies' figures need. */
export interface CompanyDeps {
  readonly sql: Sql
  /** For statements on single companies: planned once per connection, and never as a scan (`indexLookupsOnly`). */
  readonly lookups: Sql
  readonly markets: Markets
  readonly today: () => IsoDate
  readonly cursors: CursorSigner
  /** IDs that demo and free keys see in full, in upper case. */
  readonly flagship: ReadonlySet<string>
  /** Remembers companies between requests; without it each request queries the database. */
  readonly directory?: CompanyDirectory
}

/** What replaces the dependencies of a route that answers for an earlier data version. */
export interface PinnedStore {
  readonly sql: Sql
  readonly lookups: Sql
  readonly directory: CompanyDirectory
  readonly readLimiter: ReadLimiter
  readonly dataVersion: DataVersionWatch['current']
  /** Its own: the present answers of a server may be of a version that it has not yet heard of, and are remembered under the one before. */
  readonly responses: ResponseCache
}

/** For answers from several statements: the connection of a snapshot, so that all see the same data. */
export interface SnapshotDeps extends Pick<CompanyDeps, 'markets' | 'today'> {
  readonly sql: SqlClient
}
