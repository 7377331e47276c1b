import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isoDate } from '../../../src/dates.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import { jpRegister } from '../../../src/ingest/registers/jp/register.ts'
import { krRegister } from '../../../src/ingest/registers/kr/register.ts'
import { nzRegister } from '../../../src/ingest/registers/nz/register.ts'
import type { Register } from '../../../src/ingest/registers/registerInterface.ts'
import { twRegister } from '../../../src/ingest/registers/tw/register.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { listKnownFilings, readWholeFilings } from '../../../src/wholeFilings/knownFilingQueries.ts'
import { loadTerms } from '../../../src/wholeFilings/termQueries.ts'
import { freshDatabases } from '../../freshDatabases.ts'
import { nonEmpty } from '../../nonEmpty.ts'

setDefaultTimeout(120_000)

const fixtures = join(import.meta.dir, '../registers')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-asia-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000)
const fresh = freshDatabases()

const load = (sql: Sql, register: Register, path: string) =>
  importRegister(sql, register, { paths: [path], observedOn: '2026-11-20' }, () => {})

/** What was known of a company's filings as of a day: each with one of its concepts, as `accession source end value`. */
async function known(sql: Sql, issuerId: string, concept: string, asOf: string): Promise<string[]> {
  const [{ id }] = await sql<
    { id: number }[]
  >`select entity_id as id from entity where issuer_id = ${issuerId}`
  const filings = await listKnownFilings(sql, id, asOf)
  const wholes = await readWholeFilings(sql, await loadTerms(sql), filings)
  return wholes.flatMap(({ figures }, at) =>
    figures
      .filter(figure => figure.concept === concept)
      .map(({ context, value }) =>
        [
          filings[at].accession,
          filings[at].source,
          isoDate(context.end),
          ...context.dimensions.map(({ member }) => member),
          value,
        ].join(' '),
      ),
  )
}

test('a Japanese report is known in full from its filing day on', async () => {
  const sql = await fresh()
  const name = 'jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl'
  const report = join(folder, 'S100TMMG')
  mkdirSync(report)
  const text = await Bun.file(join(fixtures, 'jp/fixtures', name)).text()
  await Bun.write(join(report, name), text)
  const { read } = await load(sql, jpRegister, report)
  expect([read.skipped, read.malformed]).toEqual([[], 0])
  const concept = 'jppfs_cor:Assets'
  expect(await known(sql, 'E02367', concept, '2024-06-27')).toEqual([])
  // Nintendo's instance, lines 113 and 114 of the fixture and those of the company alone.
  const assets = [
    'JP:S100TMMG dataSet 2023-03-31 2854284000000',
    'JP:S100TMMG dataSet 2023-03-31 jppfs_cor:NonConsolidatedMember 2000964000000',
    'JP:S100TMMG dataSet 2024-03-31 3151394000000',
    'JP:S100TMMG dataSet 2024-03-31 jppfs_cor:NonConsolidatedMember 2071105000000',
  ]
  for (const day of ['2024-06-28', '2024-06-29', '2026-01-01'])
    expect((await known(sql, 'E02367', concept, day)).toSorted()).toEqual(assets)
  const [row] = await sql<{ figures: number; end: string }[]>`
    select figures, period_end::text as end from whole_filing`
  expect(row).toEqual({ figures: [...text.matchAll(/ unitRef="/g)].length, end: '2024-03-31' })
})

test('the CSV of a Japanese report keeps its elements in order, and dates only what it can', async () => {
  const sql = await fresh()
  const name = 'jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.csv'
  const text = new TextDecoder('utf-16le').decode(await Bun.file(join(fixtures, 'jp/fixtures', name)).bytes())
  const unlabelled = '"jpcrp_cor:NetSalesSummaryOfBusinessResults"\t""'
  expect(text).toContain(unlabelled)
  const path = join(folder, name)
  await Bun.write(path, text.replaceAll(unlabelled, unlabelled.replace('""', '"売上高、経営指標等"')))
  await load(sql, jpRegister, path)
  const assets = await known(sql, 'E02367', 'jppfs_cor:Assets', '2024-06-28')
  expect(assets).toContain(`JP:${name.slice(0, -4)} figures 2024-03-31 3151394000000`)
  // 純資産額, 2022-03-31: the CSV calls that year 三期前 or 前々期 without its days.
  const equity = await known(sql, 'E02367', 'jpcrp_cor:NetAssetsSummaryOfBusinessResults', '2024-06-28')
  expect(nonEmpty(equity.filter(row => row.includes('Prior2YearInstant')))[0]).toEndWith(
    '2024-03-31 Prior2YearInstant 2069310000000',
  )
  const [{ id }] = await sql<{ id: number }[]>`select entity_id as id from entity where issuer_id = 'E02367'`
  const [whole] = await readWholeFilings(
    sql,
    await loadTerms(sql),
    await listKnownFilings(sql, id, '2024-06-28'),
  )
  const [statement] = whole.statements
  expect([whole.statements.length, statement.kind]).toEqual([1, null])
  // Lines 2 and 3. The fixture omits all labels, so the test adds one.
  expect(statement.lines.slice(0, 2).map(({ concept, label }) => [concept, label])).toEqual([
    ['jpdei_cor:NumberOfSubmissionDEI', null],
    ['jpcrp_cor:NetSalesSummaryOfBusinessResults', '売上高、経営指標等'],
  ])
})

test('a Korean report is known in full from its receipt on', async () => {
  const sql = await fresh()
  const path = join(fixtures, 'kr/fixtures/fnlttSinglAcntAll_00164779_2020_11014_CFS.json')
  await load(sql, krRegister, path)
  expect(await known(sql, '00164779', 'ifrs-full:Assets', '2020-11-15')).toEqual([])
  const assets = await known(sql, '00164779', 'ifrs-full:Assets', '2020-11-16')
  expect(assets.length).toBe(2)
  expect(await known(sql, '00164779', 'ifrs-full:Assets', '2021-11-16')).toEqual(assets)
  const [row] = await sql<{ figures: number }[]>`select figures from whole_filing`
  const amounts = [...(await Bun.file(path).text()).matchAll(/_amount": *"[^"]*\d[^"]*"/g)]
  expect(row.figures).toBe(nonEmpty(amounts).length)
})

test('the two accounts of a Korean receipt may come in two files, in any order', async () => {
  const line = (account: string, name: string, ord: string, amount: string) => ({
    ...{ rcept_no: '20210331000001', reprt_code: '11011', bsns_year: '2020', corp_code: '00164779' },
    ...{ sj_div: 'BS', sj_nm: '재무상태표', account_id: account, account_nm: name, ord, currency: 'KRW' },
    thstrm_amount: amount,
  })
  const files = [
    [
      'CFS',
      [line('ifrs-full_Assets', '자산총계', '1', '200'), line('ifrs-full_Equity', '자본총계', '2', '90')],
    ],
    ['OFS', [line('ifrs-full_Assets', '자산총계', '1', '150')]],
  ] as const
  const paths: string[] = []
  for (const [accounts, list] of files) {
    const path = join(folder, `fnlttSinglAcntAll_00164779_2020_11011_${accounts}.json`)
    await Bun.write(path, JSON.stringify({ status: '000', message: 'ok', list }))
    paths.push(path)
  }
  const expected = [
    'KR:20210331000001 dataSet 2020-12-31 200',
    'KR:20210331000001 dataSet 2020-12-31 ifrs-full:SeparateMember 150',
  ]
  for (const order of [paths, paths.toReversed(), [...paths, paths[0]]]) {
    const sql = await fresh()
    for (const path of order) await load(sql, krRegister, path)
    expect((await known(sql, '00164779', 'ifrs-full:Assets', '2021-03-31')).toSorted()).toEqual(expected)
    const [row] = await sql<{ figures: number; lines: number }[]>`select figures, lines from whole_filing`
    expect(row).toEqual({ figures: 3, lines: 3 })
  }
})

/** The rows that a reader may see, as text. */
const rowsOf = async (sql: Sql) =>
  (
    await sql<{ row: string }[]>`
    select concat_ws('|', l.accession, w.seen_on, w.source, w.figures, w.lines) as row
    from whole_filing w join filing l using (filing_id) order by 1`
  ).map(({ row }) => row)

test('a later table of Taiwan shows from its day on, whatever is imported first', async () => {
  const first = join(fixtures, 'tw/fixtures/t187ap06_L_ci.json')
  const later = join(folder, 't187ap06_L_ci.json')
  const text = await Bun.file(first).text()
  await Bun.write(later, text.replaceAll('1150817', '1150831').replace('71289957.00', '71289950.00'))
  const revenueOn = (sql: Sql) => (day: string) => known(sql, '1101', '營業收入', day)
  const days = ['2026-08-13', '2026-08-14', '2026-08-30', '2026-08-31', '2026-11-20']
  const stated = (value: string) => [`TW:1101:2026Q2 dataSet 2026-06-30 ${value}`]
  const expected = [
    [],
    stated('71289957000'),
    stated('71289957000'),
    stated('71289950000'),
    stated('71289950000'),
  ]
  const forward = await fresh()
  await load(forward, twRegister, first)
  // Another company's cells did not change, so its content has one row.
  await load(forward, twRegister, later)
  expect(await Promise.all(days.map(revenueOn(forward)))).toEqual(expected)
  const rows = await rowsOf(forward)
  expect(rows.filter(row => row.startsWith('TW:1101:')).length).toBe(2)
  expect(rows.filter(row => row.startsWith('TW:2317:')).length).toBe(1)
  const backward = await fresh()
  await load(backward, twRegister, later)
  await load(backward, twRegister, first)
  expect(await Promise.all(days.map(revenueOn(backward)))).toEqual(expected)
  expect(await rowsOf(backward)).toEqual(rows)
})

test('an edited return of New Zealand shows from the day of its pull on, whatever is imported first', async () => {
  // Return 395815: total assets 1,771,593,000 on 2024-06-30.
  const text = await Bun.file(join(fixtures, 'nz/fixtures/returns.json')).text()
  const pulls = [
    ['2025-03-01', text],
    ['2025-05-01', text.replaceAll('1771593000', '1771000000')],
  ] as const
  const pullInto = async (sql: Sql, [observedOn, content]: (typeof pulls)[number]) => {
    const path = join(folder, `${observedOn}.json`)
    await Bun.write(path, content)
    await importRegister(sql, nzRegister, { paths: [path], observedOn, isDayKnown: true }, () => {})
  }
  const assetsOn = (sql: Sql) => async (day: string) =>
    (await known(sql, 'CC40675', 'TotalAssets', day)).filter(row => row.includes('2024-06-30'))
  const days = ['2025-01-02', '2025-01-03', '2025-04-30', '2025-05-01']
  const forward = await fresh()
  for (const pull of pulls) await pullInto(forward, pull)
  const seen = await Promise.all(days.map(assetsOn(forward)))
  const backward = await fresh()
  for (const pull of pulls.toReversed()) await pullInto(backward, pull)
  expect(await Promise.all(days.map(assetsOn(backward)))).toEqual(seen)
  const stated = (value: string) => [`NZ:000395815 dataSet 2024-06-30 ${value}`]
  expect(seen).toEqual([[], stated('1771593000'), stated('1771593000'), stated('1771000000')])
  expect(await rowsOf(backward)).toEqual(await rowsOf(forward))
})
