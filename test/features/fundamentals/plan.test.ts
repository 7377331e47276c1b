import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Failure } from '../../../src/errors.ts'
import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import type { FundamentalsQuery } from '../../../src/features/fundamentals/schema.ts'
import { licences } from '../../../src/rights/licences.ts'
import { interceptSql } from '../../http/interceptSql.ts'
import {
  type CompanyBench,
  companyBench,
  entityIdOf,
  evaluationKey,
  rightsOf,
  seenEntities,
} from '../companies/fixtures.ts'

let bench: CompanyBench
beforeAll(async () => {
  bench = await companyBench()
}, 180_000)
afterAll(() => bench.database.close(), 60_000)

const plan = (query: FundamentalsQuery, who = rightsOf('personal')) => planCompany(bench, who, query)

async function failure(work: Promise<unknown>): Promise<Failure> {
  try {
    await work
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('what a licence opens (decisions, section 3)', () => {
  for (const licence of licences) {
    const full = !['demo', 'free'].includes(licence)
    test(`${licence}: as_of on a flagship company is open`, async () => {
      const made = await plan({ ticker: 'AAPL', as_of: '2010-02-01' }, rightsOf(licence))
      expect(made).toMatchObject({ asOf: '2010-02-01', recentFiscalYearOnly: false, freeLicence: !full })
    })
    test(`${licence}: as_of on any other company is ${full ? 'open' : 'refused'}`, async () => {
      const work = plan({ ticker: 'SNOW', as_of: '2025-04-01' }, rightsOf(licence))
      if (full) expect(await work).toMatchObject({ recentFiscalYearOnly: false })
      else expect((await failure(work)).code).toBe('licence_required')
    })
    test(`${licence}: without as_of ${full ? 'everything' : 'the most recent fiscal year'} is seen`, async () => {
      const made = await plan({ ticker: 'SNOW' }, rightsOf(licence))
      expect(made).toMatchObject({ asOf: '2026-11-20', recentFiscalYearOnly: !full, freeLicence: !full })
    })
  }

  test('a refusal of as_of says what opens it', async () => {
    const { message, details } = await failure(
      plan({ ticker: 'SNOW', as_of: '2025-04-01' }, rightsOf('demo')),
    )
    expect(message).toContain('evaluation key or a Personal or Commercial data licence')
    expect(message).toContain('AAPL')
    expect(details.param).toBe('as_of')
  })

  test('every ID of a flagship company is flagship', async () => {
    // Whichever of its IDs the operator names.
    for (const named of ['GOOGL', 'GOOG']) {
      const made = await planCompany(bench, rightsOf('demo', {}, [named]), { ticker: 'GOOG' })
      expect(made).toMatchObject({ ticker: 'GOOG', recentFiscalYearOnly: false })
    }
  })
})

describe('the entity cap of an evaluation key', () => {
  test('notes each entity under the key, and refuses the one past the cap', async () => {
    const who = await evaluationKey(bench.sql, 1_000)
    await bench.sql`
      insert into key_entity (key_id, entity_id) select ${who.keyId}::int, -n from generate_series(1, 999) n`
    const first = await planCompany(bench, who, { ticker: 'AAPL' })
    expect(await seenEntities(bench.sql, who)).toContain(first.entityId)
    const refused = await failure(planCompany(bench, who, { ticker: 'SNOW' }))
    expect(refused.code).toBe('entity_cap_reached')
    expect(refused.message).toContain('1,000')
    expect(await seenEntities(bench.sql, who)).not.toContain(await entityIdOf(bench.sql, 'SNOW'))
  })

  test('counts nothing for keys without a cap, unknown entities or refused requests', async () => {
    const deps = {
      ...bench,
      sql: interceptSql(bench.sql, text =>
        text.includes('record_entities') ? Promise.reject(new Error('counted')) : undefined,
      ),
    }
    await planCompany(deps, rightsOf('personal'), { ticker: 'AAPL' })
    const who = rightsOf('evaluation')
    expect((await failure(planCompany(deps, who, { ticker: 'NOSUCH' }))).code).toBe('entity_unknown')
    expect((await failure(planCompany(deps, who, { ticker: 'AAPL', as_of: 'x' }))).code).toBe(
      'parameter_invalid',
    )
    await expect(planCompany(deps, who, { ticker: 'AAPL' })).rejects.toThrow('counted')
  })
})

describe('parameters', () => {
  const refused: [string, FundamentalsQuery, string][] = [
    ['a day that does not exist', { ticker: 'AAPL', as_of: '2024-02-30' }, 'as_of'],
    ['the year 0, which PostgreSQL does not know', { ticker: 'AAPL', as_of: '0000-01-01' }, 'as_of'],
    ['a date with a NUL byte', { ticker: 'AAPL', from: '2024-01-0\0' }, 'from'],
    ['as_of later than today', { ticker: 'AAPL', as_of: '2026-11-21' }, 'as_of'],
    ['a market that is not covered', { ticker: 'AAPL', market: 'XX' }, 'market'],
    ['an unknown metric', { ticker: 'AAPL', metric: 'revenue,revenu' }, 'metric'],
    ['an empty metric', { ticker: 'AAPL', metric: 'revenue,' }, 'metric'],
    ['an ID with a NUL byte', { ticker: 'AA\0PL' }, 'ticker'],
    ['an ID that is a formula', { ticker: '=1+1' }, 'ticker'],
    ['an ID of SQL', { ticker: "A' or '1'='1" }, 'ticker'],
    ['an ID with a lone surrogate', { ticker: 'A\ud800' }, 'ticker'],
    ['a page of one entity', { ticker: 'AAPL', limit: 10 }, 'limit'],
  ]
  for (const [what, query, param] of refused) {
    test(`refuses ${what}`, async () => {
      const { code, details } = await failure(plan(query))
      expect({ code, param: details.param }).toEqual({ code: 'parameter_invalid', param })
    })
  }

  test('takes today, the first day there is, and lower case', async () => {
    expect((await plan({ ticker: 'aapl', as_of: '2026-11-20', market: 'us' })).otherMarket).toBeNull()
    expect((await plan({ ticker: 'AAPL', as_of: '0001-01-01' })).ticker).toBe('AAPL')
  })

  test('names metrics close to an unknown one', async () => {
    const { message, details } = await failure(plan({ ticker: 'AAPL', metric: 'netmargin' }))
    expect(details.near).toContain('net_margin')
    expect(message).toContain('net_margin')
  })
})

describe('the cache key', () => {
  test('is equal for requests that mean the same', async () => {
    const first = await plan({ ticker: 'AAPL', metric: 'revenue, assets,revenue' })
    const second = await plan({
      ticker: 'aapl',
      metric: 'assets,revenue',
      as_of: '2026-11-20',
      view: 'history',
      vintage: 'all',
    })
    expect(first.cacheKey).toBe(second.cacheKey)
  })
  test('differs wherever the bytes differ', async () => {
    const queries: FundamentalsQuery[] = [
      { ticker: 'AAPL' },
      { ticker: 'AAPL', as_of: '2010-02-01' },
      { ticker: 'AAPL', view: 'latest' },
      { ticker: 'AAPL', vintage: 'first' },
      { ticker: 'AAPL', vintage: 'latest' },
      { ticker: 'AAPL', metric: 'revenue' },
      { ticker: 'AAPL', from: '2009-01-01' },
      { ticker: 'AAPL', market: 'JP' },
      { ticker: 'GOOG' },
      { ticker: 'GOOGL' },
      { ticker: 'SNOW' },
    ]
    const keys = new Set<string>()
    for (const query of queries) keys.add((await plan(query)).cacheKey)
    keys.add((await plan({ ticker: 'AAPL' }, rightsOf('demo'))).cacheKey)
    keys.add((await plan({ ticker: 'SNOW' }, rightsOf('demo'))).cacheKey)
    expect(keys.size).toBe(queries.length + 2)
  })
})
