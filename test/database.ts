import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Sql } from '../src/postgres/client.ts'
import { openCluster } from '../src/postgres/embedded/cluster.ts'
import { migrate } from '../src/postgres/migrations.ts'

export interface TestDatabase {
  sql: Sql
  url: string
  /** Closes the pool and drops the database. */
  close(): Promise<void>
}

const template = 'asfiled_template'
let counter = 0
let opened: Promise<TestServer> | undefined

/** Creates an empty, migrated database on a real PostgreSQL: that of `bun run test`, or one that the first call starts. */
export async function testDatabase(): Promise<TestDatabase> {
  opened ??= openServer()
  const { admin, baseUrl } = await opened
  const name = `test_${process.pid}_${counter++}`
  await admin.unsafe(`create database ${name} template ${template}`)
  const url = `${baseUrl}/${name}`
  const sql = connect({ url, connections: 4, statementTimeoutMs: 60_000, applicationName: 'asfiled-test' })
  return {
    sql,
    url,
    close: async () => {
      await sql.end({ timeout: 5 })
      await admin.unsafe(`drop database if exists ${name} with (force)`)
    },
  }
}

interface TestServer {
  readonly admin: Sql
  /** The URL of the server, without a database. */
  readonly baseUrl: string
  stop(): Promise<void>
}

/** The server that test/run.ts started for all its workers, else one of this process. */
async function openServer(): Promise<TestServer> {
  const baseUrl = process.env.TEST_POSTGRES
  if (baseUrl === undefined) return startTestServer()
  const admin = connect({ url: `${baseUrl}/postgres`, connections: 2, statementTimeoutMs: 60_000 })
  return { admin, baseUrl, stop: () => admin.end({ timeout: 1 }) }
}

/** Starts a PostgreSQL with a migrated template. */
export async function startTestServer(): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-test-'))
  const cluster = await openCluster(folder, () => {})
  const baseUrl = cluster.url.slice(0, cluster.url.lastIndexOf('/'))
  const admin = connect({ url: `${baseUrl}/postgres`, connections: 2, statementTimeoutMs: 60_000 })
  await admin.unsafe(`create database ${template}`)
  const sql = connect({ url: `${baseUrl}/${template}`, connections: 2, statementTimeoutMs: 60_000 })
  await migrate(sql)
  await sql.end({ timeout: 5 })
  const stop = async () => {
    await admin.end({ timeout: 1 })
    await cluster.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { admin, baseUrl, stop }
}

/** Called after the last test of the run (test/preload.ts), and after each file where files run in parallel. */
export async function stopTestDatabase(): Promise<void> {
  const server = opened
  opened = undefined
  await (await server)?.stop()
}
