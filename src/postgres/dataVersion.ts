import type { Sql, SqlClient } from './client.ts'

/** Every server listens on this channel for new data versions. */
const dataChannel = 'asfiled_data'

interface ImportBatch {
  source: string
  entities: number
  factsAdded: number
}

export async function readDataVersion(sql: SqlClient): Promise<number> {
  const [row] = await sql<{ version: string }[]>`select version from data_version`
  return Number(row.version)
}

/**
 * The version to which this transaction's rows belong. It stays valid until the transaction ends, because
 * other imports, of signals for example, wait.
 */
export async function lockNextDataVersion(transaction: SqlClient): Promise<number> {
  const [row] = await transaction<{ version: number }[]>`select next_data_version() as version`
  return row.version
}

/**
 * Whether this transaction has changed a row that readers see, other than by adding facts. Without its own
 * version, the change would appear under a version that others have already read, and no version could pin
 * it.
 */
export async function hasChangedData(transaction: SqlClient): Promise<boolean> {
  const [row] = await transaction<{ changed: boolean }[]>`select data_changed() as changed`
  return row.changed
}

/**
 * Increments the data version. Call it in the transaction that writes the batch, so that readers see both or
 * neither.
 */
export async function advanceDataVersion(transaction: SqlClient, batch: ImportBatch): Promise<number> {
  const [row] = await transaction<{ version: string }[]>`
    update data_version set version = version + 1, changed_at = now() returning version`
  await transaction`
    insert into import_batch (version, source, entities, facts_added)
    values (${row.version}, ${batch.source}, ${batch.entities}, ${batch.factsAdded})`
  await transaction`select pg_notify(${dataChannel}, ${row.version})`
  return Number(row.version)
}

interface History {
  readonly version: number
  /**
   * PostgreSQL's system identifier, created with its files. A replica has that of its primary, and no other
   * database has it.
   */
  readonly system: string
  /** The timeline that this database writes. A promoted replica begins a new one; null for a replica. */
  readonly timeline: string | null
}

export async function readHistory(sql: SqlClient): Promise<History> {
  const [row] = await sql<{ version: string; system: string; timeline: string | null }[]>`
    select version, (select system_identifier::text from pg_control_system()) as system, case when pg_is_in_recovery() then null
      else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline
    from data_version`
  return { ...row, version: Number(row.version) }
}

/**
 * Moves a promoted replica on to a version that no server has seen. It may lack its primary's last versions
 * and must not reuse their numbers for other rows, because caches have them.
 */
async function advancePast(sql: Sql, version: number): Promise<number> {
  return sql.begin(async transaction => {
    await transaction`update data_version set version = greatest(version, ${version})`
    return advanceDataVersion(transaction, { source: 'promotion', entities: 0, factsAdded: 0 })
  })
}

export interface DataVersionWatch {
  /** The latest version this server has seen. */
  current(): number
  /** Reports that the database has this version. */
  raise(version: number): void
  /** The timeline that the primary writes. */
  timeline(): string | null
  /** The database's system identifier (`History`). */
  system(): string
  close(): Promise<void>
}

const pollMs = 5_000

/**
 * Follows the data version by NOTIFY. A lost notification only delays a change by seconds, because the
 * version is also read after each reconnect of the listener and every `pollMs`.
 */
export async function watchDataVersion(
  sql: Sql,
  onChange: (version: number) => void,
  report: (line: string) => void = () => {},
): Promise<DataVersionWatch> {
  let { version, timeline, system } = await readHistory(sql)
  const update = (next: number) => {
    if (next <= version) return
    version = next
    onChange(next)
  }
  const follow = async () => {
    const found = await readHistory(sql)
    system = found.system
    if (found.timeline === null) return
    if (timeline === null || found.timeline === timeline) {
      timeline = found.timeline
      return update(found.version)
    }
    const next = await advancePast(sql, version)
    timeline = found.timeline
    report(
      `The primary is a promoted replica, which was at data version ${found.version}. It goes on as ${next}.`,
    )
    update(next)
  }
  let isFollowing = false
  const refresh = async () => {
    if (isFollowing) return
    isFollowing = true
    await follow().catch(() => {})
    isFollowing = false
  }
  const listener = await sql.listen(dataChannel, payload => update(Number(payload)), refresh)
  const poll = setInterval(refresh, pollMs)
  return {
    current: () => version,
    raise: update,
    timeline: () => timeline,
    system: () => system,
    close: async () => {
      clearInterval(poll)
      await listener.unlisten().catch(() => {})
    },
  }
}
