import type { Config } from '../config.ts'
import type { PinnedStore } from '../features/companies/deps.ts'
import { companyDirectory } from '../features/companies/directory.ts'
import { ResponseCache } from '../http/responseCache.ts'
import { connect, type Sql } from '../postgres/client.ts'
import { PinnedPools } from '../postgres/pins/pinnedPools.ts'
import { pinnedPath, readPinRange } from '../postgres/pins/pinQueries.ts'
import { ReadLimiter } from '../postgres/readLimiter.ts'
import type { ReplicaPoolOptions } from '../postgres/replicas/replica.ts'
import type { Replicas } from '../postgres/replicas/replicas.ts'

/** Per version: two connections for large reads, one of which is never used by streams, and two for single
 * companies. */
const connections = 2
const directoryCapacity = 5_000
const maxCachedBytes = 16 * 1_024 * 1_024

/** The connection pools of a store. */
export const poolsOf = ({ sql, lookups }: PinnedStore): readonly Sql[] => [sql, lookups]

interface PinParts {
  readonly config: Pick<Config, 'statementTimeoutMs'>
  readonly url: string
  /** The admission connections, which never wait behind requests. */
  readonly sql: Sql
  readonly elapsedMs: () => number
  /** null: the primary answers everything. */
  readonly replicas?: Replicas | null
}

/** Opens the stores of pinned data versions, each with its own connections. */
export function openPins({
  config,
  url,
  sql,
  elapsedMs,
  replicas = null,
}: PinParts): PinnedPools<PinnedStore> {
  const { statementTimeoutMs } = config
  return new PinnedPools({
    readRange: () => readPinRange(sql),
    elapsedMs,
    open: async version => {
      const { searchPath, versionTable } = await pinnedPath(sql)
      const options = {
        connections,
        statementTimeoutMs,
        applicationName: `asfiled-pin-${version}`,
        pin: { version, searchPath },
      }
      const open = (own: ReplicaPoolOptions) => {
        const primary = connect({ ...own, url })
        const reads = replicas?.openPinned(primary, own, version, versionTable)
        return {
          sql: reads?.sql ?? primary,
          close: () => Promise.all([reads?.close(), primary.end({ timeout: 5 })]),
        }
      }
      const pool = open(options)
      const lookups = open({ ...options, indexLookupsOnly: true })
      return {
        store: {
          sql: pool.sql,
          lookups: lookups.sql,
          dataVersion: () => version,
          directory: companyDirectory(lookups.sql, directoryCapacity),
          readLimiter: new ReadLimiter(connections - 1),
          responses: new ResponseCache({ maxBytes: maxCachedBytes }),
        },
        close: async () => {
          await Promise.all([pool.close(), lookups.close()])
        },
      }
    },
  })
}
