import { type FileHandle, link, lstat, open, realpath, rename, rm } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { Failure, reasonOf } from '../../../errors.ts'
import { isDiskFull } from '../../errors.ts'
import { type AppliedMigration, readApplied } from '../../history.ts'
import { databaseName, withAdmin } from '../admin.ts'
import type { EmbeddedCluster } from '../cluster.ts'
import { BackupContent, type BackupProgress } from './content.ts'
import { endMark } from './format.ts'

export interface BackupReport {
  readonly bytes: number
  readonly databaseBytes: number
}

/**
 * Writes the database to one file while it is in use. The restored database is as of the end of the backup.
 * The file gets its name once it is complete and on disk, and only its owner can read it.
 */
export async function writeBackup(
  cluster: EmbeddedCluster,
  file: string,
  signal: AbortSignal,
  onProgress: (progress: BackupProgress) => void,
): Promise<BackupReport> {
  if (file === '')
    throw new Failure(
      'parameter_invalid',
      'The name of the backup is empty. Name a new file, such as base.tar.zst.',
    )
  const target = resolve(file)
  const draft = `${target}.${crypto.randomUUID().slice(0, 8)}.part`
  await assertNewFile(target, file, cluster)
  const output = await open(draft, 'wx', 0o600).catch(cause => {
    throw new Failure('parameter_invalid', `${file} cannot be written: ${reasonOf(cause)}.`, { cause })
  })
  try {
    const before = await readMigrations(cluster)
    const content = new BackupContent(cluster.location.cluster, signal, onProgress)
    const zstd = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    await withAdmin(cluster.location, cluster.port, 'postgres', sql =>
      pipeline(content.entries(sql, before), zstd, async chunks => {
        for await (const chunk of chunks) await writeFully(output, chunk)
      }),
    )
    if (JSON.stringify(await readMigrations(cluster)) !== JSON.stringify(before))
      throw new Failure(
        'conflict',
        'The database was upgraded during the backup. Run the same command again.',
      )
    await writeFully(output, endMark)
    await output.sync()
    const { size } = await output.stat()
    await output.close()
    await moveTo(draft, target, file)
    return { bytes: size, databaseBytes: content.doneBytes }
  } catch (error) {
    await output.close().catch(() => {})
    await rm(draft, { force: true })
    if (isDiskFull(error))
      throw new Failure(
        'database_unavailable',
        `The disk of ${file} or that of the database is full. No backup was written, and the partial file was removed. Make room, or name a file on another disk.`,
        { cause: error },
      )
    throw wasRestarted(error) ? restarted(error) : error
  }
}

/** The system may write fewer bytes than it is given. */
export async function writeFully(output: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await output.write(bytes, at, bytes.length - at)).bytesWritten
}

async function assertNewFile(target: string, file: string, { location }: EmbeddedCluster): Promise<void> {
  if (await exists(target)) throw fileExists(file)
  // Links in the path may lead into the database.
  const folder = await realpath(dirname(target)).catch(cause => {
    throw new Failure('parameter_invalid', `${file} cannot be written: ${reasonOf(cause)}.`, { cause })
  })
  if (`${folder}${sep}`.startsWith((await realpath(resolve(location.cluster, '..'))) + sep))
    throw new Failure(
      'parameter_invalid',
      `${file} is in the folder of the database, where it would become a part of the next backup. Name a file elsewhere, best on another disk.`,
    )
}

/** A dangling link also occupies the name. */
const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  )
const fileExists = (file: string) =>
  new Failure('conflict', `${file} exists and is not overwritten. Name a new file, or move that one away.`)

/** If PostgreSQL crashed during the backup, it has forgotten the backup after its restart. */
const wasRestarted = (error: unknown) => error instanceof Error && 'code' in error && error.code === '55000'
const restarted = (cause: unknown) =>
  new Failure(
    'database_unavailable',
    'PostgreSQL was restarted during the backup. Run the same command again.',
    { cause },
  )

/** A link fails if the name is taken, whereas a rename would replace the existing file. */
async function moveTo(draft: string, target: string, file: string): Promise<void> {
  try {
    await link(draft, target)
  } catch {
    if (await exists(target)) throw fileExists(file)
    // Some file systems do not support links.
    await rename(draft, target)
  }
  await rm(draft, { force: true })
  const folder = await open(dirname(target), 'r')
  await folder.sync().catch(() => {})
  await folder.close()
}

const readMigrations = ({ location, port }: EmbeddedCluster): Promise<AppliedMigration[]> =>
  withAdmin(location, port, databaseName, readApplied)
