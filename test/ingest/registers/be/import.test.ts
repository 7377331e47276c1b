import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FormatRegistry } from '@sinclair/typebox'
import { isIsoDate } from '../../../../src/dates.ts'
import { checkCoverage } from '../../../../src/features/coverage/check.ts'
import type { FundamentalsQuery } from '../../../../src/features/fundamentals/schema.ts'
import { importRegister, type RegisterImport } from '../../../../src/ingest/import/importRegister.ts'
import { beRegister } from '../../../../src/ingest/registers/be/register.ts'
import { loadMarkets } from '../../../../src/markets/markets.ts'
import { type TestDatabase, testDatabase } from '../../../database.ts'
import { readStored } from '../../../features/fundamentals/readStored.ts'
import { zipped } from '../../../zipped.ts'
import { storedFacts } from '../../stored.ts'
import { accounts, microReference, reference } from './documents.ts'

FormatRegistry.Set('date', isIsoDate)
setDefaultTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-be-'))
const fixtures = new URL('fixtures/', import.meta.url).pathname
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

const run = (...paths: string[]): Promise<RegisterImport> =>
  importRegister(db.sql, beRegister, { paths, observedOn: '2026-01-01' }, () => {})

const place = (name: string, content: string | Uint8Array) => {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, content)
  return path
}

const ask = (query: FundamentalsQuery) => readStored(db.sql, query)

// Enterprise 0410682657, accounts of 2016; the anonymous micro filing 0925590628, accounts of 2022.
test('accounts that are read before their references are dated by them, and a second import adds nothing', async () => {
  mkdirSync(join(folder, 'all/accounts'), { recursive: true })
  cpSync(join(fixtures, 'npo-0410682657-2016.xbrl'), join(folder, 'all/accounts/2017-00000001.xbrl'))
  cpSync(join(fixtures, 'micro-0925590628-2022.xbrl'), join(folder, 'all/accounts/2023-00000002.xbrl'))
  place('all/references/npo.json', JSON.stringify([reference()]))
  place('all/references/micro.json', JSON.stringify([microReference]))
  const first = await run(join(folder, 'all'))
  expect(first.read).toMatchObject({ documents: 4, malformed: 0, skipped: [] })
  expect(first.read.bytesRead).toBeGreaterThan(0)
  const facts = await storedFacts(db.sql)
  expect(
    facts.some(row => row.startsWith('0410682657|revenue|0|2016|EUR|70|2016-01-01|2016-12-31|2017-06-28')),
  ).toBe(true)
  expect(facts.some(row => row.startsWith('0410682657|net_margin|0|2016|'))).toBe(true)
  const second = await run(join(folder, 'all'))
  expect(second.read).toMatchObject({ documents: 4, documentsUnchanged: 2 })
  expect(second.written).toMatchObject({ factsAdded: 0, changed: false })
  expect(await storedFacts(db.sql)).toEqual(facts)
})

test('a figure is visible from its deposit date on and not a day before', async () => {
  const values = async (as_of: string) =>
    (await ask({ ticker: '0410682657.BE', as_of, view: 'latest', metric: 'revenue' })).data.map(row => row.v)
  expect(await values('2017-06-27')).toEqual([])
  expect(await values('2017-06-28')).toEqual([21_726_317])
})

test('a micro company without revenue gets a note that explains why, and its gross margin is not revenue', async () => {
  const revenue = await ask({ ticker: '0925590628.BE', metric: 'revenue' })
  expect(revenue.count).toBe(0)
  expect(revenue.note).toContain('reports no revenue')
  expect(revenue.note).toContain('gross margin (rubric 9900) instead of turnover (rubric 70)')
  expect(revenue.note).toContain('It reports: assets')
  expect((await ask({ ticker: '0925590628.BE', metric: 'net_margin' })).note).toContain('It needs revenue')
  const margin = await ask({ ticker: '0925590628.BE', metric: 'gross_profit', view: 'latest' })
  expect(margin.data.map(({ v, u, fy, filed }) => [v, u, fy, filed])).toEqual([
    [48_786.15, 'EUR', 2022, '2023-06-20'],
  ])
  // Before the deposit the answer must not reveal it.
  const early = await ask({ ticker: '0925590628.BE', metric: 'revenue', as_of: '2023-06-19' })
  expect(early.note).not.toContain('gross_profit')
})

test('the coverage check accepts the number with BE, with dots or without its leading zero', async () => {
  const bench = { sql: db.sql, markets: await loadMarkets(), today: () => '2026-11-20' }
  for (const id of ['0925590628', 'BE0925.590.628', '925590628', '0925590628.BE']) {
    const { ticker, data } = await checkCoverage(bench, id)
    expect([
      ticker,
      data.some(({ m }) => m === 'gross_profit'),
      data.some(({ m }) => m === 'revenue'),
    ]).toEqual(['0925590628.BE', true, false])
  }
})

test('accounts without their reference are left out, and taken by a later import that has it', async () => {
  const packed = zipped([
    {
      name: 'deposit.json',
      content: Buffer.from(JSON.stringify(accounts([['20/58', 'N', '5']], '2025-00000007'))),
    },
    { name: 'readme.txt', content: Buffer.from('x') },
  ])
  const daily = place('daily.zip', packed)
  const before = await storedFacts(db.sql)
  const alone = await run(daily)
  expect([...alone.read.leftOut]).toEqual([['accounts whose reference is not among the files', 1]])
  expect(alone.read).toMatchObject({ documents: 1, documentsUnchanged: 0, skipped: [] })
  expect(await storedFacts(db.sql)).toEqual(before)
  const references = place(
    'references.json',
    JSON.stringify([
      reference({
        ReferenceNumber: '2025-00000007',
        DepositDate: '2025-07-01',
        ExerciseDates: { startDate: '2024-07-01', endDate: '2025-06-30' },
      }),
    ]),
  )
  const late = await run(daily, references)
  expect([...late.read.leftOut]).toEqual([])
  const added = (await storedFacts(db.sql)).filter(row => !before.includes(row))
  // A balance on the last day of June closes a fiscal year.
  expect(added).toEqual([
    '0410682657|assets|0|2025|EUR|20/58|-|2025-06-30|2025-07-01|infinity|-|5|f|BE:2025-00000007',
  ])
  expect((await run(daily, references)).read).toMatchObject({ documents: 2, documentsUnchanged: 1 })
})

test('a reference with a later date, in a later import, moves the deposit to that date', async () => {
  const later = reference({
    ReferenceNumber: '2025-00000007',
    DepositDate: '2025-07-09',
    ExerciseDates: { startDate: '2024-07-01', endDate: '2025-06-30' },
  })
  await run(place('later.json', JSON.stringify([later])))
  const moved = (await storedFacts(db.sql)).filter(row => row.endsWith('BE:2025-00000007'))
  expect(moved.map(row => row.split('|')[8])).toEqual(['2025-07-09'])
  // Importing the earlier date again changes nothing.
  await run(join(folder, 'references.json'))
  expect((await storedFacts(db.sql)).filter(row => row.endsWith('BE:2025-00000007'))).toEqual(moved)
})

test('a cut zip is reported, and nothing is read from a damaged entry', async () => {
  const content = Buffer.from(JSON.stringify(accounts([['20/58', 'N', '6']], '2025-00000007')))
  const whole = zipped([{ name: 'deposit.json', content }])
  const before = await storedFacts(db.sql)
  const cut = await run(place('cut.zip', whole.subarray(0, 60)))
  expect(cut.read.skipped.map(({ reason }) => reason)).toEqual([
    expect.stringContaining('The zip cannot be read'),
  ])
  const damaged = Buffer.from(whole)
  damaged[60] ^= 0xff
  const broken = await run(place('damaged.zip', damaged), join(folder, 'references.json'))
  expect(broken.read.skipped.map(({ name }) => name)).toEqual([
    expect.stringContaining('damaged.zip!deposit.json'),
  ])
  expect(await storedFacts(db.sql)).toEqual(before)
})
