import { afterAll, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { readMigration, readShipped } from '../../src/postgres/history.ts'
import { readSchema } from '../../src/postgres/schema.ts'
import { blankDatabase } from '../database.ts'

/* What sql/upgrades.json declares of each migration, against what PostgreSQL locks and what the schema loses when it is applied. */

interface Declared {
  readonly stop?: string
  readonly note?: string
  readonly tables?: Readonly<Record<string, readonly string[]>>
}

const declared: Readonly<Record<string, Declared>> = await Bun.file(
  resolve(import.meta.dir, '../../sql/upgrades.json'),
).json()
const shipped = await readShipped()
const database = await blankDatabase()
const connection = await database.sql.reserve()
afterAll(async () => {
  connection.release()
  await database.close()
}, 180_000)

interface Table {
  readonly oid: number
  readonly name: string
  readonly node: number
}

/** Tables by name. A table that is written anew gets another file. */
const readTables = () => connection<Table[]>`
  select c.oid::int, case n.nspname when 'public' then '' else n.nspname || '.' end || relname as name, relfilenode::int as node
  from pg_class c join pg_namespace n on n.oid = relnamespace
  where relkind in ('r', 'p') and nspname !~ '^(pg_|information_schema)'`

const kinds: Readonly<Record<string, readonly string[]>> = {
  RowExclusiveLock: ['rows', 'rewrite'],
  ShareLock: ['index', 'rewrite'],
  ShareRowExclusiveLock: ['lock', 'scan', 'index', 'rows', 'rewrite'],
  AccessExclusiveLock: ['lock', 'scan', 'index', 'rows', 'rewrite'],
}

/** Lines that the schema gains and that demand of older servers what they do not do. A constraint on a column that they do not know
 * holds for what they write. */
function demandsOf(gained: readonly string[], existing: ReadonlySet<string>): readonly string[] {
  const added = gained.map(line => /^column \w+\.(\w+)/.exec(line)?.[1]).filter(name => name !== undefined)
  return gained.filter(line => {
    const constrained = /^constraint (\S+) (.+)/.exec(line)
    if (constrained !== null && added.some(column => constrained[2].includes(column))) return false
    const table =
      constrained?.[1] ??
      /^trigger .+? ON (\S+) /.exec(line)?.[1] ??
      /^column (\w+)\.\S+ (?!.* default ).* not null$/.exec(line)?.[1]
    return table !== undefined && existing.has(table)
  })
}

test('sql/upgrades.json says of every migration what it does to tables in use, and nothing of others', async () => {
  expect(Object.keys(declared)).toEqual(shipped.map(({ name }) => name))
  await connection`create table migration (name text primary key)`
  let locksSeen = 0
  for (const { name } of shipped) {
    const { stop, note, tables = {} } = declared[name]
    const before = await readTables()
    const schemaBefore = await readSchema(connection)
    await connection.unsafe(`begin;\n${await readMigration(name)}`).simple()
    const locks = await connection<{ relation: number; mode: string }[]>`
      select relation::int, mode from pg_locks where pid = pg_backend_pid() and locktype = 'relation'`
    const after = new Map((await readTables()).map(table => [table.oid, table]))
    await connection.unsafe('commit').simple()

    const wrong: string[] = Object.keys(tables).filter(table => !before.some(known => known.name === table))
    for (const { oid, name: table, node } of before) {
      const said = tables[table] ?? []
      if (after.get(oid)?.node !== node && !said.includes('rewrite')) wrong.push(`${table}: rewrite`)
      for (const { mode } of locks.filter(({ relation }) => relation === oid)) {
        const allowed = kinds[mode]
        if (allowed === undefined) continue
        locksSeen += 1
        if (!said.some(kind => allowed.includes(kind))) wrong.push(`${table}: ${mode}`)
      }
    }
    expect([name, wrong]).toEqual([name, []])

    if (stop !== undefined || note !== undefined) continue
    const schemaAfter = await readSchema(connection)
    const lost = schemaBefore.filter(line => !line.startsWith('index ') && !schemaAfter.includes(line))
    const gained = schemaAfter.filter(line => !schemaBefore.includes(line))
    const existing = new Set(before.map(table => table.name))
    expect([name, lost, demandsOf(gained, existing)]).toEqual([name, [], []])
  }
  expect(locksSeen).toBeGreaterThan(50)
}, 180_000)
