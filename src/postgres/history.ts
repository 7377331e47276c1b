import { resolve } from 'node:path'
import packageFile from '../../package.json' with { type: 'json' }
import { Failure } from '../errors.ts'
import type { SqlClient } from './client.ts'

/** A migration as shipped with this version. */
export interface Migration {
  readonly name: string
  /** SHA-256 of its file, in hexadecimal. */
  readonly digest: string
}

/** A migration as recorded in a database or a backup. */
export interface AppliedMigration {
  readonly name: string
  /** Null if it was applied by a version that did not record digests. */
  readonly digest: string | null
  /** The version of asfiled that applied it. */
  readonly version: string | null
}

const sqlFolder = resolve(import.meta.dir, '../../sql')
export const version = packageFile.version

const fileOf = (name: string, folder: string) => Bun.file(resolve(folder, 'migrations', name))

/**
 * The migrations applied to a database, in order; empty if it has no record of them. The record of an older
 * version has neither digests nor versions.
 */
export async function readApplied(sql: SqlClient): Promise<AppliedMigration[]> {
  const [{ known }] = await sql<{ known: boolean }[]>`select to_regclass('migration') is not null as known`
  if (!known) return []
  const rows = await sql<AppliedMigration[]>`
    select name, to_jsonb(m) ->> 'digest' as digest, to_jsonb(m) ->> 'version' as version
    from migration m order by name`
  return rows.map(({ name, digest, version }) => ({ name, digest, version }))
}

/** The shipped migrations in order. Throws if a file differs from the one that was shipped. */
export async function readShipped(folder: string = sqlFolder): Promise<Migration[]> {
  const lines = (await Bun.file(resolve(folder, 'migrations.sha256')).text()).trim().split('\n')
  const shipped = lines.map(line => ({ digest: line.slice(0, 64), name: line.slice(66) }))
  for (const { name, digest } of shipped) {
    const file = fileOf(name, folder)
    const bytes = (await file.exists()) ? await file.bytes() : null
    const found = bytes === null ? 'missing' : digestOf(bytes) === digest ? null : 'altered'
    if (found !== null)
      throw new Failure(
        'conflict',
        `This installation of asfiled ${version} is damaged: sql/migrations/${name} is ${found}. Install it again.`,
      )
  }
  return shipped
}

const digestOf = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

export const readMigration = (name: string) => fileOf(name, sqlFolder).text()

/**
 * The newest schema that databases without recorded digests may have: its last migration, and the file that
 * lists what its migrations produce.
 */
export const unrecordedState = {
  lastMigration: '0016_plain_names.sql',
  schemaFile: resolve(sqlFolder, 'schema-0.1.0.txt'),
} as const

/**
 * Throws unless this version can continue from `applied`. Returns the migrations still to be applied.
 *
 * @param where what the migrations were applied to, as the subject of a sentence
 */
export function findPending(
  applied: readonly AppliedMigration[],
  shipped: readonly Migration[],
  where: string,
): readonly Migration[] {
  const known = new Map(shipped.map(migration => [migration.name, migration]))
  const newer = applied.filter(({ name }) => !known.has(name))
  if (newer.length > 0) throw madeByNewer(newer, where)
  const changed = applied.find(({ name, digest }) => digest !== null && digest !== known.get(name)?.digest)
  if (changed !== undefined)
    throw new Failure(
      'conflict',
      `${where} was migrated with a different ${changed.name} than that of asfiled ${version}, so its schema may differ, too. It was made by an unreleased build${changed.version ? ` of asfiled ${changed.version}` : ''}. Open it with that build, or import the data into an empty database.`,
    )
  const names = new Set(applied.map(({ name }) => name))
  const pending = shipped.filter(({ name }) => !names.has(name))
  const lastApplied = shipped.findLast(({ name }) => names.has(name))
  const gap = pending.find(({ name }) => lastApplied !== undefined && name < lastApplied.name)
  if (gap !== undefined)
    throw new Failure(
      'conflict',
      `${where} has ${lastApplied?.name} but not ${gap.name}, which comes before it. Its record of migrations was altered, or an unreleased build made it. Restore a backup, or import the data into an empty database.`,
    )
  return pending
}

function madeByNewer(newer: readonly AppliedMigration[], where: string): Failure {
  const maker = newer.findLast(migration => migration.version !== null)?.version
  const names = newer.map(({ name }) => name).join(', ')
  return new Failure(
    'conflict',
    `${where} comes from a newer asfiled${maker ? ` (${maker})` : ''}: it has ${names}, which asfiled ${version} does not know. Start asfiled ${maker ?? 'of that version'} or newer, or restore a backup from before the upgrade.`,
  )
}

/**
 * The failure for a database without recorded digests whose schema is not `unrecordedState`.
 *
 * @param difference what it lacks, in words
 */
export function notReleased(difference: string): Failure {
  return new Failure(
    'conflict',
    `This database was made by a development version before asfiled 0.1.0 and cannot be upgraded: ${difference}. Name an empty one with DATA_DIR or DATABASE_URL, and import the data and create the keys there.`,
  )
}
