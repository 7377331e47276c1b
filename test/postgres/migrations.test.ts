import { afterAll, describe, expect, test } from 'bun:test'
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/boot/database.ts'
import { readConfig } from '../../src/config.ts'
import { findPending, readMigration, readShipped } from '../../src/postgres/history.ts'
import { migrate } from '../../src/postgres/migrations.ts'
import { readSchema } from '../../src/postgres/schema.ts'
import { testDatabase } from '../database.ts'
import { olderJobTable } from './olderJobTable.ts'

const database = await testDatabase()
const { sql, url } = database
afterAll(() => database.close(), 60_000)
const shipped = await readShipped()

/** The message with which a start refuses the database after `change`, which is undone. */
async function refusal(change: string, undo: string): Promise<string> {
  await sql.unsafe(change)
  try {
    await expect(migrate(sql)).rejects.toThrow()
    const opened = await openDatabase(readConfig({ DATABASE_URL: url }), 0, () => {}).catch(error => error)
    expect(opened.name).toBe('Failure')
    return opened.message
  } finally {
    await sql.unsafe(undo)
  }
}

describe('shipped migrations', () => {
  test('are exactly those of the committed list, none altered since', async () => {
    expect(readdirSync('sql/migrations').sort()).toEqual(shipped.map(({ name }) => name))
  })

  test('of 0.1.0 are the ones that databases of today were made with', () => {
    // A line here never changes. A new migration gets a line in sql/migrations.sha256 and none here.
    const released = new Bun.CryptoHasher('sha256')
    for (const { name, digest } of shipped.slice(0, 16)) released.update(`${digest}  ${name}\n`)
    expect(released.digest('hex')).toBe('51a9740a811586161b11f81c8c53deff152c7f0122885157723b1ee73413a4b6')
  })

  test('of a damaged installation are named before the database is touched', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'asfiled-sql-'))
    try {
      cpSync('sql', copy, { recursive: true })
      appendFileSync(join(copy, 'migrations/0005_coverage.sql'), '\n')
      await expect(readShipped(copy)).rejects.toThrow(
        /is damaged: sql.migrations.0005_coverage.sql is altered/,
      )
      rmSync(join(copy, 'migrations/0005_coverage.sql'))
      await expect(readShipped(copy)).rejects.toThrow('is missing')
    } finally {
      rmSync(copy, { recursive: true })
    }
  })

  test('that were applied are recorded with their digests, and a second run changes nothing', async () => {
    expect(await migrate(sql)).toEqual([])
    const rows = await sql<
      { name: string; digest: string }[]
    >`select name, digest from migration order by name`
    expect([...rows]).toEqual(shipped)
  })
})

describe('a database that this version cannot continue from is refused in words', () => {
  test('of a newer version, which is named', async () => {
    const message = await refusal(
      `insert into migration (name, digest, version) values ('0099_later.sql', 'x', '9.1.0')`,
      `delete from migration where name = '0099_later.sql'`,
    )
    expect(message).toContain('comes from a newer asfiled (9.1.0): it has 0099_later.sql')
    expect(message).toContain('Start asfiled 9.1.0 or newer')
  })

  test('with another form of a migration', async () => {
    const [{ digest }] = shipped.slice(3)
    const message = await refusal(
      `update migration set digest = repeat('0', 64) where name = '${shipped[3].name}'`,
      `update migration set digest = '${digest}' where name = '${shipped[3].name}'`,
    )
    expect(message).toContain(`a different ${shipped[3].name} than that of asfiled`)
  })

  test('with tables and without a record of what made them', async () => {
    const message = /has tables of asfiled \(.*but no record of the migrations/
    await sql`create table record as table migration`
    const emptied = await refusal('truncate migration', 'insert into migration select * from record')
    expect(emptied).toMatch(message)
    const dropped = 'alter table migration rename to migration_away'
    expect(await refusal(dropped, 'alter table migration_away rename to migration')).toMatch(message)
    await sql`drop table record`
  })

  test('without a migration that comes before an applied one', async () => {
    const { name, digest } = shipped[5]
    const message = await refusal(
      `delete from migration where name = '${name}'`,
      `insert into migration (name, digest) values ('${name}', '${digest}')`,
    )
    expect(message).toContain(`but not ${name}`)
  })

  test('of a development version, by what its schema lacks', async () => {
    await sql`create table digests as select name, digest from migration`
    const without = 'alter table migration drop column digest, drop column version;'
    const undo = `
      alter table migration add column if not exists digest text, add column if not exists version text;
      update migration m set digest = d.digest from digests d where d.name = m.name;`
    const newerJobTable = await readMigration('0041_job.sql')
    const renamed = await refusal(
      `${without} ${olderJobTable} alter table fact rename column value to amount`,
      `alter table fact rename column amount to value; ${newerJobTable} ${undo}`,
    )
    expect(renamed).toContain(
      'cannot be upgraded: its schema has no column fact.value double precision not null',
    )
    const { name } = shipped[15]
    const older = await refusal(
      `${without} delete from migration where name = '${name}'`,
      `insert into migration values ('${name}'); ${undo}`,
    )
    expect(older).toContain(`cannot be upgraded: it lacks ${name}`)
    await sql`drop table digests`
    expect(await migrate(sql)).toEqual([])
  })

  test('and the record of another is left as it is', async () => {
    const schema = await readSchema(sql)
    await refusal(
      `insert into migration (name, digest, version) values ('0099_later.sql', 'x', '9.1.0')`,
      `delete from migration where name = '0099_later.sql'`,
    )
    expect(await readSchema(sql)).toEqual(schema)
  })
})

test('a backup of an older version needs what was shipped after it', () => {
  const older = shipped.slice(0, 10).map(migration => ({ ...migration, version: '0.1.0' }))
  expect(findPending(older, shipped, 'This backup')).toEqual(shipped.slice(10))
})
