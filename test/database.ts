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
  /** Closes the pool and drops the database. */
  close(): Promise<void>
}

const template = 'asfiled_template'
let counter = 0
let booted: Promise<{ admin: Sql; urlOf: (name: string) => string }> | undefined

/** Creates an empty, migrated database on a real PostgreSQL. The first call starts the server, and `stopTestDatabase` stops it
 * after the tests. */
export const testDatabase = () => createDatabase(template)

/** A database in which nothing is yet, not even a schema. */
export const blankDatabase = () => createDatabase('template0')

async function createDatabase(from: string): Promise<TestDatabase> {
  booted ??= boot()
  const { admin, urlOf } = await booted
  const name = `test_${process.pid}_${counter++}`
  await admin.unsafe(`create database ${name} template ${from} owner ${serviceRole}`)
  const url = urlOf(name)
  const sql = connect({ url, connections: 4, statementTimeoutMs: 60_000, applicationName: 'asfiled-test' })
  return {
    sql,
    url,
    admin,
    close: async () => {
      await sql.end({ timeout: 5 })
      await admin.unsafe(`drop database if exists ${name} with (force)`)
    },
  }
}

async function boot() {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-test-'))
  const cluster = await openCluster(folder, () => {})
  const urlOf = (name: string) => Object.assign(new URL(cluster.url), { pathname: name }).href
  const admin = connect({ url: cluster.adminUrl, connections: 2, statementTimeoutMs: 60_000 })
  await admin.unsafe(`create database ${template} owner ${serviceRole}`)
  const sql = connect({ url: urlOf(template), connections: 2, statementTimeoutMs: 60_000 })
  await migrate(sql)
  await sql.end({ timeout: 5 })
  shutdowns.push(async () => {
    await admin.end({ timeout: 1 })
    await cluster.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { admin, urlOf }
}

const shutdowns: (() => Promise<void>)[] = []

/** Called once, after the last test of the run (test/preload.ts). */
export async function stopTestDatabase(): Promise<void> {
  for (const shutdown of shutdowns.splice(0)) await shutdown()
}
