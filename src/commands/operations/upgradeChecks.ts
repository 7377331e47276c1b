import type { DiskState, SchemaState } from './readStatus.ts'
import type { BackupState, ProcessState, ServerState } from './statusQueries.ts'
import { size } from './statusScreen.ts'
import type { LongTransaction, TableSize } from './upgradeQueries.ts'

/** What a migration does to a database in use. */
export interface MigrationEffects {
  readonly why: string
  /** What its author says of the upgrade; null: nothing. */
  readonly note: string | null
  /** Existing tables, each with what is done to it. */
  readonly touched: readonly TableEffect[]
  /** Why servers of the version before must not run afterwards; null: they may. */
  readonly breaks: string | null
}

export interface TableEffect {
  /** With its schema if that is not `public`. */
  readonly table: string
  /** `lock`: for a moment. `scan`: every row is read while writes wait. `index`: writes wait while it is built. `rows`: rows are
   * written. `rewrite`: the table is written anew while readers wait. */
  readonly kind: 'lock' | 'scan' | 'index' | 'rows' | 'rewrite'
}

/** A migration that is still to be applied, with what it would do here. */
export interface PendingMigration extends MigrationEffects {
  readonly name: string
  readonly sizes: readonly TableSize[]
}

export interface UpgradeFacts {
  readonly version: string
  readonly schema: SchemaState
  readonly pending: readonly PendingMigration[]
  /** null: it could not be read. */
  readonly alive: readonly ProcessState[] | null
  readonly backup: BackupState | null | undefined
  readonly disk: DiskState | null
  readonly server: ServerState | null
  readonly longest: LongTransaction | null
}

/** `ok` null: it cannot be known from here. */
export interface UpgradeCheck {
  readonly about: 'schema' | 'backup' | 'servers' | 'locks' | 'disk'
  readonly ok: boolean | null
  readonly message: string
}

const maxBackupSeconds = 86_400
const maxTransactionSeconds = 60
const longBytes = 1e9
const longRows = 5e6
/** `max_wal_size` of the embedded database. */
const logBytes = 2 * 2 ** 30
const minFreeBytes = 2 ** 28
/** Of a table with its indexes, what one more index may take. */
const indexShare = 0.5

const sizeOf = ({ sizes }: PendingMigration, table: string) =>
  sizes.find(entry => entry.table === table) ?? { table, rows: 0, bytes: 0 }

/** Whether an effect is more than a moment: it grows with the table, and the table is large. */
export function takesLong(migration: PendingMigration): boolean {
  return migration.touched.some(({ table, kind }) => {
    const { rows, bytes } = sizeOf(migration, table)
    return kind !== 'lock' && (bytes > longBytes || rows > longRows)
  })
}

const inWords = {
  lock: 'a lock for a moment',
  scan: 'every row is read, and writes wait',
  index: 'an index is built, and writes wait',
  rows: 'rows are written',
  rewrite: 'it is written anew, and readers wait',
} as const

/** What happens to each table, in words. */
export function effectsInWords(migration: PendingMigration): readonly string[] {
  const shown = migration.touched.filter(({ table }) => migration.sizes.some(entry => entry.table === table))
  if (shown.length === 0) return ['adds to the schema; no table in use is locked']
  return shown.map(({ table, kind }) => {
    const { rows, bytes } = sizeOf(migration, table)
    return `${table} (${Math.round(rows).toLocaleString('en-US')} rows, ${size(bytes)}): ${inWords[kind]}`
  })
}

export function checkUpgrade(facts: UpgradeFacts): readonly UpgradeCheck[] {
  const { schema, pending } = facts
  if (schema.refusal !== null) return [{ about: 'schema', ok: false, message: schema.refusal }]
  if (pending.length === 0)
    return [
      {
        about: 'schema',
        ok: true,
        message: 'No migration is pending: servers may be restarted one after the other.',
      },
    ]
  return [checkBackup(facts), checkServers(facts), checkLocks(facts), checkDisk(facts)]
}

function checkBackup({ backup, schema }: UpgradeFacts): UpgradeCheck {
  if (schema.number === 0) return { about: 'backup', ok: true, message: 'The database is empty.' }
  const mend =
    'There is no way back but a backup: ./asfiled backup FILE, or ./asfiled backup --record FILE for one of another tool.'
  if (backup === undefined)
    return {
      about: 'backup',
      ok: null,
      message: `This database does not record backups yet. Make one before the upgrade. ${mend}`,
    }
  if (backup === null) return { about: 'backup', ok: false, message: `No backup is on record. ${mend}` }
  const hours = Math.floor(backup.ageSeconds / 3_600)
  const isRecent = backup.ageSeconds <= maxBackupSeconds
  return {
    about: 'backup',
    ok: isRecent,
    message: `The last backup is ${hours} hours old (${backup.file}).${isRecent ? '' : ` ${mend}`}`,
  }
}

function checkServers({ alive, pending, schema, version }: UpgradeFacts): UpgradeCheck {
  if (schema.number === 0) return { about: 'servers', ok: true, message: 'The database is empty.' }
  if (alive === null)
    return {
      about: 'servers',
      ok: null,
      message:
        'Which servers and workers are running could not be read. Look yourself, and stop them all before the first new one starts.',
    }
  const older = alive.filter(process => process.version !== version)
  if (alive.length === 0) return { about: 'servers', ok: true, message: 'No server or worker is running.' }
  const who = `${alive.length} ${alive.length === 1 ? 'process is' : 'processes are'} running (${older.length} of another version)`
  const breaking = pending.filter(migration => migration.breaks !== null)
  if (breaking.length === 0)
    return {
      about: 'servers',
      ok: true,
      message: `${who}. Every pending migration only adds, so they may go on while servers are replaced one after the other.`,
    }
  const [first] = breaking
  return {
    about: 'servers',
    ok: false,
    message: `${who}. Stop them all before the first new one starts: ${first.name} ${first.breaks}${breaking.length > 1 ? `, and ${breaking.length - 1} more migrations change what they use` : ''}.`,
  }
}

function checkLocks({ longest, pending }: UpgradeFacts): UpgradeCheck {
  const long = pending.filter(takesLong)
  const duration =
    long.length === 0
      ? 'Each pending migration takes a moment.'
      : `${long.map(({ name }) => name).join(', ')} may take minutes or longer, at this size of the database.`
  if (longest !== null && longest.seconds > maxTransactionSeconds)
    return {
      about: 'locks',
      ok: false,
      message: `${duration} A transaction has been open for ${Math.floor(longest.seconds)} s (process ${longest.pid}, ${longest.application || 'unnamed'}): a migration waits for it, and everything waits behind that. End it first.`,
    }
  return { about: 'locks', ok: true, message: duration }
}

/** Old and new rows lie next to each other until the migration is committed and the table was vacuumed. */
export function neededBytes(pending: readonly PendingMigration[]): number {
  let sum = minFreeBytes
  for (const migration of pending)
    for (const { table, kind } of migration.touched) {
      const { bytes } = sizeOf(migration, table)
      if (kind === 'rows' || kind === 'rewrite') sum += bytes
      if (kind === 'index') sum += indexShare * bytes
    }
  return sum + (sum > logBytes ? logBytes : 0)
}

function checkDisk({ disk, pending }: UpgradeFacts): UpgradeCheck {
  const needed = neededBytes(pending)
  if (disk === null)
    return {
      about: 'disk',
      ok: null,
      message: `The upgrade may take up to ${size(needed)} for a while. The disk of DATABASE_URL cannot be seen from here: look there.`,
    }
  const isEnough = disk.freeBytes >= needed
  return {
    about: 'disk',
    ok: isEnough,
    message: `${size(disk.freeBytes)} are free, and the upgrade may take up to ${size(needed)} for a while.${isEnough ? '' : ' Make room first.'}`,
  }
}
