import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { registerFormats } from '../../../src/dates.ts'
import {
  planCompanyRestatements,
  readCompanyRestatements,
} from '../../../src/features/restatements/company.ts'
import {
  planRestatements,
  readRestatements,
  requireMarketQuery,
} from '../../../src/features/restatements/restatements.ts'
import { RestatementList, type RestatementsQuery } from '../../../src/features/restatements/schema.ts'
import type { Rights } from '../../../src/rights/rights.ts'
import {
  asCapped,
  type CompanyBench,
  companyBench,
  entityIdOf,
  evaluationKey,
  rightsOf,
  seenEntities,
  viewerOf,
} from '../companies/fixtures.ts'

registerFormats()

let bench: CompanyBench
beforeAll(async () => {
  bench = await companyBench()
}, 180_000)
afterAll(() => bench.database.close(), 60_000)

const personal = rightsOf('personal')

// Expected values: Apple's 10-K 0001193125-09-214859 and 10-K/A 0001193125-10-012091 (companies/fixtures.ts).
test('restatements show the value before and after, from the day on which the change was filed', async () => {
  const shown = async (change: { from?: string; as_of?: string }) => {
    const plan = planRestatements(bench, viewerOf(personal), { metric: 'revenue', market: 'US', ...change })
    const list = await readRestatements(bench, personal, plan)
    expect([...Value.Errors(RestatementList, list)]).toEqual([])
    return list.data.map(row => [
      row.ticker,
      row.end,
      row.filed_before,
      row.value_before,
      row.filed,
      row.value,
    ])
  }
  const apple = ['AAPL', '2009-09-26', '2009-10-27', 36_537_000_000, '2010-01-25', 42_905_000_000]
  expect(await shown({})).toEqual([apple])
  expect(await shown({ as_of: '2010-01-24' })).toEqual([])
  expect(await shown({ as_of: '2010-01-25', from: '2010-01-25' })).toEqual([apple])
  expect(await shown({ from: '2010-01-26' })).toEqual([])
})

test('restatements say why there are none', async () => {
  const note = async (query: Partial<RestatementsQuery>) => {
    const plan = planRestatements(bench, viewerOf(personal), { metric: 'revenue', market: 'US', ...query })
    return (await readRestatements(bench, personal, plan)).note
  }
  expect(await note({})).toBeUndefined()
  expect(await note({ as_of: '2010-01-24' })).toContain(
    'No company of market US has a change in revenue filed up to 2010-01-24.',
  )
  expect(await note({ from: '2010-01-26' })).toContain('filed from 2010-01-26 to 2026-11-20')
  expect(await note({ from: '2027-01-01' })).toContain('no day is between them')
  expect(await note({ market: 'NZ', metric: 'eps' })).toContain('does not report eps')
  expect(await note({ market: 'BE' })).toContain(bench.markets.get('BE')?.absences.revenue ?? '?')
  expect(await note({ as_of: '2010-01-24', limit: 1 })).toContain('`next` continues')
})

test('companies with a change count against the cap, and at the cap a page is about those that were seen', async () => {
  const [who, full] = [await evaluationKey(bench.sql, 1), await evaluationKey(bench.sql, 1)]
  const ask = (caller: Rights, limit?: number) =>
    asCapped(bench.sql, caller, viewer => {
      const query = { metric: 'revenue', market: 'US', ...(limit === undefined ? {} : { limit }) }
      return readRestatements(bench, caller, planRestatements(bench, viewer, query))
    })
  expect((await ask(who, 1)).count).toBe(1)
  expect(await seenEntities(bench.sql, who)).toEqual([await entityIdOf(bench.sql, 'AAPL')])
  const again = await ask(who)
  expect([again.count, again.seen_only, again.companies_left]).toEqual([1, true, 0])
  const snow = await entityIdOf(bench.sql, 'SNOW')
  await bench.sql`insert into key_entity (key_id, entity_id) values (${full.keyId}, ${snow})`
  const others = await ask(full)
  expect([others.count, others.next, others.seen_only]).toEqual([0, null, true])
  expect(await seenEntities(bench.sql, full)).toEqual([snow])
})

describe('the restatements of one company', () => {
  const ask = async (query: RestatementsQuery & { ticker: string }, who = personal) => {
    const plan = await planCompanyRestatements(bench, who, query, query.ticker)
    const list = await readCompanyRestatements(bench, plan)
    expect([...Value.Errors(RestatementList, list)]).toEqual([])
    return list
  }

  test('are, metric for metric, its part of those of its market', async () => {
    const all = await ask({ ticker: 'AAPL' })
    expect([all.metric, all.ticker, all.market, all.next]).toEqual([null, 'AAPL', 'US', null])
    const metrics = [...new Set(all.data.map(({ m }) => m))]
    expect(metrics).toContain('revenue')
    for (const metric of metrics) {
      const plan = planRestatements(bench, viewerOf(personal), { metric, market: 'US' })
      const { data } = await readRestatements(bench, personal, plan)
      const ofMarket = data.filter(({ ticker }) => ticker === 'AAPL')
      expect([metric, all.data.filter(({ m }) => m === metric)]).toEqual([metric, ofMarket])
      expect((await ask({ ticker: 'AAPL', metric })).data).toEqual(ofMarket)
    }
  })

  test('see nothing that was filed later, and say why there are none', async () => {
    const before = await ask({ ticker: 'AAPL', metric: 'revenue', as_of: '2010-01-24' })
    expect([before.count, before.note]).toEqual([0, 'AAPL has no change in revenue filed up to 2010-01-24.'])
    const on = await ask({ ticker: 'AAPL', metric: 'revenue', as_of: '2010-01-25', from: '2010-01-25' })
    expect(on.data.map(({ filed, value }) => [filed, value])).toEqual([['2010-01-25', 42_905_000_000]])
  })

  test('count the company against a cap before anything is read, and past a cap nothing is told', async () => {
    const who = await evaluationKey(bench.sql, 1)
    await ask({ ticker: 'SNOW' }, who)
    expect(await seenEntities(bench.sql, who)).toEqual([await entityIdOf(bench.sql, 'SNOW')])
    await expect(ask({ ticker: 'AAPL' }, who)).rejects.toThrow('and AAPL would exceed that')
  })

  test('take no market of another company, no cursor, and no unknown metric', async () => {
    const refusals: [object, string][] = [
      [{ market: 'JP' }, 'AAPL belongs to market US, not JP'],
      [{ cursor: 'x' }, 'omit cursor'],
      [{ metric: 'revenues' }, 'metric=revenues is unknown'],
      [{ as_of: '2999-01-01' }, 'in the future'],
    ]
    for (const [query, message] of refusals)
      await expect(ask({ ticker: 'AAPL', ...query })).rejects.toThrow(message)
  })

  test('without a ticker market and metric are required', () => {
    expect(() => requireMarketQuery({ metric: 'revenue' })).toThrow('Send ticker (for example ticker=AAPL)')
    expect(() => requireMarketQuery({ market: 'US' })).toThrow('without ticker it is required')
  })
})
