import { Failure } from '../errors.ts'
import type { Sql } from './database.ts'

const oldestVersion = 150_000

/** Refuses a database that the migrations would stumble over half-way. */
export async function checkServer(sql: Sql): Promise<void> {
  const [server] = await sql<{ version: number; shown: string; encoding: string; trigrams: boolean }[]>`
    select current_setting('server_version_num')::int as version, current_setting('server_version') as shown,
           current_setting('server_encoding') as encoding,
           exists (select 1 from pg_available_extensions where name = 'pg_trgm') as trigrams`
  const faults: string[] = []
  if (server.version < oldestVersion) faults.push(`it is PostgreSQL ${server.shown}; 15 or newer is needed`)
  if (server.encoding !== 'UTF8') {
    faults.push(
      `its encoding is ${server.encoding}; UTF8 is needed (createdb --encoding=UTF8 --template=template0)`,
    )
  }
  if (!server.trigrams) faults.push('its extension pg_trgm is missing (it is in the contrib package)')
  if (faults.length === 0) return
  throw new Failure('database_unavailable', `The database of DATABASE_URL will not do: ${faults.join('; ')}.`)
}
