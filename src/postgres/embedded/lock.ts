import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { Failure } from '../../errors.ts'

const pollMs = 50
const announceEveryMs = 10_000
/**
 * Longer than a large database's recovery after a power failure, for which the previous process may be
 * waiting.
 */
const folderLockTimeoutMs = 17 * 60_000

/**
 * Runs `work` while no other process starts, stops or sets up the database in this folder. Two PostgreSQL
 * servers that start over one stale postmaster.pid delete each other's file: the one that wins would stop
 * within a minute.
 *
 * The lock is an operating-system lock on an empty SQLite file. It ends with the process, however that ends,
 * and works across containers. A file with a process number would survive a power failure, and the number
 * would then belong to something else.
 */
export async function withFolderLock<T>(
  dataDir: string,
  announce: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const lock = await waitForLock(dataDir, announce, folderLockTimeoutMs)
  if (lock === null)
    throw new Failure(
      'database_unavailable',
      `Another process has been starting the database in ${dataDir} for ${Math.round(folderLockTimeoutMs / 60_000)} minutes. End it, then try again.`,
    )
  try {
    return await work()
  } finally {
    lock.release()
  }
}

const closeTimeoutMs = 5_000

/**
 * Runs `work` under the folder's lock. Does nothing if another process holds it for long: that one is
 * starting the database and will use it.
 */
export async function withFolderLockIfFree(dataDir: string, work: () => Promise<void>): Promise<void> {
  const lock = await waitForLock(dataDir, () => {}, closeTimeoutMs)
  try {
    if (lock !== null) await work()
  } finally {
    lock?.release()
  }
}

async function waitForLock(
  dataDir: string,
  announce: (line: string) => void,
  timeoutMs: number,
): Promise<HeldLock | null> {
  const path = resolve(dataDir, 'start.lock')
  const deadline = performance.now() + timeoutMs
  let announcedAt = performance.now()
  for (;;) {
    const lock = tryLock(path, 'exclusive')
    if (lock !== 'busy') return lock
    const now = performance.now()
    if (now > deadline) return null
    if (now - announcedAt > announceEveryMs) {
      announcedAt = now
      announce('Another process is starting this database; waiting for it ...')
    }
    await Bun.sleep(pollMs)
  }
}

interface HeldLock {
  release(): void
}

const withoutLock: HeldLock = { release: () => {} }

/**
 * On a file system without locks, this returns a lock that protects nothing: the folder is used as if this
 * process were alone.
 */
function tryLock(path: string, kind: 'exclusive' | 'shared'): HeldLock | 'busy' {
  let file: Database | null = null
  try {
    file = new Database(path, { create: true })
    file.run('pragma busy_timeout = 0')
    if (kind === 'exclusive') file.run('begin exclusive')
    else {
      file.run('begin')
      // A transaction takes its lock with its first statement.
      file.query('select count(*) from sqlite_master').get()
    }
  } catch (error) {
    file?.close()
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return code.startsWith('SQLITE_BUSY') ? 'busy' : withoutLock
  }
  const held = file
  return { release: () => held.close() }
}

/**
 * Marks a folder as used by this process, from opening the database to closing it. Call all methods while
 * holding the folder's lock.
 */
export class FolderUse {
  readonly #dataDir: string
  readonly #own: string
  #mark: HeldLock = withoutLock

  constructor(dataDir: string) {
    this.#dataDir = dataDir
    this.#own = `use-${processSpace()}.lock`
  }

  begin(): void {
    const mark = tryLock(resolve(this.#dataDir, this.#own), 'shared')
    if (mark !== 'busy') this.#mark = mark
  }

  /**
   * Ends the use. Returns whether no other process, on this machine or in another container, uses the folder.
   */
  end(): boolean {
    this.#mark.release()
    this.#mark = withoutLock
    return this.#files().every(name => !this.#isUsed(name))
  }

  /** Whether any process uses the folder, including this one. */
  isUsed(): boolean {
    return this.#files().some(name => this.#isUsed(name))
  }

  /**
   * Whether the folder is used by processes that this one cannot see, in another container or on another
   * machine.
   */
  isUsedElsewhere(): boolean {
    return this.#files().some(name => name !== this.#own && this.#isUsed(name))
  }

  #files(): string[] {
    return readdirSync(this.#dataDir).filter(name => isLockFile(name) && name.startsWith('use-'))
  }

  #isUsed(name: string): boolean {
    const path = resolve(this.#dataDir, name)
    const lock = tryLock(path, 'exclusive')
    if (lock === 'busy') return true
    if (lock !== withoutLock && name !== this.#own) rmSync(path, { force: true })
    lock.release()
    return false
  }
}

/** Files that a folder without a database may contain as well. */
export const isLockFile = (name: string) => /^(start|use-\w+)\.lock$/.test(name)

/** Equal for processes that see each other's numbers, and different between containers and machines. */
function processSpace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    const seen = boot + readlinkSync('/proc/self/ns/pid')
    return createHash('sha256').update(seen).digest('hex').slice(0, 12)
  } catch {
    // Without /proc (macOS) there are no containers of this kind.
    return 'host'
  }
}
