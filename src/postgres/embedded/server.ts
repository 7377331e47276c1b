import { spawn } from 'node:child_process'
import { chownSync, closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import { resolve } from 'node:path'
import { Failure } from '../../errors.ts'
import { adminQuery } from './admin.ts'
import type { ClusterLocation } from './folder.ts'
import { serverEnvironment, wrap } from './identity.ts'
import { findServerProcesses, holderOf } from './processes.ts'
import { hasNoRoom } from './room.ts'

const startTimeoutMs = 60_000
/** After a power failure, PostgreSQL does not respond while it replays up to `max_wal_size` of WAL. */
const recoveryTimeoutMs = 15 * 60_000
const pollMs = 50
/** Used from the third second on, because PostgreSQL logs every attempt during recovery. */
const slowPollMs = 500
const announceEveryMs = 10_000
/** On a full disk PostgreSQL may run on without accepting connections, or not get to the end of its recovery. */
const fullDiskTimeoutMs = 5_000
const maxAttempts = 10
const maxLogBytes = 10 * 2 ** 20

interface StartOptions {
  /** The port that this process's open pools use. */
  readonly requestedPort?: number
  readonly announce: (line: string) => void
  /** Whether processes that are invisible from here use the folder. */
  readonly isUsedElsewhere: () => boolean
}

/**
 * Returns the port of the server that runs on this cluster, starting one if there is none. Call it while
 * holding the folder's lock.
 */
export async function startServer(location: ClusterLocation, options: StartOptions): Promise<number> {
  const { announce } = options
  const startedAt = performance.now()
  let announcedAt = startedAt
  let silentSince = startedAt
  let roomSeenAt = startedAt
  let child: Launched | null = null
  let attempts = 0
  for (;;) {
    const found = await findServer(location)
    if (found.state === 'ready') return found.port
    const elapsedMs = performance.now() - startedAt
    if (found.state === 'recovering') silentSince = performance.now()
    const silentMs = performance.now() - silentSince
    if (found.state === 'absent' && !child?.isRunning()) {
      if (child !== null) await explainEnd(location, child, attempts)
      if (!options.isUsedElsewhere()) {
        if (attempts++ === 0) announce('Starting PostgreSQL ...')
        child = launch(location, options.requestedPort ?? (await freePort()), found.stalePid)
      } else if (silentMs > startTimeoutMs) throw usedElsewhere(location)
    }
    if (!hasNoRoom(location.cluster)) roomSeenAt = performance.now()
    if (performance.now() - roomSeenAt > fullDiskTimeoutMs) throw diskFull(location.cluster)
    if (silentMs > startTimeoutMs || elapsedMs > recoveryTimeoutMs) throw silent(location, found, elapsedMs)
    if (performance.now() - announcedAt > announceEveryMs) {
      announcedAt = performance.now()
      announce(
        `Still waiting for PostgreSQL (${Math.round(elapsedMs / 1000)} s): ${stateText[found.state]} ...`,
      )
    }
    await Bun.sleep(elapsedMs < 2_000 ? pollMs : slowPollMs)
  }
}

type FoundServer =
  | { readonly state: 'ready'; readonly port: number }
  /** A process of this cluster exists but does not respond. */
  | { readonly state: 'recovering' | 'silent'; readonly pid: number }
  /** `stalePid`: the number in a postmaster.pid that does not belong to a PostgreSQL of this cluster. */
  | { readonly state: 'absent'; readonly stalePid: number | null }

const stateText = {
  recovering: 'it recovers from a hard stop, or is stopping',
  silent: 'it does not answer',
  absent: 'another process has the folder, or it does not start',
} as const

export async function findServer(location: ClusterLocation): Promise<FoundServer> {
  const { cluster } = location
  const pidFile = readPidFile(cluster)
  if (pidFile === null) return { state: 'absent', stalePid: null }
  if (pidFile === 'broken') {
    // An empty or broken file, written when the machine stopped. PostgreSQL refuses to start with it, without
    // mentioning a process.
    if (findServerProcesses(cluster).length === 0) rmSync(resolve(cluster, 'postmaster.pid'), { force: true })
    return { state: 'absent', stalePid: null }
  }
  const { pid, port } = pidFile
  const answer = port === null ? 'silent' : await probe(location, port)
  if (answer === 'ready' && port !== null) return { state: 'ready', port }
  const holder = holderOf(pid, cluster)
  if (holder === 'other') return { state: 'absent', stalePid: pid }
  // Leaves the decision to PostgreSQL, which refuses to start if a process with this number exists.
  if (holder === 'unknown') return { state: 'absent', stalePid: null }
  if (answer === 'refused')
    throw new Failure(
      'database_unavailable',
      `PostgreSQL (process ${pid}) refuses the password in ${location.passwordFile}. Restore that file, or restore a backup into an empty DATA_DIR.`,
    )
  return { state: answer === 'recovering' ? 'recovering' : 'silent', pid }
}

/** The process number and port in postmaster.pid. The port is written some milliseconds after the number. */
function readPidFile(cluster: string): { pid: number; port: number | null } | 'broken' | null {
  let lines: string[]
  try {
    lines = readFileSync(resolve(cluster, 'postmaster.pid'), 'utf8').split('\n')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  // A single-user PostgreSQL writes a negative number.
  const pid = Math.abs(Number(lines[0]))
  const port = Number(lines[3])
  if (!Number.isInteger(pid) || pid === 0) return 'broken'
  return { pid, port: Number.isInteger(port) && port > 0 ? port : null }
}

type Answer = 'ready' | 'recovering' | 'refused' | 'other' | 'silent'

/**
 * Connects to the server on `port`. Returns `other` if that server works in another folder, of which this one is a
 * copy. Both folders have the same password and postmaster.pid, but a copied file has its own change time.
 */
async function probe(location: ClusterLocation, port: number): Promise<Answer> {
  const files = ['PG_VERSION', 'postmaster.opts']
  try {
    const rows = await adminQuery<{ changed: string }>(
      location,
      port,
      sql =>
        sql`select extract(epoch from (pg_stat_file(name)).change)::bigint::text as changed
          from unnest(${files}::text[]) with ordinality file (name, place) order by place`,
    )
    const own = files.map(name => Math.floor(statSync(resolve(location.cluster, name)).ctimeMs / 1000))
    return rows.every(({ changed }, n) => Number(changed) === own[n]) ? 'ready' : 'other'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === '57P03') return 'recovering'
    return code.startsWith('28') ? 'refused' : 'silent'
  }
}

interface Launched {
  readonly port: number
  isRunning(): boolean
  /** Everything it has logged since it was launched. */
  output(): string
}

/** Starts PostgreSQL as a process that outlives this one. */
function launch(location: ClusterLocation, port: number, stalePid: number | null): Launched {
  const log = openLog(location)
  const logStart = log.size
  const args = ['-D', location.cluster, ...settings(port).flatMap(setting => ['-c', setting])]
  const [program, programArgs, ids] = wrap(location.account, location.binaries.postgres, args)
  // PostgreSQL treats a postmaster.pid that contains its grandparent's number as stale. Otherwise it refuses to start
  // while any process of its account has that number. It replaces the file itself, after checking that no shared
  // memory is in use.
  const stale = stalePid === null ? {} : { PG_GRANDPARENT_PID: String(stalePid) }
  const child = spawn(program, programArgs, {
    ...ids,
    cwd: '/',
    // In its own process group, so that Ctrl-C in the terminal does not reach it.
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: { ...serverEnvironment, ...stale },
  })
  closeSync(log.fd)
  let running = true
  let failure = ''
  child.on('exit', () => {
    running = false
  })
  child.on('error', error => {
    running = false
    failure = error.message
  })
  child.unref()
  const output = () => failure || readFileSync(location.log).subarray(logStart).toString('utf8').slice(-4_000)
  return { port, isRunning: () => running, output }
}

function openLog({ log, account }: ClusterLocation): { fd: number; size: number } {
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0
  if (size > maxLogBytes) renameSync(log, `${log}.old`)
  const fd = openSync(log, 'a', 0o600)
  if (account) chownSync(log, account.uid, account.gid)
  return { fd, size: size > maxLogBytes ? 0 : size }
}

function settings(port: number): string[] {
  return [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    // Without a socket there is no lock file. A stale lock file would block the next start.
    'unix_socket_directories=',
    'max_connections=100',
    // PostgreSQL ends when one of its processes crashes, and asfiled starts it again. PostgreSQL 18.4 can do that itself,
    // but if its disk is full then, it may wait forever for a recovery that has ended.
    'restart_after_crash=off',
    `shared_buffers=${bufferMegabytes(totalmem())}MB`,
    'max_wal_size=2GB',
    'wal_compression=on',
    'password_encryption=scram-sha-256',
    'log_min_messages=warning',
  ]
}

/**
 * An eighth of the memory, but at least 256 MB and at most 2 GB. The system allocates a buffer only when a page is
 * read into it.
 */
function bufferMegabytes(memoryBytes: number): number {
  return Math.min(2_048, Math.max(256, Math.floor(memoryBytes / 8 / 2 ** 20)))
}

/** Throws if another attempt would end the same way. Otherwise it returns as soon as another attempt makes sense. */
async function explainEnd(location: ClusterLocation, child: Launched, attempts: number): Promise<void> {
  const output = child.output()
  // A full disk may have no room for the line of the log that says so.
  if (output.includes('No space left on device') || hasNoRoom(location.cluster))
    throw diskFull(location.cluster)
  if (output.includes('pre-existing shared memory block')) await endOrphans(location.cluster)
  if (attempts >= maxAttempts)
    throw new Failure('database_unavailable', `PostgreSQL does not start:\n${output.trim()}`)
  await Bun.sleep(Math.min(100 * attempts, 1_000))
}

const diskFull = (folder: string) =>
  new Failure(
    'database_unavailable',
    `PostgreSQL cannot start: the disk of ${folder} is full. Make room on it; nothing that was acknowledged is lost.`,
  )

const orphanTimeoutMs = 5_000

/**
 * Ends processes whose postmaster is dead. A long computation does not notice that by itself, and PostgreSQL
 * does not start while one of them still uses the shared memory.
 */
async function endOrphans(cluster: string): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const pid of findServerProcesses(cluster)) {
      try {
        process.kill(pid, signal)
      } catch {
        // It has already ended.
      }
    }
    const deadline = performance.now() + orphanTimeoutMs
    while (performance.now() < deadline) {
      if (findServerProcesses(cluster).length === 0) return
      await Bun.sleep(pollMs)
    }
  }
}

function usedElsewhere({ cluster }: ClusterLocation): Failure {
  return new Failure(
    'database_unavailable',
    `${cluster} is in use by another container or machine. Two PostgreSQL servers in one folder would destroy it: stop the other first, or set DATABASE_URL to a PostgreSQL that both can reach.`,
  )
}

function silent({ log }: ClusterLocation, found: FoundServer, elapsedMs: number): Failure {
  const text = readFileSync(log, 'utf8').trim().split('\n').slice(-5).join('\n')
  const which = 'pid' in found ? ` (process ${found.pid})` : ''
  return new Failure(
    'database_unavailable',
    `PostgreSQL${which} has not answered after ${Math.round(elapsedMs / 1000)} s. ${
      which === '' ? 'Its log says why' : 'End that process and try again'
    }. The end of ${log}:\n${text}`,
  )
}

function freePort(): Promise<number> {
  return new Promise((fulfil, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      probe.close(() => fulfil(port))
    })
  })
}
