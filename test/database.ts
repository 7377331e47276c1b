import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

const template = 'asfiled_template'
let counter = 0
let opened: Promise<TestServer> | undefined

/** Creates an empty, migrated database on a real PostgreSQL: that of `bun run test`, or one that the first call starts. */
export const testDatabase = () => createDatabase(template)

/** A database in which nothing is yet, not even a schema. */
export const blankDatabase = () => createDatabase('template0')

async function createDatabase(from: string): Promise<TestDatabase> {
  opened ??= openServer()
  const { admin, urls } = await opened
  const name = `test_${process.pid}_${counter++}`
  await admin.unsafe(`create database ${name} template ${from} owner ${serviceRole}`)
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

const inDatabase = (url: string, name: string) => Object.assign(new URL(url), { pathname: name }).href

interface TestServer {
  readonly admin: Sql
  /** Of the role of the pools, and of the superuser. */
  readonly urls: { readonly service: string; readonly admin: string }
  stop(): Promise<void>
}

/** The server that test/run.ts started for all its workers, else one of this process. */
async function openServer(): Promise<TestServer> {
  const { TEST_POSTGRES: service, TEST_POSTGRES_ADMIN: superuser } = process.env
  if (service === undefined || superuser === undefined) return startTestServer()
  const admin = connect({ url: superuser, connections: 2, statementTimeoutMs: 60_000 })
  return { admin, urls: { service, admin: superuser }, stop: () => admin.end({ timeout: 1 }) }
}

/** Starts a PostgreSQL with a migrated template. */
export async function startTestServer(): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-test-'))
  const cluster = await openCluster(folder, () => {})
  const urls = { service: cluster.url, admin: cluster.adminUrl }
  const admin = connect({ url: urls.admin, connections: 2, statementTimeoutMs: 60_000 })
  // Nothing here outlives the tests, and waiting for the disk takes half of their time.
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
    await admin.unsafe(`alter system set ${setting} = off`)
  await admin.unsafe('select pg_reload_conf()')
  await admin.unsafe(`create database ${template} owner ${serviceRole}`)
  const sql = connect({ url: inDatabase(urls.service, template), connections: 2, statementTimeoutMs: 60_000 })
  await migrate(sql)
  await sql.end({ timeout: 5 })
  const stop = async () => {
    await admin.end({ timeout: 1 })
    await cluster.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { admin, urls, stop }
}

/** Called after the last test of the run (test/preload.ts), and after each file where files run in parallel. */
export async function stopTestDatabase(): Promise<void> {
  const server = opened
  opened = undefined
  await (await server)?.stop()
}
