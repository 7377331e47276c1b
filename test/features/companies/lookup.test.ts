import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Failure } from '../../../src/errors.ts'
import { companyDirectory } from '../../../src/features/companies/directory.ts'
import { resolveCompanies } from '../../../src/features/companies/lookup.ts'
import { type CompanyBench, companyBench, insertEntity } from './fixtures.ts'

let bench: CompanyBench
beforeAll(async () => {
  bench = await companyBench()
}, 180_000)
afterAll(() => bench.database.close(), 60_000)

async function failure(ticker: string): Promise<Failure> {
  try {
    await resolveCompanies(bench, [ticker], null)
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

describe('the number of a register (issuer_id)', () => {
  const resolved = async (...sent: string[]) =>
    (await resolveCompanies(bench, sent, null)).map(({ ticker, issuerId, sentId }) => [
      ticker,
      issuerId,
      sentId,
    ])

  test('is an ID, with and without the directory', async () => {
    const expected = [['005930.KS', '00126380', '00126380']]
    expect(await resolved('00126380')).toEqual(expected)
    const directory = companyDirectory(bench.sql)
    for (let tries = 0; tries < 2; tries++) {
      const [company] = await resolveCompanies({ ...bench, directory }, ['00126380'], null)
      expect([[company?.ticker, company?.issuerId, company?.sentId]]).toEqual(expected)
    }
  })

  test('that registers of two markets gave names neither company, and the refusal names both', async () => {
    const number = '0410999999'
    await insertEntity(bench.sql, { market: 'BE', issuerId: number, ticker: `${number}.BE`, name: 'Een' })
    expect(await resolved(number)).toEqual([[`${number}.BE`, number, number]])
    await insertEntity(bench.sql, { market: 'US', issuerId: number, ticker: 'EEN', name: 'One' })
    const { code, message, details } = await failure(number)
    expect([code, details.near]).toEqual(['entity_unknown', [`${number}.BE`, 'EEN']])
    expect(message).toContain('is a registration number in several registers')
  })

  test('that is the ticker of another company is that ticker', async () => {
    await insertEntity(bench.sql, { market: 'US', issuerId: '0000000077', ticker: 'E99999', name: 'Ticker' })
    await insertEntity(bench.sql, { market: 'JP', issuerId: 'E99999', ticker: 'E99999.JP', name: 'Number' })
    expect(await resolved('E99999')).toEqual([['E99999', '0000000077', null]])
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
