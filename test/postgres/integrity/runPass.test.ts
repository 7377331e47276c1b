import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../../src/postgres/client.ts'
import { adminUrl } from '../../../src/postgres/embedded/admin.ts'
import { brief, DamagedCluster } from './damagedCluster.ts'

setDefaultTimeout(120_000)

const db = new DamagedCluster()
beforeAll(async () => {
  await db.start()
  await db.sql`create table big as select n, md5(n::text) as text from generate_series(1, 60000) n`
  await db.sql`create index big_n on big (n)`
  await db.sql`create index big_text on big (text)`
  await db.sql`create table long (n int, text text)`
  await db.sql`alter table long alter column text set storage external`
  await db.sql`insert into long select n, repeat(md5(n::text), 1000) from generate_series(1, 100) n`
  await db.sql`vacuum big`
  await db.sql`analyze`
})
afterAll(() => db.remove(), 60_000)

/** 1.6 MB. */
const garbage = 200 * 8_192
const brin = 'The structure of fact_version: the extension amcheck knows no brin indexes.'

describe('a pass over an embedded database', () => {
  test('reads every page of it, catalogs and all forks too, and finds nothing where nothing is wrong', async () => {
    const result = await db.pass()
    expect(result.findings).toEqual([])
    expect(result.ended).toBe('complete')
    const [{ pages }] = await db.sql<{ pages: number }[]>`
      select sum(pg_relation_size(oid, fork) / 8192)::int as pages
      from pg_class, unnest(array['main', 'fsm', 'vm']) fork where relkind in ('r', 'm', 't', 'i', 'S') and relpersistence <> 't'`
    // What other processes add meanwhile.
    expect(Math.abs(result.pages - pages)).toBeLessThan(20)
    expect(result.unchecked).toEqual([brin])
    expect(result.hasChecksums).toBe(true)
  })

  test('finds 1.6 MB of garbage in a table, an index, a TOAST table and maps, to the block', async () => {
    const [{ toast }] = await db.sql<{ toast: string }[]>`
      select reltoastrelid::regclass::text as toast from pg_class where relname = 'long'`
    await db.damage([
      { relation: 'big', block: 3, bytes: garbage },
      { relation: 'big_n', block: 5, bytes: 40 * 8_192 },
      { relation: toast, block: 2, bytes: garbage },
      { relation: 'big', fork: '_vm', block: 0, bytes: 8_192 },
    ])
    const result = await db.pass()
    const page = { foundBy: 'pages', fork: 'main' } as const
    const found = result.findings
      .map(brief)
      .sort((a, b) => (`${a.name} ${a.fork}` < `${b.name} ${b.fork}` ? -1 : 1))
    expect(found).toEqual([
      { ...page, name: 'big', kind: 'table', blocks: 200, range: [3, 202] },
      { ...page, name: 'big', kind: 'table', fork: 'vm', blocks: 1, range: [0, 0] },
      { ...page, name: 'big_n', kind: 'index', blocks: 40, range: [5, 44] },
      { ...page, name: toast, kind: 'toast', blocks: 200, range: [2, 201] },
    ])
    expect(result.findings.map(({ name, ofTable }) => [name, ofTable]).sort()).toEqual([
      ['big', null],
      ['big', null],
      ['big_n', 'big'],
      [toast, 'long'],
    ])
    // Each is written to a log once.
    expect(result.reported.length).toBe(4)
    expect((await db.pass()).reported).toEqual([])
    expect(result.unchecked).toEqual([brin])
  })

  test('finds it again with the same first day, and no more of it', async () => {
    const before = await db.sql`select name, fork, blocks, first_seen_at from page_damage order by 1, 2`
    await db.pass()
    expect([
      ...(await db.sql`select name, fork, blocks, first_seen_at from page_damage order by 1, 2`),
    ]).toEqual([...before])
  })

  test('of what was repaired finds nothing more: an index is rebuilt, tables are written anew', async () => {
    // The table itself lost rows, so it is made again; the index is rebuilt from it.
    await db.sql`truncate big`
    await db.sql`insert into big select n, md5(n::text) from generate_series(1, 60000) n`
    await db.sql`drop table long`
    const result = await db.pass()
    expect(result.findings).toEqual([])
    expect([...(await db.sql`select * from page_damage`)]).toEqual([])
    const [{ outcome }] = await db.sql`select outcome from page_check order by pass_id desc limit 1`
    expect(outcome).toBe('clean')
  })

  test('finds an index whose pages are whole and whose order is not, and a table whose rows make no sense', async () => {
    const admin = connect({
      ...{
        url: adminUrl(db.cluster.location, db.cluster.port, 'asfiled'),
        connections: 1,
        statementTimeoutMs: 0,
      },
    })
    // A definition that no longer fits the entries, as after a change of the collation of the system.
    await admin`update pg_index set indoption = '1' where indexrelid = 'big_n'::regclass`
    await admin.end()
    const result = await db.pass()
    expect(result.findings.map(brief)).toEqual([
      { name: 'big_n', kind: 'index', foundBy: 'structure', fork: 'main', blocks: null, range: [null, null] },
    ])
    expect(result.findings[0].detail).toMatch(/index/)
    // A pass that does not check the structure says nothing about this damage, so the finding remains.
    expect((await db.pass({ hasStructure: false })).findings).toHaveLength(1)
    await db.sql`reindex index big_n`
    expect((await db.pass()).findings).toEqual([])
  })

  test('finds a file that is gone', async () => {
    const [{ path }] = await db.sql`select pg_relation_filepath('big_text') as path`
    const folder = db.folder
    await db.stop()
    rmSync(join(folder, path))
    await db.start()
    const result = await db.pass()
    expect(result.findings.map(brief)).toContainEqual({
      ...{
        name: 'big_text',
        kind: 'index',
        foundBy: 'pages',
        fork: 'main',
        blocks: null,
        range: [null, null],
      },
    })
    await db.sql`drop index big_text`
    expect((await db.pass()).findings).toEqual([])
  })
})
