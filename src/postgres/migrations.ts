import { readdir } from 'node:fs/promises'
import type { Sql } from './client.ts'

const migrationsFolder = new URL('../../sql/migrations/', import.meta.url)
/** An arbitrary number that all servers on one database share. */
const migrationLock = 0x61736669

/** Applies the migrations that this database lacks, each in its own transaction. An advisory lock makes servers that start
 * together wait for each other. Returns the names of the applied migrations. */
export async function migrate(sql: Sql): Promise<string[]> {
  const files = (await readdir(migrationsFolder)).filter(name => /^\d{4}_\w+\.sql$/.test(name)).sort()
  const connection = await sql.reserve()
  const applied: string[] = []
  try {
    await connection`set statement_timeout = 0`
    await connection`select pg_advisory_lock(${migrationLock})`
    await connection`
      create table if not exists migration (name text primary key, applied_at timestamptz not null default now())`
    const seen = new Set(
      (await connection<{ name: string }[]>`select name from migration`).map(row => row.name),
    )
    for (const name of files) {
      if (seen.has(name)) continue
      const text = await Bun.file(new URL(name, migrationsFolder)).text()
      const escaped = name.replaceAll("'", "''")
      await connection
        .unsafe(`begin;\n${text}\n;insert into migration (name) values ('${escaped}');\ncommit`)
        .simple()
      applied.push(name)
    }
  } catch (error) {
    await connection.unsafe('rollback').simple()
    throw error
  } finally {
    await connection`select pg_advisory_unlock(${migrationLock})`.catch(() => {})
    await connection`reset statement_timeout`.catch(() => {})
    connection.release()
  }
  return applied
}
