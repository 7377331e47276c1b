import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import postgres from 'postgres'
import { Failure } from '../../errors.ts'
import { findBinaries, type PostgresBinaries } from './binaries.ts'
import { chooseIdentity, type Identity, runAs } from './identity.ts'

const databaseName = 'asfiled'
const userName = 'asfiled'
const startTimeoutMs = 60_000

/** A PostgreSQL in a folder of ours, on loopback only. Every process that opens the folder shares one running
 * server; the last one to close it stops it, and one that was killed leaves it for the next. */
export interface EmbeddedCluster {
  readonly url: string
  /** Starts the server again on the same port if it has died. */
  ensureRunning(): Promise<void>
  /** Stops the server unless another process is connected to it. */
  close(): Promise<void>
}

interface Place {
  folder: string
  cluster: string
  log: string
  password: string
  binaries: PostgresBinaries
  identity: Identity | null
}

export async function openCluster(
  dataDir: string,
  announce: (line: string) => void,
): Promise<EmbeddedCluster> {
  const place = await preparePlace(resolve(dataDir), announce)
  const port = await start(place, undefined, announce)
  await createDatabase(place, port)
  const url = urlOf(place, port, databaseName)
  return {
    url,
    ensureRunning: async () => {
      await start(place, port, announce)
    },
    close: () => stopIfAlone(place, port),
  }
}

const urlOf = (place: Place, port: number, database: string) =>
  `postgres://${userName}:${place.password}@127.0.0.1:${port}/${database}`

async function preparePlace(dataDir: string, announce: (line: string) => void): Promise<Place> {
  const binaries = await findBinaries()
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const folder = resolve(dataDir, 'database')
  const cluster = resolve(folder, 'cluster')
  const identity = chooseIdentity([folder, binaries.postgres], cluster)
  if (!existsSync(folder)) {
    announce('Creating a PostgreSQL 18 database (first start only) ...')
    await initialise(dataDir, folder, binaries, identity)
  }
  sweepAbandoned(dataDir)
  const password = readFileSync(resolve(folder, 'password'), 'utf8').trim()
  return { folder, cluster, log: resolve(folder, 'cluster', 'server.log'), password, binaries, identity }
}

/** Made beside its place and moved there whole: a start that is killed half-way leaves nothing half-made, and
 * of two first starts at once one wins. */
async function initialise(
  dataDir: string,
  folder: string,
  binaries: PostgresBinaries,
  identity: Identity | null,
) {
  const draft = resolve(dataDir, `database.new-${process.pid}`)
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: identity ? 0o711 : 0o700 })
  const cluster = resolve(draft, 'cluster')
  mkdirSync(cluster, { mode: 0o700 })
  const password = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')
  const passwordFile = resolve(draft, 'password')
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  if (identity) {
    chownSync(cluster, identity.uid, identity.gid)
    chownSync(passwordFile, identity.uid, identity.gid)
  }
  const ctypes = process.platform === 'linux' ? ['C.UTF-8', 'en_US.UTF-8'] : ['en_US.UTF-8', 'C.UTF-8']
  let failure = ''
  for (const ctype of ctypes) {
    const result = await runAs(identity, binaries.initdb, [
      `--pgdata=${cluster}`,
      `--username=${userName}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      `--lc-ctype=${ctype}`,
      '--no-instructions',
    ])
    if (result.code === 0) {
      if (identity) chownSync(passwordFile, 0, 0)
      chmodSync(passwordFile, 0o600)
      try {
        renameSync(draft, folder)
      } catch {
        if (!existsSync(folder))
          throw new Failure('database_unavailable', `Could not move ${draft} to ${folder}.`)
        rmSync(draft, { recursive: true, force: true })
      }
      return
    }
    failure = result.output
  }
  rmSync(draft, { recursive: true, force: true })
  throw new Failure('database_unavailable', `initdb failed: ${failure}`)
}

/** Drafts of first starts that were killed. */
function sweepAbandoned(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const pid = Number(/^database\.new-(\d+)$/.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid) || isAlive(pid)) continue
    rmSync(resolve(dataDir, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Joins the server that runs on this folder, or starts one. Returns its port. */
async function start(
  place: Place,
  wantedPort: number | undefined,
  announce: (line: string) => void,
): Promise<number> {
  const deadline = Date.now() + startTimeoutMs
  let output = ''
  while (Date.now() < deadline) {
    const running = runningPort(place)
    if (running !== null && (await answers(place, running))) return running
    if (running === null) {
      announce('Starting PostgreSQL ...')
      const port = wantedPort ?? (await freePort())
      const result = await runAs(place.identity, place.binaries.pg_ctl, startArguments(place, port))
      output = result.output
      if (result.code === 0) return port
    }
    await Bun.sleep(250)
  }
  const log = existsSync(place.log) ? readFileSync(place.log, 'utf8').slice(-2_000) : ''
  throw new Failure(
    'database_unavailable',
    `PostgreSQL did not start within ${startTimeoutMs / 1000} s.\n${output}\n${log}`,
  )
}

function startArguments(place: Place, port: number): string[] {
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=100',
    'shared_buffers=256MB',
    'max_wal_size=2GB',
    'wal_compression=on',
    'password_encryption=scram-sha-256',
    'log_min_messages=warning',
  ]
  const options = settings.map(setting => `-c ${setting}`).join(' ')
  return ['-D', place.cluster, '-l', place.log, '-w', '-t', '45', '-o', options, 'start']
}

/** The port in postmaster.pid, null where no server runs on this folder. A pid file that outlived its server is
 * left to PostgreSQL, which checks it more thoroughly than we could. */
function runningPort(place: Place): number | null {
  const pidFile = resolve(place.cluster, 'postmaster.pid')
  if (!existsSync(pidFile)) return null
  const lines = readFileSync(pidFile, 'utf8').split('\n')
  const pid = Number(lines[0])
  const port = Number(lines[3])
  return pid > 0 && port > 0 && isAlive(pid) ? port : null
}

async function answers(place: Place, port: number): Promise<boolean> {
  return withAdmin(place, port, async sql => {
    await sql`select 1`
    return true
  }).catch(() => false)
}

async function withAdmin<T>(place: Place, port: number, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(urlOf(place, port, 'postgres'), { max: 1, connect_timeout: 5, onnotice: () => {} })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 2 })
  }
}

async function createDatabase(place: Place, port: number): Promise<void> {
  await withAdmin(place, port, async sql => {
    const found = await sql`select 1 from pg_database where datname = ${databaseName}`
    if (found.length > 0) return
    await sql.unsafe(`create database ${databaseName}`).catch(error => {
      // Another process made it between the look and the deed.
      if (error.code !== '42P04' && error.code !== '23505') throw error
    })
  })
}

async function stopIfAlone(place: Place, port: number): Promise<void> {
  const others = await withAdmin(place, port, async sql => {
    const rows = await sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`
    return rows[0].count
  }).catch(() => null)
  if (others !== 0) return
  await runAs(place.identity, place.binaries.pg_ctl, [
    '-D',
    place.cluster,
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
