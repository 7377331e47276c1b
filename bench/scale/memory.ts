import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../../src/postgres/client.ts'
import type { Context } from './context.ts'

const dropFile = '/proc/sys/vm/drop_caches'
const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(2)} GB`

/** Compares the size of the data with the machine's memory, and says how much of the data is cached. */
export async function describeMemory({ env, isEmbedded }: Context, sql: Sql): Promise<string> {
  const tables = ['fact', 'fact_repeat', 'filing', 'entity', 'entity_ticker']
  const relations = await sql<{ path: string; bytes: number; isFact: boolean }[]>`
    select pg_relation_filepath(r) as path, pg_relation_size(r)::float8 as bytes, t = 'fact'::regclass as "isFact"
    from (select unnest(${tables}::text[])::regclass as t) tables, lateral (
      select t as r union all select indexrelid::regclass from pg_index where indrelid = t) relations`
  const [{ buffers, whole }] = await sql<{ buffers: number; whole: number }[]>`
    select pg_size_bytes(current_setting('shared_buffers'))::float8 as buffers,
           pg_database_size(current_database())::float8 as whole`
  const sum = (rows: readonly { bytes: number }[]) => rows.reduce((all, { bytes }) => all + bytes, 0)
  const facts = relations.filter(({ isFact }) => isFact)
  const meminfo = existsSync('/proc/meminfo') ? readFileSync('/proc/meminfo', 'utf8') : ''
  const memory = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(meminfo)?.[1] ?? Number.NaN) * 1_024
  const cached = (rows: readonly { path: string; bytes: number }[]) => {
    const bytes = isEmbedded ? inPageCache(env.DATA_DIR ?? '.data', rows) : null
    return bytes === null ? '' : `, ${gigabytes(bytes)} of them in the page cache now`
  }
  return [
    `shared_buffers ${gigabytes(buffers)}`,
    `memory ${gigabytes(memory('MemTotal'))}, of which the page cache uses ${gigabytes(memory('Cached'))} and can use ${gigabytes(memory('MemAvailable'))}`,
    `fact with its indexes ${gigabytes(sum(facts))}${cached(facts)}`,
    `all tables of companies with theirs ${gigabytes(sum(relations))}${cached(relations)}`,
    `the database ${gigabytes(whole)}`,
  ].join('; ')
}

/** Bytes of these relations in the page cache; null: not available on this system. */
function inPageCache(dataDir: string, relations: readonly { path: string; bytes: number }[]): number | null {
  if (Bun.which('fincore') === null) return null
  const cluster = join(dataDir, 'database/cluster')
  // PostgreSQL splits a relation into files of one gigabyte.
  const files = relations.flatMap(({ path, bytes }) =>
    Array.from({ length: Math.max(1, Math.ceil(bytes / 2 ** 30)) }, (_, part) =>
      join(cluster, part === 0 ? path : `${path}.${part}`),
    ),
  )
  const found = Bun.spawnSync(['fincore', '--bytes', '--noheadings', '--output', 'RES', ...files])
  const lines = found.stdout.toString().trim().split('\n')
  if (found.exitCode !== 0 || lines.length !== files.length) return null
  return lines.reduce((sum, line) => sum + Number(line), 0)
}

/** Throws before the measurement if --drop-caches is not possible. */
export function assertCanDropCaches(): void {
  if (process.getuid?.() !== 0 || !existsSync(dropFile))
    throw new Error(`--drop-caches writes to ${dropFile}, which requires root on Linux. Run without it.`)
}

/** Empties the page cache of the whole machine. */
export function dropCaches(): void {
  if (Bun.spawnSync(['sync']).exitCode !== 0) throw new Error('sync failed')
  writeFileSync(dropFile, '3\n')
}
