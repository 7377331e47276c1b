import { Failure } from '../errors.ts'
import type { ReservedSql, Sql } from './client.ts'
import {
  type AppliedMigration,
  findPending,
  type Migration,
  notReleased,
  readMigration,
  readShipped,
  unrecordedState,
  version,
} from './history.ts'
import { readSchema } from './schema.ts'

/** An arbitrary lock number that all servers on one database share. */
const migrationLock = 0x61736669

/**
 * Applies the migrations that this database lacks, each in its own transaction, and records their digests. An
 * advisory lock serialises servers that start together. Throws, before any change, if the database has
 * migrations that are unknown to this version or differ from it. Returns the names of the applied migrations.
 *
 * @param alsoMigrate migrates components with their own schema, under the same lock
 */
export async function migrate(
  sql: Sql,
  alsoMigrate: () => Promise<void> = async () => {},
): Promise<string[]> {
  const shipped = await readShipped()
  const connection = await sql.reserve()
  try {
    await connection`set statement_timeout = 0`
    await connection`select pg_advisory_lock(${migrationLock})`
    const pending = await prepare(connection, shipped)
    for (const migration of pending) await apply(connection, migration)
    await alsoMigrate()
    return pending.map(({ name }) => name)
  } catch (error) {
    await connection
      .unsafe('rollback')
      .simple()
      .catch(() => {})
    throw error
  } finally {
    await connection`select pg_advisory_unlock(${migrationLock})`.catch(() => {})
    await connection`reset statement_timeout`.catch(() => {})
    connection.release()
  }
}

/** Checks the record of migrations and upgrades its format. Returns the migrations still to be applied. */
async function prepare(
  connection: ReservedSql,
  shipped: readonly Migration[],
): Promise<readonly Migration[]> {
  const columns = await connection<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = to_regclass('migration') and attnum > 0 and not attisdropped`
  const names = new Set(columns.map(({ name }) => name))
  if (names.size === 0) {
    await assertNoTables(connection, shipped)
    await connection`
      create table migration (
        name text primary key, applied_at timestamptz not null default now(), digest text, version text)`
    return shipped
  }
  const hasDigests = names.has('digest')
  const applied = await connection<AppliedMigration[]>`
    select name, ${hasDigests ? connection`digest, version` : connection`null as digest, null as version`}
    from migration order by name`
  if (applied.length === 0) await assertNoTables(connection, shipped)
  const unrecorded = applied.some(({ digest }) => digest === null)
  // Runs first: such an old database may have gaps that only reflect its age.
  if (unrecorded) await assertLastUnrecorded(connection, applied, shipped)
  const pending = findPending(applied, shipped, 'This database')
  if (!hasDigests || unrecorded) await record(connection, shipped)
  return pending
}

/** Without a record, every migration would be applied, and the first one would fail over its own tables. */
async function assertNoTables(connection: ReservedSql, shipped: readonly Migration[]): Promise<void> {
  const texts = await Promise.all(shipped.map(({ name }) => readMigration(name)))
  const own = texts.flatMap(text =>
    [...text.matchAll(/^create table (\w+)\b(?!\.)/gim)].map(([, name]) => name),
  )
  const found = await connection<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname in ${connection(own)}
    order by 1`
  if (found.length === 0) return
  const shown = found.slice(0, 3).map(({ name }) => name)
  throw new Failure(
    'conflict',
    `This database has tables of asfiled (${shown.join(', ')}${found.length > 3 ? ' and others' : ''}), but no record of the migrations that made them: the table migration is missing or empty. Restore a backup, or name an empty database with DATA_DIR or DATABASE_URL.`,
  )
}

/** Adds the digests to the record of an older database. */
async function record(connection: ReservedSql, shipped: readonly Migration[]): Promise<void> {
  const updates = shipped.map(
    ({ name, digest }) =>
      `update migration set digest = ${quoted(digest)}, version = ${quoted(version)} where name = ${quoted(name)} and digest is null`,
  )
  const columns =
    'alter table migration add column if not exists digest text, add column if not exists version text'
  await connection.unsafe(['begin', columns, ...updates, 'commit'].join(';\n')).simple()
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/**
 * The files of applied migrations were edited before 0.1.0, so names alone prove nothing: the schema must
 * equal the one that the shipped files produce.
 */
async function assertLastUnrecorded(
  connection: ReservedSql,
  applied: readonly AppliedMigration[],
  shipped: readonly Migration[],
): Promise<void> {
  const names = new Set(applied.map(({ name }) => name))
  const lacking = shipped.filter(({ name }) => name <= unrecordedState.lastMigration && !names.has(name))
  if (lacking.length > 0)
    throw notReleased(
      `it lacks ${lacking[0].name}${lacking.length > 1 ? ` and ${lacking.length - 1} other migrations` : ''}`,
    )
  const expected = (await Bun.file(unrecordedState.schemaFile).text()).trim().split('\n')
  const found = new Set(await readSchema(connection))
  const differences = expected.filter(line => !found.has(line) && !isDroppedByBulkLoad(line))
  if (differences.length > 0) {
    const more = differences.length > 3 ? ` and ${differences.length - 3} more` : ''
    throw notReleased(`its schema has no ${differences.slice(0, 3).join('; no ')}${more}`)
  }
}

/** A bulk load that is running or was killed has dropped these (`ingest/store/bulkIndexes.ts`). */
const isDroppedByBulkLoad = (line: string) =>
  /^index .*INDEX (fact_cross_section|entity_search) ON /.test(line)

async function apply(connection: ReservedSql, { name, digest }: Migration): Promise<void> {
  const values = [name, digest, version].map(quoted).join(', ')
  await connection
    .unsafe(
      `begin;\n${await readMigration(name)}\n;insert into migration (name, digest, version) values (${values});\ncommit`,
    )
    .simple()
}
