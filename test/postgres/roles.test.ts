import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/boot/database.ts'
import { readConfig } from '../../src/config.ts'
import { createMissingIndexes, dropSecondaryIndexes } from '../../src/ingest/store/bulkIndexes.ts'
import { migrateQueue } from '../../src/jobs/queue.ts'
import { connect } from '../../src/postgres/client.ts'
import { withAdmin } from '../../src/postgres/embedded/admin.ts'
import { openCluster } from '../../src/postgres/embedded/cluster.ts'
import { migrate } from '../../src/postgres/migrations.ts'

setDefaultTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-roles-'))
const secretFile = join(folder, 'database/service-password')
const quiet = () => {}
const open = () => openDatabase(readConfig({ DATA_DIR: folder }), 0, quiet)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the role of the pools', () => {
  test('reaches no file, no program, no other role and no other database', async () => {
    const { sql, url, close } = await open()
    for (const statement of [
      `copy (select 1) to program 'true'`,
      `select pg_read_file('PG_VERSION')`,
      `select * from pg_authid`,
      `create role intruder superuser`,
      `create database other`,
      `alter system set port = 1`,
      `set role asfiled`,
    ])
      await expect(sql.unsafe(statement).execute()).rejects.toThrow(/permission denied|must be superuser/)
    const elsewhere = connect({
      url: Object.assign(new URL(url), { pathname: 'postgres' }).href,
      connections: 1,
      statementTimeoutMs: 5_000,
    })
    await expect(elsewhere`select 1`.execute()).rejects.toThrow('permission denied')
    await elsewhere.end()
    await close()
  })

  test('has a password of its own, readable for the owner only and in no log', async () => {
    expect(statSync(secretFile).mode & 0o777).toBe(0o600)
    const secret = readFileSync(secretFile, 'utf8').trim()
    expect(secret).not.toBe(readFileSync(join(folder, 'database/password'), 'utf8').trim())
    expect(readFileSync(join(folder, 'database/cluster/server.log'), 'utf8')).not.toContain(secret)
  })

  test('gets a new password where the file of the old one is gone', async () => {
    const before = readFileSync(secretFile, 'utf8')
    rmSync(secretFile)
    const { sql, close } = await open()
    expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }])
    expect(readFileSync(secretFile, 'utf8')).not.toBe(before)
    await close()
  })
})

test('a folder of an older version, where all belongs to the superuser, changes hands at its next start', async () => {
  const cluster = await openCluster(folder, quiet)
  await withAdmin(cluster.location, cluster.port, 'postgres', async sql => {
    await sql.unsafe('drop database asfiled')
    await sql.unsafe('drop role asfiled_service')
    await sql.unsafe('create database asfiled')
  })
  rmSync(secretFile)
  const asSuperuser = connect({ url: cluster.adminUrl, connections: 2, statementTimeoutMs: 0 })
  await migrate(asSuperuser)
  await migrateQueue(cluster.adminUrl)
  await asSuperuser`insert into metric (metric_id, name) values (1, 'revenue')`
  await asSuperuser.end()
  await cluster.close()

  const { sql, close } = await open()
  expect(existsSync(secretFile)).toBe(true)
  const owners = await sql<{ owner: string }[]>`
    select distinct pg_get_userbyid(owner) as owner from (
      select relowner as owner from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname in ('public', 'asfiled_queue')
      union all
      select proowner from pg_proc p join pg_namespace n on n.oid = pronamespace
      where nspname in ('public', 'asfiled_queue')
        and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
      union all
      select nspowner from pg_namespace where nspname = 'asfiled_queue'
      union all
      select datdba from pg_database where datname = current_database()) all_objects`
  expect(owners.map(({ owner }) => owner)).toEqual(['asfiled_service'])
  expect([...(await sql`select name from metric`)]).toEqual([{ name: 'revenue' }])
  // What only an owner may do.
  await dropSecondaryIndexes(sql)
  await createMissingIndexes(sql)
  await sql`select asfiled_queue.add_job('none', '{}'::json)`
  await sql`vacuum (analyze) fact`
  await close()
})
