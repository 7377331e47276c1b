import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../src/boot/database.ts'
import { prepareFirstStart } from '../src/boot/firstStart.ts'
import { readConfig } from '../src/config.ts'
import { loadSignalsSample } from '../src/features/signals/import/sample.ts'
import { loadSample } from '../src/ingest/sample/loadSample.ts'
import { connect, type Sql } from '../src/postgres/client.ts'
import { openCluster } from '../src/postgres/embedded/cluster.ts'
import { serviceRole } from '../src/postgres/embedded/roles.ts'
import { migrate } from '../src/postgres/migrations.ts'

export interface TestDatabase {
  /** As the role that the pools of an embedded database have: the owner, and no superuser. */
  sql: Sql
  url: string
  /** The superuser, in another database. */
  admin: Sql
  /** For the superuser, in this database. */
  adminUrl: string
  /** Closes the pool and drops the database. */
  close(): Promise<void>
}

/** A database that others are copies of. A copy takes a third of a second; loading both samples takes eight. */
interface Template {
  readonly name: string
  /** What it starts as, and what is added. */
  readonly from: Template | null
  readonly fill: (sql: Sql) => Promise<unknown>
}

const migrated: Template = { name: 'asfiled_template', from: null, fill: migrate }
const withSample: Template = { name: 'asfiled_sample', from: migrated, fill: loadSample }
const withBoth: Template = { name: 'asfiled_sample_signals', from: withSample, fill: loadSignalsSample }

let counter = 0
let opened: Promise<TestServer> | undefined

/** Creates an empty, migrated database on a real PostgreSQL: that of `bun run test`, or one that the first call starts. */
export const testDatabase = () => createDatabase(migrated)

/** A migrated database with the shipped sample of filings. */
export const sampleDatabase = () => createDatabase(withSample)

/** A migrated database with the shipped samples of filings and of signals. */
export const shippedDatabase = () => createDatabase(withBoth)

/** An empty, migrated database for servers in processes of their own. Their first start leaves it empty: loading the sample, as
 * it does otherwise, takes ten seconds. */
export async function emptyServerDatabase(): Promise<TestDatabase> {
  const database = await createDatabase(migrated)
  await leaveEmpty(database.sql)
  return database
}

/** Notes that the sample was loaded: the first start of a server on this database then does not do it. */
export const leaveEmpty = (sql: Sql) =>
  sql`insert into sample_load (started_at, finished_at) values (now(), now())`

/** Makes the database that an environment names, in which a server then loads no sample. */
export async function makeEmptyDatabase(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const database = await openDatabase(readConfig(env), 0, () => {})
  await leaveEmpty(database.sql).finally(() => database.close())
}

/** A database that has nothing in it, not even a schema. */
export const blankDatabase = () => createDatabase(null)

async function createDatabase(template: Template | null): Promise<TestDatabase> {
  opened ??= openServer()
  const server = await opened
  const { admin, urls } = server
  if (template !== null) await makeTemplate(server, template)
  const name = `test_${process.pid}_${counter++}`
  await createFrom(admin, name, template)
  const url = inDatabase(urls.service, name)
  const sql = connect({ url, connections: 4, statementTimeoutMs: 60_000, applicationName: 'asfiled-test' })
  return {
    sql,
    url,
    admin,
    adminUrl: inDatabase(urls.admin, name),
    close: async () => {
      await sql.end({ timeout: 5 })
      await admin.unsafe(`drop database if exists ${name} with (force)`)
    },
  }
}

// Copying files takes a quarter of the time of writing them through the log, which is the default. Nothing here waits for a disk.
const createFrom = (admin: Sql, name: string, template: Template | null) =>
  admin.unsafe(
    `create database ${name} template ${template?.name ?? 'template0'} owner ${serviceRole} strategy file_copy`,
  )

/** Makes the data folder `dataDir` as a first start leaves it that was stopped just before it made the owner key: with a database
 * and the shipped samples. It is a copy of one that is made once in a run. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  opened ??= openServer()
  const { admin, folder } = await opened
  const prepared = join(folder, 'prepared')
  await oncePerRun(admin, prepared, async () => {
    if (existsSync(prepared)) return
    // If an earlier attempt was killed, this one completes it.
    const draft = `${prepared}-unfinished`
    // The load takes longer than a statement of a request may: a test relies on it.
    const database = await openDatabase(readConfig({ DATA_DIR: draft }), 100, () => {})
    await prepareFirstStart(database.sql, database.url, () => {}).finally(() => database.close())
    renameSync(draft, prepared)
  })
  cpSync(prepared, dataDir, { recursive: true })
}

let latestWork: Promise<unknown> = Promise.resolve()

/**
 * One worker of the test run does the work while the others wait. Within a process one call follows another: the lock
 * takes one of the two connections, and the work needs the other.
 */
function oncePerRun(admin: Sql, name: string, work: () => Promise<void>): Promise<void> {
  const done = latestWork.then(() => lockWhile(admin, name, work))
  latestWork = done.catch(() => {})
  return done
}

async function lockWhile(admin: Sql, name: string, work: () => Promise<void>): Promise<void> {
  await admin.begin(async transaction => {
    // It waits while a template is filled, which takes minutes on a busy machine.
    await transaction`set local idle_in_transaction_session_timeout = 0`
    await transaction`select pg_advisory_xact_lock(hashtext(${name}))`
    await work()
  })
}

/** Makes the template if there is none. */
async function makeTemplate(
  { admin, urls }: Pick<TestServer, 'admin' | 'urls'>,
  template: Template,
): Promise<void> {
  const { name, from, fill } = template
  if (from !== null) await makeTemplate({ admin, urls }, from)
  await oncePerRun(admin, name, async () => {
    const found = await admin`select from pg_database where datname = ${name}`
    if (found.count > 0) return
    // Under another name until it is whole, on another connection: a transaction creates no database.
    const unfinished = `${name}_unfinished`
    await admin.unsafe(`drop database if exists ${unfinished}`)
    await createFrom(admin, unfinished, from)
    const sql = connect({
      url: inDatabase(urls.service, unfinished),
      connections: 2,
      statementTimeoutMs: 60_000,
    })
    await fill(sql).finally(() => sql.end({ timeout: 5 }))
    await admin.unsafe(`alter database ${unfinished} rename to ${name}`)
  })
}

const inDatabase = (url: string, name: string) => Object.assign(new URL(url), { pathname: name }).href

interface TestServer {
  readonly admin: Sql
  /** Of the role of the pools, and of the superuser. */
  readonly urls: { readonly service: string; readonly admin: string }
  /** Removed by `stop`. */
  readonly folder: string
  readonly stop: () => Promise<void>
}

/** The server that test/run.ts started for all its workers, else one of this process. */
async function openServer(): Promise<TestServer> {
  const { TEST_POSTGRES: service, TEST_POSTGRES_ADMIN: superuser, TEST_FOLDER: folder } = process.env
  if (service === undefined || superuser === undefined || folder === undefined) return startTestServer()
  const admin = connect({ url: superuser, connections: 2, statementTimeoutMs: 60_000 })
  return { admin, folder, urls: { service, admin: superuser }, stop: () => admin.end({ timeout: 1 }) }
}

/** Starts a PostgreSQL whose disk need not be waited for. */
export async function startTestServer(): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-test-'))
  const cluster = await openCluster(folder, () => {})
  const urls = { service: cluster.url, admin: cluster.adminUrl }
  const admin = connect({ url: urls.admin, connections: 2, statementTimeoutMs: 60_000 })
  // Nothing here outlives the tests, and waiting for the disk takes half of their time.
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
    await admin.unsafe(`alter system set ${setting} = off`)
  await admin.unsafe('select pg_reload_conf()')
  const stop = async () => {
    await admin.end({ timeout: 1 })
    await cluster.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { admin, folder, urls, stop }
}

/** Called after the last test of the run (test/preload.ts), and after each file where files run in parallel. */
export async function stopTestDatabase(): Promise<void> {
  const server = opened
  opened = undefined
  await (await server)?.stop()
}
