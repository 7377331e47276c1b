import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import { resolve } from 'node:path'
import postgres from 'postgres'
import { Failure } from '../../errors.ts'
import { type ClusterLocation, superuser } from './folder.ts'
import { isProcessRunning, runAs } from './identity.ts'

const startTimeoutMs = 60_000

export const urlOf = (location: ClusterLocation, port: number, database: string) =>
  `postgres://${superuser}:${location.password}@127.0.0.1:${port}/${database}`

/** Returns the port of the server that runs on this cluster. Starts one if there is none. */
export async function startServer(
  location: ClusterLocation,
  requestedPort: number | undefined,
  announce: (line: string) => void,
): Promise<number> {
  const deadline = Date.now() + startTimeoutMs
  let output = ''
  while (Date.now() < deadline) {
    const running = runningPort(location)
    if (running !== null && (await acceptsQueries(location, running))) return running
    if (running === null) {
      if (output === '') announce('Starting PostgreSQL ...')
      const port = requestedPort ?? (await freePort())
      const result = await runAs(location.account, location.binaries.pg_ctl, startArguments(location, port))
      output = result.output
      if (result.code === 0) return port
    }
    await Bun.sleep(250)
  }
  const log = existsSync(location.log) ? readFileSync(location.log, 'utf8').slice(-2_000) : ''
  throw new Failure(
    'database_unavailable',
    `PostgreSQL did not start within ${startTimeoutMs / 1000} s.\n${output}\n${log}`,
  )
}

function startArguments(location: ClusterLocation, port: number): string[] {
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=100',
    `shared_buffers=${bufferMegabytes(totalmem())}MB`,
    'max_wal_size=2GB',
    'wal_compression=on',
    'password_encryption=scram-sha-256',
    'log_min_messages=warning',
  ]
  const options = settings.map(setting => `-c ${setting}`).join(' ')
  return ['-D', location.cluster, '-l', location.log, '-w', '-t', '45', '-o', options, 'start']
}

/** An eighth of the memory, between 256 MB and 2 GB. The system allocates a buffer only when a page is read into it. */
function bufferMegabytes(memoryBytes: number): number {
  return Math.min(2_048, Math.max(256, Math.floor(memoryBytes / 8 / 2 ** 20)))
}

/** The port in postmaster.pid; null if no server runs on this cluster. A stale pid file stays: PostgreSQL checks it
 * more thoroughly than we could. */
function runningPort(location: ClusterLocation): number | null {
  const pidFile = resolve(location.cluster, 'postmaster.pid')
  if (!existsSync(pidFile)) return null
  const lines = readFileSync(pidFile, 'utf8').split('\n')
  const pid = Number(lines[0])
  const port = Number(lines[3])
  return pid > 0 && port > 0 && isProcessRunning(pid) ? port : null
}

async function acceptsQueries(location: ClusterLocation, port: number): Promise<boolean> {
  return withAdmin(location, port, async sql => {
    await sql`select 1`
    return true
  }).catch(() => false)
}

export async function withAdmin<T>(
  location: ClusterLocation,
  port: number,
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  const sql = postgres(urlOf(location, port, 'postgres'), { max: 1, connect_timeout: 5, onnotice: () => {} })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 2 })
  }
}

/** Stops the server unless another process is connected to it. */
export async function stopIfUnused(location: ClusterLocation, port: number): Promise<void> {
  const others = await withAdmin(location, port, async sql => {
    const rows = await sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`
    return rows[0].count
  }).catch(() => null)
  if (others !== 0) return
  await runAs(location.account, location.binaries.pg_ctl, [
    '-D',
    location.cluster,
    '-m',
    'fast',
    '-w',
    '-t',
    '30',
    'stop',
  ])
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
