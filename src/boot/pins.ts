import type { Config } from '../config.ts'
import type { PinnedStore } from '../features/companies/deps.ts'
import { companyDirectory } from '../features/companies/queries.ts'
import { ResponseCache } from '../http/responseCache.ts'
import { connect, type Sql } from '../postgres/client.ts'
import { PinnedPools } from '../postgres/pins/pinnedPools.ts'
import { pinnedSearchPath, readPinRange } from '../postgres/pins/pinQueries.ts'
import { ReadLimiter } from '../postgres/readLimiter.ts'

/** Of each version: two for large reads, of which one stays free of streams, and two for single companies. */
const connections = 2
const directoryCapacity = 5_000
const maxCachedBytes = 16 * 1_024 * 1_024

/** The connections of a store. */
export const poolsOf = ({ sql, lookups }: PinnedStore): readonly Sql[] => [sql, lookups]

interface PinParts {
  readonly config: Pick<Config, 'statementTimeoutMs'>
  readonly url: string
  /** Connections that are free whatever requests wait for: requests are let in by them. */
  readonly sql: Sql
  readonly elapsedMs: () => number
}

/** Opens the stores of pinned data versions, each on connections of its own. */
export function openPins({ config, url, sql, elapsedMs }: PinParts): PinnedPools<PinnedStore> {
  const { statementTimeoutMs } = config
  return new PinnedPools({
    readRange: () => readPinRange(sql),
    elapsedMs,
    open: async version => {
      const pin = { version, searchPath: await pinnedSearchPath(sql) }
      const applicationName = `asfiled-pin-${version}`
      const options = { url, connections, statementTimeoutMs, applicationName, pin }
      const pool = connect(options)
      const lookups = connect({ ...options, indexLookupsOnly: true })
      return {
        store: {
          ...{ sql: pool, lookups, dataVersion: () => version },
          directory: companyDirectory(lookups, directoryCapacity),
          readLimiter: new ReadLimiter(connections - 1),
          responses: new ResponseCache(maxCachedBytes),
        },
        close: async () => {
          await Promise.all([pool.end({ timeout: 5 }), lookups.end({ timeout: 5 })])
        },
      }
    },
  })
}
