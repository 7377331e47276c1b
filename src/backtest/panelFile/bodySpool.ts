import { readlinkSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** A body stays in memory until it exceeds this size. */
export const spooledBytes = 8 * 1_024 * 1_024
/** The maximum age of a file whose process cannot be checked, because it ran on another machine or in another
 * container. */
const maxAgeMs = 24 * 60 * 60 * 1_000
/** The maximum age of a file whose process ran in another container with the same host name. That container may be an
 * earlier run of this one, or it may still run beside it on the network of the host, but no body takes this long to
 * read. */
const maxQuietMs = 60 * 60 * 1_000
const suffix = '.body'

/** A body, either in a buffer of its own or in a file. */
export type SpooledBody = Uint8Array<ArrayBuffer> | { readonly path: string; readonly bytes: number }

/** Stores the bytes of a body as they arrive: in memory, or in a file once there are many. */
export class BodySpool {
  size = 0
  readonly #folder: string
  #chunks: Uint8Array[] = []
  #file: FileHandle | null = null
  #path: string | null = null

  /** @param folder for files; it need not exist yet */
  constructor(folder: string) {
    this.#folder = folder
  }

  get isInFile(): boolean {
    return this.#file !== null
  }

  /** The number of bytes that are in memory. */
  get inMemory(): number {
    return this.isInFile ? 0 : this.size
  }

  /** Appends a chunk. The caller must not change it afterwards. */
  async write(chunk: Uint8Array): Promise<void> {
    this.size += chunk.length
    if (this.#file !== null) {
      await writeWhole(this.#file, chunk)
      return
    }
    this.#chunks.push(chunk)
    if (this.size < spooledBytes) return
    const file = await this.#open()
    for (const early of this.#chunks) await writeWhole(file, early)
    this.#chunks = []
    this.#file = file
  }

  /** Returns the whole body. A file is kept until `discard`. */
  async finish(): Promise<SpooledBody> {
    if (this.#path === null) return joined(this.#chunks, this.size)
    await this.#close()
    return { path: this.#path, bytes: this.size }
  }

  async discard(): Promise<void> {
    this.#chunks = []
    if (this.#path === null) return
    await this.#close()
    await rm(this.#path, { force: true })
  }

  async #open(): Promise<FileHandle> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    this.#path = join(
      this.#folder,
      `${thisHost}~${processSpace}~${process.pid}~${crypto.randomUUID()}${suffix}`,
    )
    return open(this.#path, 'wx', 0o600)
  }

  async #close(): Promise<void> {
    const file = this.#file
    this.#file = null
    await file?.close()
  }
}

async function writeWhole(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
}

const thisHost = encodeURIComponent(hostname())
/** Identifies the container, because each container of a machine numbers its own processes. Empty outside Linux. */
const processSpace = readProcessSpace()

function readProcessSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')
  } catch {
    return ''
  }
}

/** Deletes the files that killed processes left behind.
 *
 * @param now in milliseconds */
export async function removeAbandoned(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.endsWith(suffix)) continue
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found !== null && (now - found.mtimeMs > maxAgeMs || lostItsProcess(name, found.mtimeMs, now)))
      await rm(path, { force: true })
  }
}

/** Whether no process of this host can still be writing or reading the file. */
function lostItsProcess(name: string, writtenMs: number, now: number): boolean {
  const [host, space, pid] = name.split('~')
  if (host !== thisHost) return false
  if (space !== processSpace) return now - writtenMs > maxQuietMs
  // In a container, every start of the server may get the same process id.
  if (Number(pid) === process.pid) return writtenMs < performance.timeOrigin
  return !isRunning(Number(pid))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** Joins the parts in a new buffer, which can be transferred to a thread. */
export function joined(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
