import type { Dirent, Stats } from 'node:fs'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type postgres from 'postgres'
import { Failure } from '../../../errors.ts'
import { type AppliedMigration, version } from '../../history.ts'
import { postgresVersion } from '../folder.ts'
import { checksumsName, contentFolder, makeManifest, manifestName } from './format.ts'
import { padding, tarEnd, tarHeader } from './tar.ts'

const chunkBytes = 2 ** 20

export interface BackupProgress {
  readonly doneBytes: number
  readonly totalBytes: number
}

/**
 * Folders whose content belongs to the running server and not to the data, as listed in PostgreSQL's
 * documentation.
 */
const emptiedFolders =
  /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)(\/|$)/
/** Files of the running server, its caches, temporary relations and temporary files. */
const omittedFiles =
  /(^|\/)(postmaster\.(pid|opts)|server\.log(\.old)?|pg_internal\.init.*|pgsql_tmp.*|t\d+_\d+[^/]*|backup_label.*|tablespace_map.*|backup_manifest)$/
const controlFile = 'global/pg_control'
const maxControlReads = 100

interface ListedFile {
  readonly name: string
  readonly size: number
}

/**
 * The bytes of a backup: a description, the database's files, the WAL that makes them consistent, and a
 * checksum of each.
 */
export class BackupContent {
  doneBytes = 0
  #totalBytes = 0
  readonly #checksums: string[] = []
  readonly #nowMs = Date.now()
  readonly #folder: string

  constructor(
    cluster: string,
    private readonly signal: AbortSignal,
    private readonly onProgress: (progress: BackupProgress) => void,
  ) {
    this.#folder = cluster
  }

  /** @param sql a single connection, because PostgreSQL ends the backup with it */
  async *entries(sql: postgres.Sql, migrations: readonly AppliedMigration[]): AsyncGenerator<Uint8Array> {
    const createdAt = new Date(this.#nowMs).toISOString()
    yield* this.#text(
      manifestName,
      makeManifest({ version, createdAt, postgres: postgresVersion, migrations }),
    )
    // Until this connection ends, PostgreSQL keeps every WAL segment.
    await sql`select pg_create_physical_replication_slot(${`asfiled_${crypto.randomUUID().replaceAll('-', '')}`}, true, true)`
    const [{ first }] = await sql<{ first: string }[]>`
      select pg_walfile_name(pg_backup_start('asfiled backup', fast => true)) as first`
    const { folders, files } = await this.#list()
    this.#totalBytes = files.reduce((sum, { size }) => sum + size, 0)
    for (const name of [contentFolder, `${contentFolder}/cluster`]) yield this.#folderHeader(name)
    for (const name of folders) yield this.#folderHeader(`${contentFolder}/cluster/${name}`)
    for (const name of ['password', 'service-password'])
      yield* this.#text(`${contentFolder}/${name}`, await Bun.file(resolve(this.#folder, '..', name)).text())
    for (const file of files) yield* this.#file(file)
    yield* this.#control()
    const [{ last, label }] = await sql<{ last: string; label: string }[]>`
      select pg_walfile_name(lsn - 1) as last, labelfile as label
      from pg_backup_stop(wait_for_archive => false)`
    yield* this.#log(first, last)
    yield* this.#text(`${contentFolder}/cluster/backup_label`, label)
    yield* this.#text(checksumsName, this.#checksums.join(''))
    yield tarEnd()
  }

  /** Folders precede their contents. */
  async #list(): Promise<{ folders: string[]; files: ListedFile[] }> {
    const folders: string[] = []
    const files: ListedFile[] = []
    const visit = async (folder: string): Promise<void> => {
      const entries: Dirent[] = await readdir(join(this.#folder, folder), { withFileTypes: true }).catch(
        ignoreMissing([]),
      )
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const name = folder === '' ? entry.name : `${folder}/${entry.name}`
        if (omittedFiles.test(name)) continue
        if (entry.isSymbolicLink())
          throw new Failure(
            'conflict',
            `${join(this.#folder, name)} is a symbolic link, and a backup would not include what it points to. Put the files themselves there, or use pg_basebackup.`,
          )
        if (entry.isDirectory()) {
          folders.push(name)
          await visit(name)
        } else if (!emptiedFolders.test(name) && name !== controlFile) {
          const found: Stats | null = await stat(join(this.#folder, name)).catch(ignoreMissing(null))
          if (found !== null) files.push({ name, size: found.size })
        }
      }
    }
    await visit('')
    return { folders: folders.filter(name => !/^pg_replslot\/./.test(name)), files }
  }

  #folderHeader = (name: string) => tarHeader(name, 'folder', 0, this.#nowMs)

  #text = (name: string, text: string) => this.#whole(name, Buffer.from(text))

  async *#whole(name: string, bytes: Buffer): AsyncGenerator<Uint8Array> {
    yield tarHeader(name, 'file', bytes.length, this.#nowMs)
    yield bytes
    yield padding(bytes.length)
    if (name !== checksumsName) this.#addChecksum(name, new Bun.CryptoHasher('sha256').update(bytes))
  }

  /**
   * The control file follows everything that it describes. PostgreSQL may write it meanwhile, and a mix of
   * two states would not start, so it is read until it is the same twice.
   */
  async *#control(): AsyncGenerator<Uint8Array> {
    const path = join(this.#folder, controlFile)
    let bytes = await readFile(path)
    for (let attempt = 0; attempt < maxControlReads; attempt++) {
      await Bun.sleep(1)
      const again = await readFile(path)
      if (again.equals(bytes)) break
      bytes = again
    }
    yield* this.#whole(`${contentFolder}/cluster/${controlFile}`, bytes)
  }

  /**
   * A file that changes while it is read is stored with its current length: WAL replay repeats the changes. A
   * file that is dropped meanwhile is omitted.
   */
  async *#file({ name, size: listedSize }: ListedFile): AsyncGenerator<Uint8Array> {
    const source = await open(join(this.#folder, name), 'r').catch(ignoreMissing(null))
    if (source === null) {
      this.#advance(listedSize)
      return
    }
    try {
      const { size } = await source.stat()
      this.#totalBytes += size - listedSize
      const hasher = new Bun.CryptoHasher('sha256')
      const stored = `${contentFolder}/cluster/${name}`
      yield tarHeader(stored, 'file', size, this.#nowMs)
      for (let at = 0; at < size; ) {
        this.signal.throwIfAborted()
        const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, size - at))
        const { bytesRead } = await source.read(buffer, 0, buffer.length, at)
        // Truncated while being copied; WAL replay truncates it again.
        const chunk = bytesRead > 0 ? buffer.subarray(0, bytesRead) : buffer.fill(0)
        hasher.update(chunk)
        at += chunk.length
        yield chunk
        this.#advance(chunk.length)
      }
      yield padding(size)
      this.#addChecksum(stored, hasher)
    } finally {
      await source.close()
    }
  }

  /**
   * The WAL segments from the beginning of the backup to its end, without which the copied files are useless.
   */
  async *#log(first: string, last: string): AsyncGenerator<Uint8Array> {
    const names = (await readdir(join(this.#folder, 'pg_wal')))
      .filter(name => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last)
      .sort()
    if (
      names[0] !== first ||
      names.at(-1) !== last ||
      names.length !== segmentOf(last) - segmentOf(first) + 1
    )
      throw new Failure(
        'internal',
        'PostgreSQL has removed a part of its log during the backup. Run it again.',
      )
    const segments = await Promise.all(
      names.map(async name => ({
        name: `pg_wal/${name}`,
        size: (await stat(join(this.#folder, 'pg_wal', name))).size,
      })),
    )
    this.#totalBytes += segments.reduce((sum, { size }) => sum + size, 0)
    for (const segment of segments) yield* this.#file(segment)
  }

  #addChecksum(name: string, hasher: Bun.CryptoHasher): void {
    this.#checksums.push(`${hasher.digest('hex')}  ${name}\n`)
  }

  #advance(bytes: number): void {
    this.doneBytes += bytes
    this.onProgress({ doneBytes: this.doneBytes, totalBytes: this.#totalBytes })
  }
}

/** The number of a 16 MB segment: 256 of them share the middle eight digits. */
const segmentOf = (name: string) =>
  Number.parseInt(name.slice(8, 16), 16) * 256 + Number.parseInt(name.slice(16), 16)

/**
 * Files may disappear while they are listed and read: PostgreSQL drops tables and removes temporary files.
 */
function ignoreMissing<T>(value: T): (error: unknown) => T {
  return error => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return value
    throw error
  }
}
