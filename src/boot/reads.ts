import type { Config } from '../config.ts'
import { type CompanyDirectory, companyDirectory } from '../features/companies/directory.ts'
import type { Sql } from '../postgres/client.ts'
import { type DataVersionWatch, watchDataVersion } from '../postgres/dataVersion.ts'
import { Replicas } from '../postgres/replicas/replicas.ts'

interface ReadParts {
  readonly config: Pick<Config, 'databaseReadUrls' | 'databaseConnections' | 'statementTimeoutMs'>
  /** The pool of the primary. */
  readonly sql: Sql
  readonly lookups: Sql
  readonly report: (line: string) => void
}

interface OpenReads {
  /** For read-only statements, like the pools of the same names. */
  readonly sql: Sql
  readonly lookups: Sql
  readonly directory: CompanyDirectory
  readonly version: DataVersionWatch
  /** null: the primary answers everything. */
  readonly replicas: Replicas | null
  close(): Promise<void>
}

/** Follows the data version and, if DATABASE_READ_URL names replicas, opens the pools that read from them. */
export async function openReads({ config, sql, lookups, report }: ReadParts): Promise<OpenReads> {
  const { databaseReadUrls: urls, statementTimeoutMs, databaseConnections } = config
  let directory: CompanyDirectory | null = null
  let replicas: Replicas | null = null
  const onChange = () => {
    directory?.forget()
    replicas?.wake()
  }
  const version = await watchDataVersion(sql, onChange, report)
  if (urls.length === 0) {
    directory = companyDirectory(lookups)
    return { sql, lookups, directory, version, replicas, close: () => version.close() }
  }
  const { current: floor, raise: seen, timeline, system } = version
  const opened = new Replicas({ urls, floor, seen, timeline, system, report })
  replicas = opened
  const large = opened.open(sql, {
    connections: databaseConnections,
    statementTimeoutMs,
    applicationName: 'asfiled-reads',
  })
  const small = opened.open(lookups, {
    connections: Math.ceil(databaseConnections / 2),
    statementTimeoutMs,
    indexLookupsOnly: true,
    applicationName: 'asfiled-lookups',
  })
  directory = companyDirectory(small.sql)
  return {
    sql: large.sql,
    lookups: small.sql,
    directory,
    version,
    replicas,
    close: async () => {
      await Promise.all([large.close(), small.close()])
      await opened.close()
      await version.close()
    },
  }
}
