import { expect, setDefaultTimeout, test } from 'bun:test'
import { checkCoverage } from '../../../src/features/coverage/check.ts'
import { planCompanies } from '../../../src/features/fundamentals/plan.ts'
import { searchEntities } from '../../../src/features/search/search.ts'
import { importFacts } from '../../../src/ingest/import/importFacts.ts'
import { readJson } from '../../../src/ingest/registers/us/readDocument.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { freshDatabases } from '../../freshDatabases.ts'
import { readStored } from '../fundamentals/readStored.ts'
import { companyDeps, rightsOf } from './fixtures.ts'

setDefaultTimeout(180_000)

const fresh = freshDatabases()

/** Documents of the SEC, one import each: first Advance Auto Parts without a ticker, as companyfacts give it. */
async function load(sql: Sql, ...documents: unknown[]): Promise<void> {
  for (const document of documents) {
    const unit = { parsed: readJson(document, 'CIK0001158449.json').parsed }
    await importFacts(sql, [unit], { source: 'test', rules: usRegister.rules })
  }
}

const facts = (cik: number, entityName: string) => ({ cik, entityName, facts: {} })
const tickers = (...rows: [cik: number, ticker: string, title: string][]) =>
  Object.fromEntries(rows.map(([cik_str, ticker, title], place) => [place, { cik_str, ticker, title }]))

const advance = facts(1158449, 'ADVANCE AUTO PARTS INC')

test('the number under which a company was served leads to it when its ticker is known', async () => {
  const sql = await fresh()
  await load(sql, advance)
  expect((await readStored(sql, { ticker: 'CIK0001158449' })).ticker).toBe('CIK0001158449')
  await load(sql, tickers([1158449, 'AAP', 'ADVANCE AUTO PARTS INC']))
  const list = await readStored(sql, { ticker: 'CIK0001158449' })
  expect([list.ticker, list.issuer_id]).toEqual(['AAP', '0001158449'])
  expect(list.note).toContain('CIK0001158449 is not the current ID of this company; that is AAP.')
  expect((await readStored(sql, { ticker: 'AAP' })).note).not.toContain('CIK0001158449')
  const check = await checkCoverage(companyDeps(sql), 'CIK0001158449')
  expect([check.ticker, check.former_ids]).toEqual(['AAP', ['CIK0001158449']])
  for (const q of ['CIK0001158449', 'cik 1158449', '1158449', '0001158449']) {
    expect([q, (await searchEntities(sql, q)).map(hit => hit.ticker)]).toEqual([q, ['AAP']])
  }
})

test('a database that knew the ticker from the start resolves the number, too', async () => {
  const sql = await fresh()
  await load(sql, tickers([1158449, 'AAP', 'ADVANCE AUTO PARTS INC']))
  expect((await readStored(sql, { ticker: 'CIK0001158449' })).ticker).toBe('AAP')
  await expect(readStored(sql, { ticker: 'CIK0000000449' })).rejects.toThrow('is not a known company')
})

test('a ticker that was replaced leads to its company, and the search finds it', async () => {
  const sql = await fresh()
  await load(
    sql,
    tickers([1326801, 'FB', 'Facebook Inc']),
    tickers([1326801, 'META', 'Meta Platforms, Inc.']),
  )
  const list = await readStored(sql, { ticker: 'FB' })
  expect([list.ticker, list.name]).toEqual(['META', 'Meta Platforms, Inc.'])
  expect(list.note).toContain('FB is not the current ID of this company; that is META.')
  expect((await searchEntities(sql, 'fb')).map(hit => hit.ticker)).toEqual(['META'])
  // An ID that is given back is current again.
  await load(sql, tickers([1326801, 'FB', 'Meta Platforms, Inc.'], [1326801, 'META', 'Meta Platforms, Inc.']))
  expect((await checkCoverage(companyDeps(sql), 'META')).former_ids).toEqual([])
  expect((await readStored(sql, { ticker: 'FB' })).ticker).toBe('FB')
})

test('a ticker that changed hands leads to its holder of today, and the answer names the former', async () => {
  const sql = await fresh()
  await load(sql, tickers([10, 'META', 'Roundhill Ball Metaverse ETF']), tickers([1326801, 'META', 'Meta']))
  const list = await readStored(sql, { ticker: 'META' })
  expect([list.ticker, list.issuer_id]).toEqual(['META', '0001326801'])
  expect(list.note).toContain('META was the ID of another company before: CIK0000000010.')
  const check = await checkCoverage(companyDeps(sql), 'META')
  expect([check.issuer_id, check.also]).toEqual(['0001326801', undefined])
  expect(check.note).toContain('META was the ID of another company before: CIK0000000010.')
  expect((await checkCoverage(companyDeps(sql), 'CIK0000000010')).former_ids).toEqual(['META'])
  // The former holder follows the one of today.
  expect((await searchEntities(sql, 'meta')).map(hit => hit.ticker)).toEqual(['META', 'CIK0000000010'])
})

test('a former ID next to the current one is refused: the rows of the company would come twice', async () => {
  const sql = await fresh()
  await load(
    sql,
    tickers([1326801, 'FB', 'Facebook Inc']),
    tickers([1326801, 'META', 'Meta Platforms, Inc.']),
  )
  const plan = (ticker: string) => planCompanies(companyDeps(sql), rightsOf('personal'), { ticker })
  await expect(plan('FB,META')).rejects.toThrow('META more than once: FB is another ID of it')
  await expect(plan('META,CIK0001326801')).rejects.toThrow('more than once')
  expect((await plan('FB')).companies.map(company => company.ticker)).toEqual(['META'])
})
