import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkCoverage } from '../../../../src/features/coverage/check.ts'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { krRegister } from '../../../../src/ingest/registers/kr/register.ts'
import type { Sql } from '../../../../src/postgres/client.ts'
import { readDataVersion } from '../../../../src/postgres/dataVersion.ts'
import { companyDeps } from '../../../features/companies/fixtures.ts'
import { readStored } from '../../../features/fundamentals/readStored.ts'
import { freshDatabases } from '../../../freshDatabases.ts'
import { storedFacts, storedRepeats } from '../../stored.ts'

setDefaultTimeout(180_000)

const fixtures = `${import.meta.dir}/fixtures`
const folder = mkdtempSync(join(tmpdir(), 'asfiled-kr-'))
afterAll(() => rmSync(folder, { recursive: true }), 60_000)
const fresh = freshDatabases()

const load = (sql: Sql, ...paths: string[]) =>
  importRegister(sql, krRegister, { paths, observedOn: '2026-01-01' }, () => {})

/** An overview of Hyundai Motor, as `company.json` returns it. */
async function overview(name: string, board: string): Promise<string> {
  const path = join(folder, name)
  const company = { corp_code: '00164742', corp_name: '현대자동차(주)', corp_name_eng: 'HYUNDAI MOTOR CO' }
  await Bun.write(
    path,
    JSON.stringify({ status: '000', ...company, stock_code: '005380', corp_cls: board, acc_mt: '12' }),
  )
  return path
}

const listFiles = [
  `${fixtures}/CORPCODE.xml`,
  `${fixtures}/005930.jsonl`,
  ...['2019_11011', '2020_11011', '2020_11014'].map(
    name => `${fixtures}/fnlttSinglAcntAll_00164779_${name}_CFS.json`,
  ),
]

test('files give the same rows in any order, together or one by one', async () => {
  const together = await fresh()
  await load(together, ...listFiles)
  const rows = await storedFacts(together)
  expect(rows.length).toBeGreaterThan(300)
  for (const order of [listFiles.toReversed(), [...listFiles.slice(3), ...listFiles.slice(0, 3)]]) {
    const apart = await fresh()
    for (const path of order) await load(apart, path)
    expect(await storedFacts(apart)).toEqual(rows)
    expect(await storedRepeats(apart)).toBe(await storedRepeats(together))
    const names = (sql: Sql) =>
      sql`select e.issuer_id, e.ticker, e.name, t.ticker as id from entity e join entity_ticker t using (entity_id) order by 4`
    expect(await names(apart)).toEqual(await names(together))
  }
  const again = await load(together, ...listFiles)
  expect(again.written.changed).toBe(false)
})

test('either suffix is found until an overview names the board, and a note states which was assumed', async () => {
  const sql = await fresh()
  const deps = companyDeps(sql)
  const ask = (ticker: string) => readStored(sql, { ticker })
  await load(sql, `${fixtures}/CORPCODE.xml`)
  for (const [sent, other] of [
    ['005380.KS', '005380.KQ'],
    ['005380.KQ', '005380.KS'],
  ]) {
    const list = await ask(sent)
    expect([list.ticker, list.issuer_id, list.name]).toEqual([sent, '00164742', '현대자동차'])
    const note = `The suffix ${sent.slice(6)} is assumed: it is not on record yet which of .KS and .KQ 005380 has. ${other} is an ID of the same company.`
    expect(list.note).toEndWith(note)
    const check = await checkCoverage(deps, sent)
    expect([check.ticker, check.aliases]).toEqual([sent, [other]])
    expect(check.note).toEndWith(note)
  }
  expect((await checkCoverage(deps, '00164742')).ticker).toBe('005380.KS')

  const version = await readDataVersion(sql)
  await load(sql, await overview('main.json', 'Y'))
  expect(await readDataVersion(sql)).toBe(version + 1)
  const known = await ask('005380.KS')
  expect(known.note).not.toContain('assumed')
  expect(known.name).toBe('현대자동차')
  expect((await checkCoverage(deps, '005380')).aliases).toEqual([])
  const renamed = 'is not the current ID of this company; that is'
  const refuted = await ask('005380.KQ')
  expect([refuted.ticker, refuted.note]).toEqual([
    '005380.KS',
    expect.stringContaining(`005380.KQ ${renamed} 005380.KS`),
  ])
  // The list of companies, imported again, assumes no suffix for a company whose board is known.
  await sql`truncate import_file`
  await load(sql, `${fixtures}/CORPCODE.xml`)
  expect((await ask('005380.KQ')).ticker).toBe('005380.KS')
  // The company moves to the second board.
  await load(sql, await overview('second.json', 'K'))
  expect((await ask('005380.KQ')).issuer_id).toBe('00164742')
  expect((await ask('005380.KS')).ticker).toBe('005380.KQ')
})

test('an overview that is read before the list of companies, or with it, gives the same IDs', async () => {
  const ids = async (...imports: string[][]) => {
    const sql = await fresh()
    for (const paths of imports) await load(sql, ...paths)
    const rows = await sql<{ ticker: string }[]>`
      select t.ticker from entity_ticker t join entity e using (entity_id) where e.issuer_id = '00164742' order by 1`
    return rows.map(row => row.ticker)
  }
  const board = await overview('board.json', 'K')
  const list = `${fixtures}/CORPCODE.xml`
  expect(await ids([board], [list])).toEqual(['005380.KQ'])
  expect(await ids([list], [board])).toEqual(['005380.KQ'])
  expect(await ids([list, board])).toEqual(['005380.KQ'])
  expect(await ids([board, list])).toEqual(['005380.KQ'])
})

/** The reason under which figures of undated statements are counted. */
const undated = 'a report whose closing month is unknown (import its overview with it)'

test('statements wait for the overview in another file, which may come before, with or after them', async () => {
  // Late amendments of Hyundai Motor's reports on 2021 and 2022: their dates do not show when its years end.
  const statements = `${fixtures}/005380.jsonl`
  const company = await overview('hyundai.json', 'Y')
  const joined = join(folder, 'joined.jsonl')
  await Bun.write(joined, `${await Bun.file(company).text()}\n${await Bun.file(statements).text()}`)
  const whole = await fresh()
  await load(whole, joined)
  const rows = await storedFacts(whole)
  // 20240314001466: revenue of 2021, 117,610,626 million won.
  expect(rows.some(row => row.includes('|revenue|0|2021|') && row.includes('|117610626000000|'))).toBe(true)

  for (const order of [
    [statements, company],
    [company, statements],
  ]) {
    const together = await fresh()
    const { read } = await load(together, ...order)
    expect(read.leftOut.get(undated)).toBeUndefined()
    expect(await storedFacts(together)).toEqual(rows)
    // The statements are recorded as imported; the overview is read by every import, because others may need it.
    const again = await load(together, ...order)
    expect([again.read.documents, again.read.documentsUnchanged, again.written.changed]).toEqual([
      2,
      1,
      false,
    ])
  }

  const apart = await fresh()
  for (let time = 0; time < 2; time++) {
    const { read } = await load(apart, statements)
    expect([read.leftOut.get(undated), read.documentsUnchanged]).toEqual([read.figuresRead, 0])
    expect(await storedFacts(apart)).toEqual([])
  }
  await load(apart, company)
  expect(await storedFacts(apart)).toEqual([])
  await load(apart, statements, company)
  expect(await storedFacts(apart)).toEqual(rows)
})

test('a year from April to March is dated by the overview, never as a calendar year', async () => {
  // Shinyoung Securities closes in March; its report on April 2021 to March 2022 was received on 15 June 2022, when one on half
  // a calendar year could not have (kind.krx.co.kr/external/2022/06/15/000642). Number and amount are made up.
  const line = (report: string, year: string, receipt: string) => ({
    rcept_no: receipt,
    reprt_code: report,
    bsns_year: year,
    corp_code: '00136721',
    sj_div: 'BS',
    account_id: 'ifrs-full_Assets',
    account_nm: '자산총계',
    thstrm_amount: '1',
    currency: 'KRW',
  })
  const path = async (name: string, content: unknown) => {
    await Bun.write(join(folder, name), JSON.stringify(content))
    return join(folder, name)
  }
  const annual = await path('annual_CFS.json', {
    status: '000',
    list: [line('11011', '2021', '20220615000642')],
  })
  // An amendment received when a report on a calendar year is due: December would be assumed.
  const amended = await path('amended_CFS.json', {
    status: '000',
    list: [line('11011', '2021', '20220401000001')],
  })
  const company = await path('shinyoung.json', {
    status: '000',
    corp_code: '00136721',
    corp_name: '신영증권(주)',
    stock_code: '001720',
    corp_cls: 'Y',
    acc_mt: '03',
  })
  const ends = async (...imports: string[][]) => {
    const sql = await fresh()
    for (const paths of imports) await load(sql, ...paths)
    return (
      await sql<{ row: string }[]>`
      select concat_ws(' ', l.filed, f.period_end, f.fp) as row from fact f join filing l using (filing_id)
      join metric m using (metric_id) where m.name = 'assets' order by 1`
    ).map(({ row }) => row)
  }
  expect(await ends([annual])).toEqual([])
  for (const order of [
    [annual, company],
    [company, annual],
  ])
    expect(await ends(order)).toEqual(['2022-06-15 2022-03-31 0'])
  expect(await ends([annual], [company], [annual, company])).toEqual(['2022-06-15 2022-03-31 0'])
  // December is assumed only where no overview of the import states another month, whichever is read first.
  expect(await ends([amended])).toEqual(['2022-04-01 2021-12-31 0'])
  for (const order of [
    [amended, company],
    [company, amended],
  ])
    expect(await ends(order)).toEqual([])
})
