import type { SqlClient } from './client.ts'
import type { AppliedMigration } from './history.ts'

/** The migrations of a database as it is, in order; empty where it has no record of any. The record of an older version has neither
 * digests nor versions. */
export async function readApplied(sql: SqlClient): Promise<AppliedMigration[]> {
  const [{ known }] = await sql<{ known: boolean }[]>`select to_regclass('migration') is not null as known`
  if (!known) return []
  const rows = await sql<AppliedMigration[]>`
    select name, to_jsonb(m) ->> 'digest' as digest, to_jsonb(m) ->> 'version' as version
    from migration m order by name`
  return rows.map(({ name, digest, version }) => ({ name, digest, version }))
}
