import { createReadStream, rmSync } from 'node:fs'
import { mkdir, open, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createZstdDecompress } from 'node:zlib'
import { Failure, reasonOf } from '../../../errors.ts'
import { isDiskFull } from '../../errors.ts'
import { findPending, readShipped } from '../../history.ts'
import {
  databaseFolder,
  draftName,
  hasCluster,
  makeFolder,
  moveIntoPlace,
  postgresVersion,
  removeDrafts,
} from '../folder.ts'
import { FolderUse, withFolderLock } from '../lock.ts'
import {
  type BackupManifest,
  checksumsName,
  contentFolder,
  damaged,
  endMark,
  manifestName,
  parseManifest,
} from './format.ts'
import { freshSettings } from './settings.ts'
import { DamagedArchive, readTar, type TarEntry } from './tar.ts'
import { writeFully } from './write.ts'

const requiredFiles = [
  'password',
  'service-password',
  'cluster/PG_VERSION',
  'cluster/global/pg_control',
  'cluster/backup_label',
] as const

/** The number of bytes read at once to verify or describe a backup. */
const maxTextBytes = 16 * 2 ** 20

/**
 * Creates the database of a data folder from a backup, and never over an existing one. It gets its name once
 * every file is present, verified and on disk. The next start recovers it, and migrates it if the backup is
 * of an older version.
 */
export async function restoreBackup(
  dataDir: string,
  file: string,
  options: {
    readonly signal: AbortSignal
    readonly announce: (line: string) => void
    readonly onProgress: (progress: { doneBytes: number; totalBytes: number }) => void
  },
): Promise<BackupManifest> {
  const folder = resolve(dataDir)
  assertNoDatabase(folder)
  const { size: totalBytes } = await assertWhole(file)
  makeFolder(folder)
  return withFolderLock(folder, options.announce, async () => {
    assertNoDatabase(folder)
    assertUnused(folder)
    removeDrafts(folder)
    const draft = resolve(folder, draftName())
    let doneBytes = 0
    const restore = new Restore(file, draft, options.signal, bytes => {
      doneBytes += bytes
      options.onProgress({ doneBytes, totalBytes })
    })
    try {
      const manifest = await restore.run()
      options.signal.throwIfAborted()
      moveIntoPlace(draft, databaseFolder(folder))
      return manifest
    } catch (error) {
      rmSync(draft, { recursive: true, force: true })
      if (isDiskFull(error))
        throw new Failure(
          'database_unavailable',
          `The disk of ${folder} is full. Nothing was restored, and the partial files were removed. Make room: a database takes several times the size of its backup.`,
          { cause: error },
        )
      throw error instanceof DamagedArchive ? damaged(file, error.message, error) : error
    }
  })
}

function assertNoDatabase(folder: string): void {
  if (hasCluster(folder))
    throw new Failure(
      'conflict',
      `DATA_DIR=${folder} contains a database, and a backup is never restored over one. Set DATA_DIR to another folder, or stop the server and move ${databaseFolder(folder)} away.`,
    )
}

/**
 * A server whose database was moved away continues to write to it. A second database here would take its
 * place at the next restart.
 */
function assertUnused(folder: string): void {
  if (new FolderUse(folder).isUsed())
    throw new Failure(
      'conflict',
      `A server or a command is still using ${folder}, whose database was moved away. Nothing was restored. Stop it, then restore.`,
    )
}

/** Throws unless `file` can be read and ends as a complete backup does. */
async function assertWhole(file: string): Promise<{ size: number }> {
  const fail = (reason: string, cause?: unknown) =>
    new Failure(
      'parameter_invalid',
      `${file} cannot be read: ${reason}. Name a file that \`asfiled backup\` wrote.`,
      { cause },
    )
  const found = await stat(file).catch(cause => {
    throw fail(reasonOf(cause), cause)
  })
  if (!found.isFile()) throw fail('it is no file')
  const source = await open(file, 'r').catch(cause => {
    throw fail(reasonOf(cause), cause)
  })
  try {
    const end = Buffer.alloc(endMark.length)
    if (found.size > end.length) await source.read(end, 0, end.length, found.size - end.length)
    if (!end.equals(endMark)) throw damaged(file, 'it does not end as a backup does, so it may be truncated')
  } finally {
    await source.close()
  }
  return found
}

class Restore {
  readonly #found = new Map<string, string>()
  /** Folders and files. */
  readonly #written: string[] = []

  constructor(
    private readonly file: string,
    private readonly draft: string,
    private readonly signal: AbortSignal,
    private readonly onBytes: (bytes: number) => void,
  ) {}

  async run(): Promise<BackupManifest> {
    let manifest: BackupManifest | null = null
    let isComplete = false
    for await (const entry of readTar(this.#decompressed())) {
      this.signal.throwIfAborted()
      if (manifest === null) manifest = await this.#readManifest(entry).catch(this.#explainRefusal)
      else if (isComplete) throw new DamagedArchive('more files follow after its checksums')
      else if (entry.name === checksumsName) {
        this.#verify(await textOf(entry))
        isComplete = true
      } else await this.#write(entry).catch(explainPlace(entry.name))
    }
    if (manifest === null || !isComplete) throw new DamagedArchive('it has no checksums')
    await this.#assertComplete()
    await this.#replaceSettings()
    for (const path of this.#written) await syncPath(path)
    return manifest
  }

  /** Without any one of these, the database would be in place and never start. */
  async #assertComplete(): Promise<void> {
    for (const name of requiredFiles) {
      const found = await stat(join(this.draft, name)).catch(() => null)
      if (!found?.isFile() || found.size === 0)
        throw new DamagedArchive(`it has no ${contentFolder}/${name}, or an empty one`)
    }
  }

  async #replaceSettings(): Promise<void> {
    for (const [name, text] of Object.entries(freshSettings)) {
      const path = join(this.draft, 'cluster', name)
      await writeFile(path, text, { mode: 0o600 })
      if (!this.#written.includes(path)) this.#written.push(path)
    }
  }

  async *#decompressed(): AsyncGenerator<Uint8Array> {
    const zstd = createZstdDecompress()
    const source = createReadStream(this.file, { highWaterMark: 2 ** 20 })
    source.on('data', chunk => this.onBytes(chunk.length))
    source.on('error', error => zstd.destroy(error))
    source.pipe(zstd)
    try {
      for await (const chunk of zstd) yield chunk
    } catch (cause) {
      throw new DamagedArchive(cause instanceof Error ? cause.message : String(cause), { cause })
    } finally {
      source.destroy()
      zstd.destroy()
    }
  }

  async #readManifest(entry: TarEntry): Promise<BackupManifest> {
    if (entry.name !== manifestName) throw new DamagedArchive('it does not begin with its description')
    const text = await textOf(entry)
    const manifest = parseManifest(text, this.file, postgresVersion)
    findPending(manifest.migrations, await readShipped(), this.file)
    this.#found.set(entry.name, digestOf(text))
    return manifest
  }

  /**
   * A damaged description may look like one of another version or build, so the rest is read: its checksums
   * tell which it is.
   */
  #explainRefusal = async (refusal: unknown): Promise<never> => {
    let digest: string | null = null
    for await (const entry of readTar(this.#decompressed())) {
      this.signal.throwIfAborted()
      if (entry.name === manifestName) digest = digestOf(await textOf(entry))
      else if (entry.name === checksumsName && checksumsIn(await textOf(entry)).get(manifestName) !== digest)
        throw new DamagedArchive('its description is not what was backed up')
      else for await (const _ of entry.content) this.signal.throwIfAborted()
    }
    throw refusal
  }

  async #write({ name, kind, content }: TarEntry): Promise<void> {
    const path = this.#pathOf(name)
    if (kind === 'folder') {
      // PostgreSQL's account must be able to pass through the outer folder to the cluster.
      await mkdir(path, { mode: path === this.draft && process.getuid?.() === 0 ? 0o711 : 0o700 })
      this.#written.push(path)
      return
    }
    const hasher = new Bun.CryptoHasher('sha256')
    const target = await open(path, 'wx', 0o600)
    try {
      for await (const chunk of content) {
        this.signal.throwIfAborted()
        hasher.update(chunk)
        await writeFully(target, chunk)
      }
    } finally {
      await target.close()
    }
    this.#written.push(path)
    this.#found.set(name, hasher.digest('hex'))
  }

  /** Nothing is written outside of the draft, whatever an archive contains. */
  #pathOf(name: string): string {
    const [first, ...parts] = name.split('/')
    if (first !== contentFolder || parts.some(part => !/^[\w.-]+$/.test(part) || /^\.+$/.test(part)))
      throw new DamagedArchive(`it has a file '${name}', which is none of a database`)
    return join(this.draft, ...parts)
  }

  #verify(text: string): void {
    const expected = checksumsIn(text)
    const missing = [...expected.keys()].find(name => !this.#found.has(name))
    if (missing !== undefined) throw new DamagedArchive(`it lacks ${missing}`)
    for (const [name, digest] of this.#found)
      if (expected.get(name) !== digest) throw new DamagedArchive(`${name} is not what was backed up`)
  }
}

/** @param text lines in the format of `sha256sum` */
const checksumsIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split('\n')
      .filter(line => line !== '')
      .map((line): [string, string] => [line.slice(66), line.slice(0, 64)]),
  )

/**
 * The draft starts out empty, so the fault must be in the archive: a duplicate file, or one without its
 * folder.
 */
function explainPlace(name: string): (error: unknown) => never {
  return error => {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'EEXIST') throw new DamagedArchive(`it has ${name} twice`, { cause: error })
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG')
      throw new DamagedArchive(`it has ${name}, but no folder for it`, { cause: error })
    throw error
  }
}

async function syncPath(path: string): Promise<void> {
  const opened = await open(path, 'r')
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}

const digestOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

async function textOf({ name, size, content }: TarEntry): Promise<string> {
  if (size > maxTextBytes) throw new DamagedArchive(`${name} is too large`)
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
