import type { Command } from 'commander'
import { readDataVersion } from '../postgres/dataVersion.ts'
import { restoreBackup } from '../postgres/embedded/backup/restore.ts'
import { assertEmbedded, showBytes } from './backup.ts'
import { abortOnSignal, type CliContext, exitCodes } from './context.ts'
import { printLine, startProgress } from './output.ts'

const help = `
The database is restored into DATA_DIR, which must not contain one. Nothing is overwritten. Each file is compared with its
checksum, so a damaged backup is refused, and a restore that fails or is killed leaves no database. Checksums show damage, not
tampering: a file that was altered on purpose can run programs here. Restore only files that you trust. A backup
of an older version is migrated; one of a newer version is refused. Settings of PostgreSQL that you changed are not
restored. Keys that were revoked after the backup work again, so revoke them again. First stop all servers of this DATA_DIR.

Exit code: 0 the database is restored and starts; 1 it was not restored, or its first start failed, which the message says;
2 wrong usage.

Example:
  DATA_DIR=/srv/asfiled-restored ./asfiled restore /backups/asfiled-2026-11-22.tar.zst`

/** `restore`: creates a database from a file written by `backup`. */
export function addRestoreCommand(program: Command, context: CliContext): void {
  program
    .command('restore')
    .description('Restore a backup of an embedded database into a DATA_DIR without one')
    .argument('<file>', 'A file that asfiled backup wrote')
    .addHelpText('after', help)
    .action(async (file: string) => {
      process.exitCode = await run(context, file)
    })
}

async function run(context: CliContext, file: string): Promise<number> {
  const { config } = context
  assertEmbedded(config, 'Restore a dump of it with pg_restore')
  let isInPlace = false
  const signal = abortOnSignal(() =>
    isInPlace
      ? 'The database is restored; its first start ends the command.'
      : 'Stopping; nothing will be restored.',
  )
  const progress = startProgress('Restoring')
  try {
    const { version, createdAt } = await restoreBackup(config.dataDir, file, {
      signal,
      announce: line => console.error(line),
      onProgress: showBytes(progress),
    })
    isInPlace = true
    progress.stop()
    // A first start recovers and migrates it, so that a fault appears here and not at a server's next start.
    const dataVersion = await context.withDatabase(readDataVersion)
    await printLine(
      `Restored ${file} (asfiled ${version}, ${createdAt}) into ${config.dataDir}: data version ${dataVersion}.`,
    )
    return exitCodes.done
  } catch (error) {
    progress.stop()
    if (isInPlace)
      console.error(`The database is restored into ${config.dataDir}, but its first start failed:`)
    if (isInPlace || !signal.aborted) throw error
    console.error('Stopped. Nothing was restored.')
    return exitCodes.failed
  }
}
