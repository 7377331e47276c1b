import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { Failure } from '../errors.ts'
import { writeBackup } from '../postgres/embedded/backup/write.ts'
import { openCluster } from '../postgres/embedded/cluster.ts'
import { hasCluster } from '../postgres/embedded/folder.ts'
import { withoutPassword } from '../postgres/errors.ts'
import { abortOnSignal, type CliContext, exitCodes } from './context.ts'
import { type Progress, printLine, startProgress } from './output.ts'

const help = `
Servers, imports and backtests continue meanwhile. The backup is the database as it is when the command ends. FILE is a
tar archive compressed with zstd. It gets its name when it is complete and on disk; a backup that was interrupted leaves
FILE.*.part, which can be removed. It contains the digests of all keys and the password of the database: only your
account can read it. Not in it: DATA_DIR/registers, the responses of the registers, which sync stores as plain files.

A database that DATABASE_URL names is backed up with pg_dump or pg_basebackup.

Exit code: 0 the backup is complete; 1 it failed or was stopped, and FILE does not exist; 2 wrong usage.

Example:
  ./asfiled backup /backups/asfiled-$(date +%F).tar.zst`

/** `backup`: one file with the embedded database, written while servers run. */
export function addBackupCommand(program: Command, context: CliContext): void {
  program
    .command('backup')
    .description('Back up the embedded database to one file, while servers run')
    .argument('<file>', 'A new file')
    .addHelpText('after', help)
    .action(async (file: string) => {
      process.exitCode = await run(context.config, file)
    })
}

async function run(config: Config, file: string): Promise<number> {
  assertEmbedded(config, 'Back it up with pg_dump or pg_basebackup')
  if (!hasCluster(config.dataDir))
    throw new Failure(
      'database_unavailable',
      `DATA_DIR=${config.dataDir} contains no database, so there is nothing to back up. Set DATA_DIR to the folder of the server.`,
    )
  const signal = abortOnSignal(() => 'Stopping; no backup will be written.')
  const cluster = await openCluster(config.dataDir, line => console.error(line))
  const progress = startProgress('Backing up')
  try {
    const { bytes, databaseBytes } = await writeBackup(cluster, file, signal, showBytes(progress))
    progress.stop()
    await printLine(
      `${file}: ${megabytes(bytes)}, of a database of ${megabytes(databaseBytes)}. Restore it with: DATA_DIR=<new folder> ./asfiled restore ${file}`,
    )
    return exitCodes.done
  } catch (error) {
    progress.stop()
    if (!signal.aborted) throw error
    console.error('Stopped. No backup was written.')
    return exitCodes.failed
  } finally {
    await cluster.close()
  }
}

/** @param instead what to do with the other one, as a sentence without its full stop */
export function assertEmbedded({ databaseUrl }: Config, instead: string): void {
  if (databaseUrl !== null)
    throw new Failure(
      'parameter_invalid',
      `DATABASE_URL names ${withoutPassword(databaseUrl)}, and this command works on the embedded database in DATA_DIR. ${instead} (see docs/operations.md), or unset DATABASE_URL.`,
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
