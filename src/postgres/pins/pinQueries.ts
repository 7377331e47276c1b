import type { Sql } from '../client.ts'

/** The data versions that can be pinned: `oldest` to `newest`, both included. */
export interface PinRange {
  readonly oldest: number
  readonly newest: number
}

export async function readPinRange(sql: Sql): Promise<PinRange> {
  const [row] = await sql<{ oldest: number; newest: number }[]>`
    select o.version as oldest, d.version::int as newest from oldest_pin o cross join data_version d`
  return row
}

interface PinnedPath {
  /**
   * The schemas in which a pinned connection finds its tables: the views come before the tables themselves.
   */
  readonly searchPath: string
  /** The table with the database's own version, which one of those views hides. */
  readonly versionTable: string
}

export async function pinnedPath(sql: Sql): Promise<PinnedPath> {
  const [row] = await sql<PinnedPath[]>`
    select 'pinned, ' || quote_ident(current_schema()) as "searchPath", current_schema() || '.data_version' as "versionTable"`
  return row
}

/**
 * The tables whose replaced and deleted rows are kept. A migration that adds such a table must add it here,
 * too. One that adds a column to such a table must also add it to `<name>_past` and to the view in the schema
 * `pinned`.
 */
export const versionedTables = [
  'fact',
  'entity',
  'entity_ticker',
  'entity_former_id',
  'entity_other_name',
  'filing',
  'signal',
  'market_coverage',
  'known_moment',
  'fact_interim',
  'symbol_spell',
  'succession',
  'register_entry',
  'register_index',
  'former_name',
  'company_state',
  'whole_filing',
  'announcement',
] as const

/**
 * Reads that began before the oldest version moved have ended by then: statements and streams of a request
 * end within minutes.
 */
const graceMinutes = 10

/**
 * One step towards a history of `keepVersions` data versions: removes up to `maxRows` past rows per table
 * that no version from the oldest on needs or, if none is left, moves the oldest version. Removal starts at
 * least ten minutes after the move, so that a request admitted before it still finds its rows.
 */
export async function shortenHistory(sql: Sql, keepVersions: number, maxRows: number): Promise<void> {
  const [settled] = await sql<{ version: number }[]>`
    select version from oldest_pin where moved_at <= now() - make_interval(mins => ${graceMinutes})`
  if (settled === undefined) return
  let isDone = true
  for (const table of versionedTables) {
    const past = sql(`${table}_past`)
    const { count } = await sql`
      delete from ${past} where ctid = any(array(
        select ctid from ${past} where until_version <= ${settled.version} limit ${maxRows}))`
    if (count === maxRows) isDone = false
  }
  if (!isDone) return
  await sql`
    update oldest_pin o set version = d.version - ${keepVersions}::int, moved_at = now()
    from data_version d
    where d.version - ${keepVersions}::int > o.version`
}
