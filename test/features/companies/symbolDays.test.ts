import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayNumber } from '../../../src/dates.ts'
import { companyDirectory } from '../../../src/features/companies/directory.ts'
import { readProfile } from '../../../src/features/companyProfile/profile.ts'
import { planFilings, readFilings } from '../../../src/features/filings/filings.ts'
import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../../src/features/fundamentals/read.ts'
import { searchEntities } from '../../../src/features/search/search.ts'
import { saveCoverSymbols } from '../../../src/ingest/store/symbolQueries.ts'
import { importSymbols } from '../../../src/ingest/symbols/importSymbols.ts'
import { parseAsOf } from '../../../src/markets/asOf.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { advanceDataVersion, readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { freshDatabases } from '../../freshDatabases.ts'
import { pinsOf } from '../../pins.ts'
import { type JoinBench, joinBench } from '../asOfJoins/joinBench.ts'
import { archiveOfNames, scoresOf } from '../backtests/scores.ts'
import { readStored } from '../fundamentals/readStored.ts'
import {
  companyDeps,
  evaluationKey,
  insertEntity,
  insertVintages,
  rightsOf,
  seenEntities,
} from './fixtures.ts'

/* Symbols change hands: FB was another company until 2003 and Facebook from 2012-05-18 to 2022-06-08, and no company
 * has had it since. The figures are made up, a different one for each company, so that each answer reveals its
 * company. */

setDefaultTimeout(180_000)

const fresh = freshDatabases()
const folder = mkdtempSync(join(tmpdir(), 'asfiled-symbols-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
/** Imports one list, named like a map file where it is one. */
async function importList(sql: Sql, content: string, name = 'list.csv', today = '2026-11-20') {
  const own = join(folder, String(++files))
  mkdirSync(own)
  const path = join(own, name)
  writeFileSync(path, content)
  return importSymbols(sql, { paths: [path], today, replaces: false }, () => {})
}

const table = `symbol,id,from,to
FB,CIK0000012345,1997-11-06,2003-03-28
FB,1326801,2012-05-18,2022-06-08
META,CIK0001326801,2022-06-09,
`
const mapFile = '20120518,fb,Q\n20220608,fb,Q\n20501231,meta,Q\n'

/** Companies with one revenue for each year from 1998 on, filed on 1 March of the next one. */
async function company(
  sql: Sql,
  issuerId: string,
  ticker: string,
  name: string,
  millions: number,
): Promise<number> {
  const entityId = await insertEntity(sql, { market: 'US', issuerId, ticker, name })
  for (let year = 1998; year < 2026; year++)
    await insertVintages(sql, entityId, [
      [
        'revenue',
        0,
        year,
        `${year}-01-01`,
        `${year}-12-31`,
        `${year + 1}-03-01`,
        millions * 1e6,
        `${issuerId}-${year}`,
      ],
    ])
  return entityId
}

const revenueOf = async (sql: Sql, ticker: string, as_of?: string) => {
  const list = await readStored(sql, {
    ticker,
    metric: 'revenue',
    view: 'latest',
    ...(as_of ? { as_of } : {}),
  })
  return { value: list.data[0]?.v ?? null, assumed: list.symbol_assumed ?? false, note: list.note ?? '' }
}

let sql: Sql
let bench: JoinBench
beforeAll(async () => {
  sql = await fresh()
  await company(sql, '0001326801', 'META', 'Meta Platforms, Inc.', 100)
  await company(sql, '0000012345', 'CIK0000012345', 'First Bancorp', 1)
  await company(sql, '0001067983', 'BRK-B', 'Berkshire Hathaway Inc.', 300)
  await company(sql, '0000000777', 'SEVEN', 'Seven Inc.', 7)
  await sql.begin(transaction =>
    advanceDataVersion(transaction, { source: 'us', entities: 4, factsAdded: 4 }),
  )
  await importList(sql, table)
  bench = await joinBench(sql)
})
afterAll(() => bench.close())

describe('a symbol on a past day', () => {
  test('names the company that had it then', async () => {
    expect(await revenueOf(sql, 'FB', '2015-06-30')).toMatchObject({ value: 100e6, assumed: false })
    expect(await revenueOf(sql, 'FB', '2001-01-02')).toMatchObject({ value: 1e6, assumed: false })
    expect(await revenueOf(sql, 'META', '2023-01-03')).toMatchObject({ value: 100e6, assumed: false })
  })

  test('that no company is known to have had is refused, and the message says which company has it now', async () => {
    await expect(revenueOf(sql, 'FB', '2008-01-02')).rejects.toThrow(
      'FB is not a known company on 2008-01-02. No source on record says which company was FB from 2003-03-29 to 2012-05-17.',
    )
    await expect(revenueOf(sql, 'META', '2015-06-30')).rejects.toThrow(
      'Today it is Meta Platforms, Inc. (META).',
    )
  })

  test('of a company that is not on record never finds the company that has it today', async () => {
    const own = await fresh()
    await company(own, '0001326801', 'META', 'Meta Platforms, Inc.', 100)
    await company(own, '0000000888', 'FB', 'Another Company', 8)
    await importList(own, table)
    await expect(revenueOf(own, 'FB', '2001-01-02')).rejects.toThrow(
      'FB belonged to CIK0000012345 from 1997-11-06 to 2003-03-28, and that company is not loaded here. Today it is Another Company (FB).',
    )
    expect((await revenueOf(own, 'FB', '2015-06-30')).value).toBe(100e6)
    expect((await revenueOf(own, 'FB')).value).toBe(8e6)
  })

  test('is not lost where a list ends it on a day that stands for no end', async () => {
    const own = await fresh()
    await company(own, '0001326801', 'META', 'Meta Platforms, Inc.', 100)
    await importList(own, 'symbol,id,from,to\nFB,1326801,2012-05-18,9999-12-31\n')
    expect((await revenueOf(own, 'FB', '2015-06-30')).value).toBe(100e6)
    const [{ to }] = await own`select to_day as "to" from symbol_spell`
    expect(to).toBeNull()
  })

  test("means today's company if no source says anything, and the answer says that this is assumed", async () => {
    expect(await revenueOf(sql, 'SEVEN', '2015-06-30')).toMatchObject({ value: 7e6, assumed: true })
    expect(await revenueOf(sql, 'SEVEN')).toMatchObject({ value: 7e6, assumed: false })
    expect(await revenueOf(sql, '0000000777', '2015-06-30')).toMatchObject({ value: 7e6, assumed: false })
    expect(await revenueOf(sql, 'CIK0001326801', '2001-01-02')).toMatchObject({
      value: 100e6,
      assumed: false,
    })
  })

  test('is the same with a dot, a hyphen or a slash', async () => {
    for (const spelling of ['BRK-B', 'BRK.B', 'BRK/B', 'brk.b'])
      expect([spelling, (await revenueOf(sql, spelling.toUpperCase())).value]).toEqual([spelling, 300e6])
    await expect(readStored(sql, { ticker: 'BRK.B' })).resolves.toMatchObject({ ticker: 'BRK-B' })
    await importList(sql, 'symbol,id,from,to\nBF/B,777,2001-01-02,2010-12-31\n')
    expect(await revenueOf(sql, 'BF.B', '2005-01-03')).toMatchObject({ value: 7e6, assumed: false })
    expect(await revenueOf(sql, 'BF-B', '2005-01-03')).toMatchObject({ value: 7e6, assumed: false })
  })

  test('names the same company through the directory, which caches', async () => {
    const deps = companyDeps(sql, { directory: companyDirectory(sql) })
    const query = { ticker: 'FB', metric: 'revenue', view: 'latest', as_of: '2001-01-02' } as const
    for (let tries = 0; tries < 2; tries++) {
      const list = await readCompany(deps, await planCompany(deps, rightsOf('personal'), query))
      expect([list.ticker, list.data[0]?.v]).toEqual(['CIK0000012345', 1e6])
    }
  })

  test('decides in /filings, and on the page and the profile of a company', async () => {
    const deps = companyDeps(sql)
    const plan = await planFilings(deps, rightsOf('personal'), { ticker: 'FB', as_of: '2001-01-02' })
    expect((await readFilings(deps, plan)).ticker).toBe('CIK0000012345')
    expect((await readProfile(deps, 'FB', parseAsOf({ as_of: '2015-06-30' }))).issuer_id).toBe('0001326801')
    expect((await readProfile(deps, 'FB', parseAsOf({ as_of: '2001-01-02' }))).issuer_id).toBe('0000012345')
    // The address of a company's page is an ID of today, whichever day it shows, unless that was another company's.
    const profile = await readProfile(deps, 'META', parseAsOf({ as_of: '2015-06-30' }))
    expect(profile.issuer_id).toBe('0001326801')
    expect(profile.note).toContain('No source on record says which company was META before 2022-06-09.')
    // Ends after the day were not known then.
    const fb = { symbol: 'FB', from: '2012-05-18', source: 'operator', known: '2026-11-20' } as const
    expect(profile.symbols).toEqual([{ ...fb, to: null }])
    expect((await readProfile(deps, 'META', parseAsOf({ as_of: '2026-11-20' }))).symbols).toEqual([
      { ...fb, to: '2022-06-08' },
      { ...fb, symbol: 'META', from: '2022-06-09', to: null },
    ])
  })
})

describe('a join', () => {
  test('finds the company of each row by its own date, and says which rows have none', async () => {
    const date = [
      '2001-01-02',
      '2003-03-28',
      '2003-03-29',
      '2010-06-30',
      '2012-05-17',
      '2012-05-18',
      '2022-06-08',
      '2022-06-09',
    ]
    const answer = await bench.join({
      rows: { date, ticker: date.map(() => 'FB') },
      metrics: ['revenue'],
      fp: 'FY',
    })
    expect(answer.columns.revenue).toEqual([1e6, 1e6, null, null, null, 100e6, 100e6, null])
    expect([answer.unknown_count, answer.unmatched?.map(({ from, to, rows }) => [from, to, rows])]).toEqual([
      0,
      [
        ['2003-03-29', '2012-05-17', 3],
        ['2022-06-09', null, 1],
      ],
    ])
    expect(answer.symbol_assumed).toBeUndefined()
  })

  test('names companies in any mix of IDs, and marks what is assumed', async () => {
    const answer = await bench.join({
      rows: {
        date: ['2015-06-30', '2015-06-30', '2015-06-30', '2015-06-30', '2023-01-03'],
        ticker: ['brk.b', 'SEVEN', 'CIK0001326801', 'NOSUCH', 'META'],
      },
      metrics: ['revenue'],
    })
    expect(answer.columns.revenue).toEqual([300e6, 7e6, 100e6, null, 100e6])
    expect([answer.unknown, answer.unmatched, answer.symbol_assumed]).toEqual([['NOSUCH'], undefined, true])
  })

  test('counts only the companies of its rows against the cap of a key, not other holders of their symbols', async () => {
    const rights = await evaluationKey(sql, 1)
    const deps = { ...companyDeps(sql), directory: companyDirectory(sql) }
    const query = { ticker: 'FB', as_of: '2001-01-02' } as const
    await planCompany(deps, rights, query)
    const [old] = await sql<
      { id: number }[]
    >`select entity_id as id from entity where issuer_id = '0000012345'`
    expect(await seenEntities(sql, rights)).toEqual([old?.id ?? 0])
    // A symbol that no company had counts nothing; the symbol of another company is refused.
    await expect(planCompany(deps, rights, { ticker: 'FB', as_of: '2008-01-02' })).rejects.toThrow(
      'not a known company',
    )
    await expect(planCompany(deps, rights, { ticker: 'FB', as_of: '2015-06-30' })).rejects.toThrow(
      'may see 1 distinct',
    )
    expect(await seenEntities(sql, rights)).toHaveLength(1)
  })
})

test('a score of the archive is that of the company that had the symbol on the date', async () => {
  const days = ['2001-01-02', '2003-03-31', '2012-05-18', '2022-06-08', '2022-06-09'].map(dayNumber)
  const archive = archiveOfNames(days, ['FB', 'SEVEN'])
  const wanted = { market: 'US', metric: 'revenue', unit: 'USD', maxAgeDays: 550 }
  const scores = await scoresOf(sql, archive, wanted)
  const of = (asset: string) => scores.filter(row => row.asset === asset).map(row => row.score)
  expect(of('FB')).toEqual([1e6, null, 100e6, 100e6, null])
  expect(of('SEVEN')).toEqual([7e6, 7e6, 7e6, 7e6, 7e6])
})

describe('an import of lists', () => {
  const spells = async (of: Sql) =>
    (
      await of`select symbol, market, issuer_id, holder, from_day, to_day, is_beginning, source, pending
      from symbol_spell order by form, from_day, holder`
    ).map(row => ({ ...row }))

  test('gives the same spells in any order, before and after the companies, and adds nothing twice', async () => {
    const lists = [
      async (of: Sql) => importList(of, table),
      async (of: Sql) => importList(of, mapFile, 'meta.csv'),
      async (of: Sql) =>
        importList(of, 'symbol,id,from,to\nFB,1326801,2012-05-18,\nOLD,12345,1990-01-02,1997-11-05\n'),
      async (of: Sql) => {
        const { importFacts } = await import('../../../src/ingest/import/importFacts.ts')
        const { readJson } = await import('../../../src/ingest/registers/us/readDocument.ts')
        const { usRegister } = await import('../../../src/ingest/registers/us/register.ts')
        const document = { 0: { cik_str: 1326801, ticker: 'META', title: 'Meta Platforms, Inc.' } }
        await importFacts(of, [{ parsed: readJson(document, 'company_tickers.json').parsed }], {
          source: 'us',
          rules: usRegister.rules,
        })
      },
    ]
    const found: object[] = []
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [1, 3, 0, 2],
      [2, 1, 0, 3],
    ]) {
      const own = await fresh()
      for (const index of [...order, ...order]) await lists[index]?.(own)
      found.push(await spells(own))
      const version = await readDataVersion(own)
      expect((await importList(own, table)).dataVersion).toBeNull()
      expect(await readDataVersion(own)).toBe(version)
    }
    for (const other of found) expect(other).toEqual(found[0] ?? {})
    expect(found[0]).toMatchObject([
      { symbol: 'FB', holder: 'CIK0000012345', from_day: '1997-11-06', to_day: '2003-03-28' },
      { symbol: 'FB', issuer_id: '0001326801', from_day: '2012-05-18', to_day: '2022-06-08', pending: null },
      { symbol: 'META', issuer_id: '0001326801', from_day: '2022-06-09', to_day: null },
      { symbol: 'OLD', holder: 'CIK0000012345', from_day: '1990-01-02', to_day: '1997-11-05' },
    ])
  })

  test('names bad lines with their file, and imports the others', async () => {
    const own = await fresh()
    const bad = await importList(
      own,
      'symbol,id,from,to\nFB,1326801,2012-05-18,2022-06-08\nFB,1326801,2012-5-18,\nFB,1326801,2012-05-18,2011-01-01\n,1,2012-05-18,\nX,NOSUCH,2012-05-18,\n',
    )
    expect(bad.faults.map(({ line, reason }) => [line, reason])).toEqual([
      [3, 'from is "2012-5-18", but must be a day as YYYY-MM-DD'],
      [4, 'to, 2011-01-01, is before from, 2012-05-18'],
      [5, 'symbol is "", but must be 1 to 32 letters, digits, dots, hyphens, slashes or spaces'],
      [6, 'id is NOSUCH, which is neither a register number nor the ID of a company here'],
    ])
    expect([bad.spells, bad.added]).toEqual([1, 1])
    const map = await importList(
      own,
      '20120518,fb,Q\n2022,fb,Q\n20220608,fb,Q\n20501231,meta,Q\n',
      'meta.csv',
    )
    expect(map.faults.map(({ line, reason }) => [line, reason])).toEqual([
      [2, 'the day is "2022", but must be YYYYMMDD'],
    ])
    expect([map.added, map.unidentified]).toEqual([2, 1])
    const none = await importList(own, 'ticker,company\nFB,Meta\n')
    expect(none.faults[0]?.reason).toContain('The first line is neither')
  })

  test('of a map file that ends before today does not give its symbols to the company that has them now', async () => {
    const own = await fresh()
    await company(own, '0000000888', 'TWX', 'A new company', 8)
    await importList(own, '20010112,aol,N\n20030917,aol,N\n20180614,twx,N\n', 'twx.csv')
    await expect(revenueOf(own, 'TWX', '2010-01-04')).rejects.toThrow(
      'TWX belonged to another company from 2003-09-18 to 2018-06-14, which a list calls TWX. Today it is A new company (TWX).',
    )
    expect((await revenueOf(own, 'TWX', '2019-01-02')).value).toBe(8e6)
  })
})

test('cover pages give the same spells in whatever order their filings are read', async () => {
  const covers = [
    { accession: 'c-1', filed: '2021-02-01', symbols: ['OLD', 'OLD-WT'] },
    { accession: 'c-2', filed: '2021-05-03', symbols: ['OLD'] },
    { accession: 'c-3', filed: '2022-02-01', symbols: ['NEW'] },
  ].map(cover => ({ ...cover, market: 'US', issuerId: '0000000777' }))
  for (const order of [covers, covers.toReversed()]) {
    const own = await fresh()
    await company(own, '0000000777', 'NEW', 'Seven Inc.', 7)
    for (const cover of order)
      await own.begin(transaction => saveCoverSymbols(transaction, [cover], '2026-11-20'))
    expect((await revenueOf(own, 'OLD-WT', '2021-05-02')).value).toBe(7e6)
    await expect(revenueOf(own, 'OLD-WT', '2021-01-31')).rejects.toThrow('No source on record')
    expect(await revenueOf(own, 'OLD', '2022-01-31')).toMatchObject({ value: 7e6, assumed: false })
    expect(await revenueOf(own, 'NEW', '2022-02-01')).toMatchObject({ value: 7e6, assumed: false })
    await expect(revenueOf(own, 'NEW', '2022-01-31')).rejects.toThrow('No source on record')
  }
})

test('symbols that were imported later change nothing in a pinned version', async () => {
  const own = await fresh()
  await company(own, '0001326801', 'META', 'Meta Platforms, Inc.', 100)
  await company(own, '0000000888', 'FB', 'Another Company', 8)
  const version = await own.begin(transaction =>
    advanceDataVersion(transaction, { source: 'us', entities: 2, factsAdded: 2 }),
  )
  await importList(own, table)
  expect((await revenueOf(own, 'FB', '2015-06-30')).value).toBe(100e6)
  const pins = pinsOf(own)
  try {
    const before = await pins.use(version, store =>
      planCompany({ ...companyDeps(own), ...store }, rightsOf('personal'), {
        ticker: 'FB',
        as_of: '2015-06-30',
      }),
    )
    expect([before.ticker, before.isSymbolAssumed]).toEqual(['FB', true])
    const after = await pins.use(version + 1, store =>
      planCompany({ ...companyDeps(own), ...store }, rightsOf('personal'), {
        ticker: 'FB',
        as_of: '2015-06-30',
      }),
    )
    expect([after.ticker, after.isSymbolAssumed]).toEqual(['META', false])
  } finally {
    await pins.close()
  }
})

test('the search finds former symbols and names, and says when a company had them', async () => {
  expect(await searchEntities(sql, 'fb')).toContainEqual({
    ticker: 'META',
    name: 'Meta Platforms, Inc.',
    market: 'US',
    former: { kind: 'symbol', value: 'FB', from: '2012-05-18', to: '2022-06-08' },
  })
  await sql`update filing set company_name = 'FACEBOOK INC' where accession like '0001326801-%' and filed < '2021-06-01' and filed > '2012-06-01'`
  await sql`update filing set company_name = 'Meta Platforms, Inc.' where accession like '0001326801-%' and filed > '2021-06-01'`
  expect(await searchEntities(sql, 'facebook')).toEqual([
    {
      ticker: 'META',
      name: 'Meta Platforms, Inc.',
      market: 'US',
      former: { kind: 'name', value: 'FACEBOOK INC', from: '2013-03-01', to: '2021-03-01' },
    },
  ])
  expect((await searchEntities(sql, 'meta'))[0]).toEqual({
    ticker: 'META',
    name: 'Meta Platforms, Inc.',
    market: 'US',
  })
})

test('a map file with two symbols of one day is read without the second, which is reported', async () => {
  const own = await fresh()
  const quirk = '20120518,fb,Q\n20220608,fb,Q\n20220608,xyz,Q\n20501231,meta,Q\n'
  const { spells, faults } = await importList(own, quirk, 'meta.csv')
  expect([spells, faults.map(({ line, reason }) => [line, reason])]).toEqual([
    2,
    [[3, 'XYZ ends on 2022-06-08, before it begins: an earlier line has the same day']],
  ])
  const rows =
    await own`select symbol, from_day as "from", to_day as "to" from symbol_spell order by from_day`
  expect([...rows]).toEqual([
    { symbol: 'FB', from: '2012-05-18', to: '2022-06-08' },
    { symbol: 'META', from: '2022-06-09', to: null },
  ])
})
