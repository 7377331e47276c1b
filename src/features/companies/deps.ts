import type { IsoDate } from '../../dates.ts'
import type { CursorSigner } from '../../http/cursor.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import type { Markets } from '../../markets/markets.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'
import type { DataVersionWatch } from '../../postgres/dataVersion.ts'
import type { ReadLimiter } from '../../postgres/readLimiter.ts'
import type { Terms } from '../../wholeFilings/terms.ts'
import type { CompanyDirectory } from './directory.ts'

/** Dependencies of reads of companies' figures. */
export interface CompanyDeps {
  readonly sql: Sql
  /**
   * For statements on single companies: planned once per connection and never as a scan (`indexLookupsOnly`).
   */
  readonly lookups: Sql
  readonly markets: Markets
  readonly today: () => IsoDate
  readonly cursors: CursorSigner
  /** Texts of whole filings. Shared by all requests of a process. */
  readonly terms: Terms
  /** Caches companies between requests; without it each request queries the database. */
  readonly directory?: CompanyDirectory
}

/** Dependencies that replace a route's own when it responds for an earlier data version. */
export interface PinnedStore {
  readonly sql: Sql
  readonly lookups: Sql
  readonly directory: CompanyDirectory
  readonly readLimiter: ReadLimiter
  readonly dataVersion: DataVersionWatch['current']
  /**
   * A separate cache, because the server's own may contain responses that belong to a version that this
   * server has not heard of yet, but are stored under the previous version.
   */
  readonly responses: ResponseCache
}

/**
 * For responses that take several statements: one snapshot connection, so that all of them see the same data.
 */
export interface SnapshotDeps extends Pick<CompanyDeps, 'markets' | 'today'> {
  readonly sql: SqlClient
}
