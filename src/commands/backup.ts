import { resolve } from 'node:path'
import type { Command } from 'commander'
import { openUntouched } from '../boot/untouchedDatabase.ts'
import type { Config } from '../config.ts'
import { Failure } from '../errors.ts'
import { describeFailure } from '../ingest/sync/outcome.ts'
import { connect } from '../postgres/client.ts'
import { writeBackup } from '../postgres/embedded/backup/write.ts'
import { type EmbeddedCluster, openCluster } from '../postgres/embedded/cluster.ts'
import { hasCluster } from '../postgres/embedded/folder.ts'
import { withoutPassword } from '../postgres/errors.ts'
import { countDamagedRelations } from '../postgres/integrity/damageQueries.ts'
import { abortOnSignal, type CliContext, exitCodes } from './context.ts'
import { type OperatorRun, recordRun } from './operations/runQueries.ts'
import { type Progress, printLine, startProgress } from './output.ts'

const help = `Servers, imports and backtests keep running. The backup holds the database as it is when the command ends. FILE is a
tar archive compressed with zstd. It appears under its name once it is complete and on disk; an interrupted backup
leaves FILE.*.part, which you can delete. It contains the digests of all keys and the password of the database, so
only your account can read it. It leaves out DATA_DIR/registers, where sync stores the responses of registers as plain
files.

Use pg_dump or pg_basebackup for a database at DATABASE_URL. --record then records in it that FILE was made, for
./asfiled status and ./asfiled upgrade --check. This command records its own backups.

--json prints one object: {"file", "bytes", "database_bytes", "seconds"}, with --record {"file", "bytes", "recorded"}. Progress is on
standard error.

Exit code: 0 the backup is complete, or recorded; 1 it failed or was stopped, and FILE does not exist; 2 wrong usage.

Examples:
  ./asfiled backup /backups/asfiled-$(date +%F).tar.zst
  pg_dump --format=custom --file=asfiled.dump "$DATABASE_URL" && ./asfiled backup --record asfiled.dump`

/** `backup`: writes the embedded database to one file while servers run. */
export function addBackupCommand(program: Command, context: CliContext): void {
  program
    .command('backup')
    .description('Back up the embedded database to one file, while servers run')
    .argument('<file>', 'A new file or, with --record, the backup that another tool made')
    .option('--record', 'Only record that another tool has just made the backup FILE')
    .option('--json', 'Print one JSON object', false)
    .addHelpText('after', help)
    .action(async (file: string, { record, json }: { record?: true; json: boolean }) => {
      process.exitCode = record ? await note(context, file, json) : await run(context.config, file, json)
    })
}

const maxNameLength = 1_000
const noteTimeoutMs = 5_000

/** Another tool made the backup, possibly on another machine, so the file is not looked for. */
async function note(context: CliContext, file: string, json: boolean): Promise<number> {
  if (file === '' || file.length > maxNameLength || /\p{C}/u.test(file))
    throw new Failure(
      'parameter_invalid',
      `The name of a backup has 1 to ${maxNameLength} characters, and no control characters.`,
    )
  const bytes = await Bun.file(file)
    .stat()
    .then(
      found => (found.isFile() ? found.size : null),
      () => null,
    )
  // Opened without migrating: a command that records the backup before an upgrade must not upgrade.
  const database = await openUntouched(context.config, noteTimeoutMs, line => console.error(line))
  try {
    await recordRun(database.sql, backupRun(file, 0, bytes))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '42P01')) throw error
    throw new Failure(
      'conflict',
      'The database is from before backups were recorded. Upgrade it first: ./asfiled upgrade --check says how.',
    )
  } finally {
    await database.close()
  }
  await printLine(
    json
      ? JSON.stringify({ file, bytes, recorded: true })
      : `Noted: ${file} is the last backup of this database.`,
  )
  return exitCodes.done
}

const backupRun = (file: string, seconds: number, bytes: number | null) =>
  ({ kind: 'backup', subject: file, seconds, outcome: 'done', reason: null, bytes }) as const

async function run(config: Config, file: string, json: boolean): Promise<number> {
  assertEmbedded(config, 'Back it up with pg_dump or pg_basebackup')
  if (!hasCluster(config.dataDir))
    throw new Failure(
      'database_unavailable',
      `DATA_DIR=${config.dataDir} contains no database, so there is nothing to back up. Set DATA_DIR to the folder of the server.`,
    )
  const signal = abortOnSignal(() => 'Stopping; no backup will be written.')
  const cluster = await openCluster(config.dataDir, line => console.error(line))
  const progress = startProgress('Backing up')
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1_000
  try {
    const { bytes, databaseBytes } = await writeBackup(cluster, file, signal, showBytes(progress))
    progress.stop()
    const taken = seconds()
    await remember(cluster, backupRun(resolve(file), taken, bytes))
    const made = {
      file: resolve(file),
      bytes,
      database_bytes: databaseBytes,
      seconds: Math.round(taken * 1_000) / 1_000,
    }
    await printLine(
      json
        ? JSON.stringify(made)
        : `${file}: ${megabytes(bytes)}, of a database of ${megabytes(databaseBytes)}. Restore it with: DATA_DIR=<new folder> ./asfiled restore ${file}`,
    )
    return exitCodes.done
  } catch (error) {
    progress.stop()
    const [outcome, reason] = signal.aborted
      ? (['stopped', null] as const)
      : (['failed', describeFailure(error)] as const)
    await remember(cluster, { ...backupRun(resolve(file), seconds(), null), outcome, reason })
    if (!signal.aborted) throw error
    console.error('Stopped. No backup was written.')
    return exitCodes.failed
  } finally {
    await cluster.close()
  }
}

/**
 * Failures are ignored, because the backup itself is what matters: an older database has no such record, and
 * a lost one accepts none.
 */
async function remember(cluster: EmbeddedCluster, ended: OperatorRun): Promise<void> {
  const sql = connect({ url: cluster.url, connections: 1, statementTimeoutMs: 5_000 })
  try {
    await recordRun(sql, ended)
    if (ended.outcome === 'done' && (await countDamagedRelations(sql)) > 0)
      console.error(
        'The database is damaged, and this backup contains the damage: keep the earlier ones. ./asfiled status says what is damaged and what to do.',
      )
  } catch {
    if (ended.outcome === 'done')
      console.error(
        'The backup is complete, but could not be noted in the database: asfiled status will not name it.',
      )
  } finally {
    await sql.end({ timeout: 2 })
  }
}

/** @param instead what to do with an external database, as a sentence without its full stop */
export function assertEmbedded({ databaseUrl }: Config, instead: string): void {
  if (databaseUrl !== null)
    throw new Failure(
      'parameter_invalid',
      `DATABASE_URL names ${withoutPassword(databaseUrl)}, and this command works on the embedded database in DATA_DIR. ${instead} (see docs/deployment.md), or unset DATABASE_URL.`,
    )
}

export const showBytes =
  (progress: Progress) =>
  ({ doneBytes, totalBytes }: { doneBytes: number; totalBytes: number }) =>
    progress.update({
      done: doneBytes,
      total: totalBytes,
      note: `${megabytes(doneBytes)} of ${megabytes(totalBytes)}`,
    })

const megabytes = (bytes: number) =>
  `${(bytes / 1e6).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`
