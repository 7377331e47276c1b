import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect, type Sql } from '../../../src/postgres/client.ts'
import { adminUrl } from '../../../src/postgres/embedded/admin.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { brief, DamagedCluster } from './damagedCluster.ts'

setDefaultTimeout(120_000)

const db = new DamagedCluster()
let admin: Sql
type Brief = ReturnType<typeof brief>
const page = { foundBy: 'pages', fork: 'main' } as const
const inTable: Brief = { ...page, name: 'big', kind: 'table', blocks: 40, range: [30, 69] }
const inIndex: Brief = { ...page, name: 'big_n', kind: 'index', blocks: 3, range: [5, 7] }

const connectAs = (user: string, password: string) => {
  const url = new URL(db.cluster.url)
  return connect({
    url: Object.assign(url, { username: user, password }).href,
    connections: 1,
    statementTimeoutMs: 60_000,
  })
}

beforeAll(async () => {
  await db.start()
  await db.sql`create table big as select n, md5(n::text) as text from generate_series(1, 60000) n`
  await db.sql`create index big_n on big (n)`
  await db.damage([
    { relation: 'big', block: 30, bytes: 40 * 8_192 },
    { relation: 'big_n', block: 5, bytes: 3 * 8_192 },
  ])
  admin = connect({
    url: adminUrl(db.cluster.location, db.cluster.port, 'asfiled'),
    connections: 1,
    statementTimeoutMs: 0,
  })
})
afterAll(async () => {
  await admin.end()
  await db.remove()
}, 180_000)

describe('pages of a PostgreSQL on another machine', () => {
  test('are read from its files where the role may, and nothing is left out', async () => {
    const result = await db.pass({ sql: admin, folder: null })
    expect(result.description).toContain('pg_read_binary_file')
    expect(result.findings.map(brief)).toEqual([inTable, inIndex])
    expect(nonEmpty(result.unchecked).filter(text => !text.includes('brin'))).toEqual([])
    const files = await db.pass()
    expect(Math.abs(result.pages - files.pages)).toBeLessThan(50)
  })

  test('are read by pg_prewarm where that is all that the role may use, and what is in memory is said to be left out', async () => {
    const result = await db.pass({ folder: null, hasStructure: false })
    expect(result.description).toContain('pg_prewarm')
    expect(result.findings.map(brief)).toEqual([inTable, inIndex])
    expect(result.unchecked[0]).toMatch(/^Pages in the memory of PostgreSQL were not read/)
    // Some catalogs are readable for superusers alone.
    expect(result.unchecked.join('\n')).toContain('pg_authid: permission denied')
  })

  test('are read with their rows where the role may use nothing, and what that leaves out is said', async () => {
    await admin.unsafe(`create role plain login password 'plain'; grant select on big to plain;
      grant select, insert, update, delete on page_check, page_damage to plain;
      revoke execute on function pg_prewarm from public`)
    const plain = connectAs('plain', 'plain')
    try {
      const result = await db.pass({ sql: plain, folder: null })
      expect(result.description).toBe('read by PostgreSQL, table by table')
      // The index was found before, and nothing has looked at it since.
      expect(result.findings.map(brief)).toEqual([inTable, inIndex])
      const said = result.unchecked.join('\n')
      expect(said).toContain('Only tables were read')
      expect(said).toContain('data_version: permission denied')
      expect(said).toContain('may not execute the functions of the extension amcheck')
    } finally {
      await plain.end()
      await admin`grant execute on function pg_prewarm to public`
    }
  })

  test('that takes no writes is checked all the same, and the result is in no table', async () => {
    await admin.unsafe('alter table page_damage rename to hidden')
    try {
      const result = await db.pass()
      expect(result.isRecorded).toBe(false)
      expect(result.findings.map(brief)).toEqual([inTable, inIndex])
    } finally {
      await admin.unsafe('alter table hidden rename to page_damage')
    }
  })
})
