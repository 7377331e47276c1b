import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Failure } from '../../../src/errors.ts'
import { resolveCompanies } from '../../../src/features/companies/lookup.ts'
import { companyDirectory } from '../../../src/features/companies/queries.ts'
import { type CompanyBench, companyBench, insertEntity } from './fixtures.ts'

let bench: CompanyBench
beforeAll(async () => {
  bench = await companyBench()
}, 60_000)
afterAll(() => bench.database.close(), 60_000)

async function failure(ticker: string): Promise<Failure> {
  try {
    await resolveCompanies(bench, [ticker])
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('an unknown ID', () => {
  const near: [string, string, string][] = [
    ['a letter too many', 'AAPLE', 'AAPL'],
    ['two letters swapped', 'APAL', 'AAPL'],
    ['a wrong letter', 'SNQW', 'SNOW'],
    ['a missing suffix', '005930', '005930.KS'],
    ['an SEC number', '320193', 'AAPL'],
    ['a Korean corporate code', '00126380', '005930.KS'],
    ['a Belgian number without its leading 0', '410682657', '0410682657.BE'],
  ]
  for (const [what, sent, meant] of near) {
    test(`with ${what} is answered with the one that was meant`, async () => {
      const { code, details } = await failure(sent)
      expect(code).toBe('entity_unknown')
      expect(details.near?.[0]).toBe(meant)
      expect(details.near?.length).toBeLessThanOrEqual(3)
    })
  }
  test('that resembles nothing has no near IDs', async () => {
    expect((await failure('QQQQQQQ')).details.near).toEqual([])
  })
})

test('the directory of companies remembers what it found, never that something was unknown, and forgets', async () => {
  const directory = companyDirectory(bench.sql)
  expect((await directory.findAll(['LATER'])).size).toBe(0)
  const entityId = await insertEntity(bench.sql, {
    market: 'US',
    issuerId: '0000000001',
    ticker: 'LATER',
    name: 'Old name',
  })
  expect((await directory.findAll(['LATER'])).get('LATER')?.name).toBe('Old name')
  await bench.sql`update entity set name = 'New name' where entity_id = ${entityId}`
  expect((await directory.findAll(['LATER'])).get('LATER')?.name).toBe('Old name')
  directory.forget()
  expect((await directory.findAll(['LATER'])).get('LATER')?.name).toBe('New name')
})
