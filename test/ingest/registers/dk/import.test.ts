import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkCoverage } from '../../../../src/features/coverage/check.ts'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { dkRegister } from '../../../../src/ingest/registers/dk/register.ts'
import type { Sql } from '../../../../src/postgres/client.ts'
import { readDataVersion } from '../../../../src/postgres/dataVersion.ts'
import { markets } from '../../../features/companies/fixtures.ts'
import { freshDatabases } from '../../../freshDatabases.ts'
import { storedFacts, storedRepeats } from '../../stored.ts'

setDefaultTimeout(180_000)

const fixtures = new URL('fixtures/', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'asfiled-dk-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000)
const fresh = freshDatabases()

const put = (sql: Sql, ...paths: string[]) =>
  importRegister(sql, dkRegister, { paths, observedOn: '2026-01-01' }, () => {})
const index = join(fixtures, 'index.json')
const reports = ['kmd-2016.xml', 'netcompany-2014.xml', 'orsted-2019-9m.xml'].map(name =>
  join(fixtures, name),
)

test('reports and their index are joined in any order, in one import or several', async () => {
  const whole = await fresh()
  const first = await put(whole, fixtures)
  expect(first.read.skipped).toEqual([])
  expect(first.written.undatedFilings).toBe(0)
  const facts = await storedFacts(whole)
  // DK:26911745/kmd-2016, published at 2017-03-30T22:00Z, which is midnight in Denmark and thus only a day.
  expect(facts).toContain(
    '26911745|revenue|0|2016|DKK|fsa:Revenue|2016-01-01|2016-12-31|2017-03-31|infinity|-|5073800000|f|DK:26911745/kmd-2016',
  )
  const orders = [
    [[index, ...reports]],
    [[...reports, index]],
    [reports, [index]],
    [[index], reports],
    [[reports[2]], [reports[0], index], [reports[1]]],
  ]
  for (const order of orders) {
    const sql = await fresh()
    for (const paths of order) await put(sql, ...paths)
    expect(await storedFacts(sql)).toEqual(facts)
    expect(await storedRepeats(sql)).toBe(await storedRepeats(whole))
    const version = await readDataVersion(sql)
    await sql`truncate import_file`
    const again = await put(sql, ...reports, index)
    expect([again.written.factsAdded, again.written.factsRemoved, again.written.repeats]).toEqual([0, 0, 0])
    expect(await readDataVersion(sql)).toBe(version)
  }
})

test('a report that no index has dated is served on no day, and counted', async () => {
  const sql = await fresh()
  const { read, written } = await put(sql, reports[0])
  expect([read.figuresRead, written.factsAdded, written.undatedFilings]).toEqual([9, 0, 1])
  expect(await storedFacts(sql)).toEqual([])
  expect(await storedRepeats(sql)).toBe(8)
  expect([...(await sql`select * from fact_as_of('9999-12-31')`)]).toEqual([])
  const check = await checkCoverage({ sql, markets, today: () => '2026-11-20' }, '26911745.DK')
  expect(check).toMatchObject({ count: 0, first_filed: null, last_filed: null })
  expect(check.note).toContain('no imported document states their filing day')
  // Another company's publication under the same name does not date this report.
  const other = join(folder, 'other.json')
  const text = await Bun.file(index).text()
  await Bun.write(other, text.replace('"cvrNummer":26911745', '"cvrNummer":25313763'))
  expect((await put(sql, other)).written.factsAdded).toBe(0)
  expect(await storedFacts(sql)).toEqual([])
  expect((await put(sql, index)).written.undatedFilings).toBe(0)
  expect((await storedFacts(sql)).length).toBeGreaterThan(8)
})

test('a report published twice adds nothing; one that replaces it is visible from its own date on', async () => {
  const sql = await fresh()
  const hit = (name: string, at: string) => ({
    _source: {
      cvrNummer: 26911745,
      offentliggoerelsesTidspunkt: at,
      omgoerelse: name === 'replaced',
      dokumenter: [
        {
          dokumentType: 'AARSRAPPORT',
          dokumentMimeType: 'application/xml',
          dokumentUrl: `http://r/1/${name}.xml`,
        },
      ],
    },
  })
  const place = (name: string) => join(folder, name)
  const text = await Bun.file(reports[0]).text()
  await Bun.write(place('first.xml'), text)
  await Bun.write(place('again.xml'), text)
  await Bun.write(place('replaced.xml'), text.replace('>244400000<', '>240000000<'))
  await Bun.write(
    place('index.json'),
    JSON.stringify([
      hit('first', '2017-03-30T22:00:00Z'),
      hit('again', '2017-04-02T09:00:00Z'),
      hit('replaced', '2017-06-30T22:00:00Z'),
    ]),
  )
  await put(sql, ...['replaced.xml', 'again.xml', 'index.json', 'first.xml'].map(place))
  const current = async (asOf: string) =>
    (
      await sql<{ value: number; accession: string }[]>`
      select f.value, f.accession from fact_as_of(${asOf}) f join metric m using (metric_id)
      where m.name = 'net_income' and f.fy = 2016 and f.current`
    ).map(({ value, accession }) => [value, accession])
  expect(await current('2017-03-30')).toEqual([])
  expect(await current('2017-03-31')).toEqual([[244_400_000, 'DK:26911745/first']])
  expect(await current('2017-06-30')).toEqual([[244_400_000, 'DK:26911745/first']])
  expect(await current('2017-07-01')).toEqual([[240_000_000, 'DK:26911745/replaced']])
  const repeated =
    await sql`select 1 from fact join filing using (filing_id) where accession = 'DK:26911745/again'`
  expect(repeated).toHaveLength(0)
})

test('quarters, nine months and years are labelled', async () => {
  const sql = await fresh()
  await put(sql, fixtures)
  const rows = await sql<{ text: string }[]>`
    select m.name || ' ' || f.fy || ' ' || f.fp || ' ' || f.value as text from fact f join metric m using (metric_id)
    join entity e using (entity_id) where e.issuer_id = '36213728' and f.tag_id is not null order by 1`
  expect(rows.map(row => row.text)).toEqual([
    'assets 2019 3 194521000000',
    'equity 2019 3 87369000000',
    'liabilities 2019 3 102161000000',
    'net_income 2019 3 856000000',
    'revenue 2019 3 14543000000',
    'revenue_ytd 2019 3 50583000000',
  ])
})

test('the balance sheet of a first year of fifteen months closes a fiscal year', async () => {
  const sql = await fresh()
  const place = join(folder, 'kmd-2016.xml')
  const text = (await Bun.file(reports[0]).text())
    .replaceAll('<x:startDate>2016-01-01', '<x:startDate>2015-04-01')
    .replaceAll('2016-12-31', '2016-06-30')
    .replaceAll(/<e:\w+ contextRef="c[24]".*/g, '')
  await Bun.write(place, text)
  const { read } = await put(sql, place, index)
  expect(read.unplaced).toBe(2)
  const rows = await sql`
    select m.name, f.fy, f.fp, f.period_end::text as end from fact f join metric m using (metric_id) order by 1`
  expect([...rows]).toEqual([
    { name: 'assets', fy: 2016, fp: 0, end: '2016-06-30' },
    { name: 'equity', fy: 2016, fp: 0, end: '2016-06-30' },
  ])
})
