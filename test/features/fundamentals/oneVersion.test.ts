import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { FundamentalsDeps } from '../../../src/features/companies/deps.ts'
import { entityDirectory } from '../../../src/features/companies/queries.ts'
import { planBatch, planFundamentals } from '../../../src/features/fundamentals/plan.ts'
import { answerFundamentals } from '../../../src/features/fundamentals/read.ts'
import type { FundamentalsBatch } from '../../../src/features/fundamentals/schema.ts'
import { openBatch } from '../../../src/features/fundamentals/stream.ts'
import type { TransactionSql } from '../../../src/postgres/client.ts'
import { advanceDataVersion } from '../../../src/postgres/snapshot.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { insertEntity, insertVintages, markets, principal, type Vintage } from './handmade.ts'

// A company that is made up: it changes its name and restates its revenue on one day.
const before = 'Old Name Inc.'
const after = 'New Name Inc.'
const first: Vintage = ['revenue', 0, 2006, '2006-01-01', '2006-12-31', '2007-02-01', 100, 'made-up-1']
const restated: Vintage = ['revenue', 0, 2006, '2006-01-01', '2006-12-31', '2007-03-01', 101, 'made-up-2']

const opened: TestDatabase[] = []
let database: TestDatabase
let deps: FundamentalsDeps
let company: number
const who = principal('personal')

beforeEach(async () => {
  database = await testDatabase()
  opened.push(database)
  const { sql } = database
  company = await insertEntity(sql, { market: 'US', issuerId: '9900000001', ticker: 'NAME', name: before })
  await insertVintages(sql, company, [first])
  await insertEntity(sql, { market: 'US', issuerId: '9900000002', ticker: 'OTHER', name: 'Other Inc.' })
  // Nobody tells this directory of a new data version: it is as late as a message can be.
  const entities = entityDirectory(sql)
  deps = {
    sql,
    markets,
    today: () => '2026-11-20',
    flagship: new Set(),
    recordEntities: async () => true,
    entities,
  }
}, 60_000)
afterAll(async () => {
  for (const one of opened) await one.close()
}, 60_000)

const commit = (work: (transaction: TransactionSql) => Promise<unknown>) =>
  database.sql.begin(async transaction => {
    await work(transaction)
    await advanceDataVersion(transaction, { source: 'us', entities: 1, factsAdded: 1 })
  })

const rename = (transaction: TransactionSql) =>
  transaction`update entity set name = ${after} where entity_id = ${company}`

describe('an answer is of one data version though an import comes between plan and figures', () => {
  test('one company: its new name with its new figures', async () => {
    const query = { ticker: 'NAME', view: 'latest' } as const
    const plan = await planFundamentals(deps, who, query)
    await insertVintages(database.sql, company, [restated])
    await commit(rename)
    const list = await answerFundamentals(deps, who, query, plan)
    expect([list.name, list.data_version, list.data[0].v]).toEqual([after, 1, 101])
  })

  test('an ID that went to another company: that one', async () => {
    const query = { ticker: 'NAME' } as const
    const plan = await planFundamentals(deps, who, query)
    await commit(
      transaction => transaction`
        update entity_ticker set entity_id = (select entity_id from entity where ticker = 'OTHER') where ticker = 'NAME'`,
    )
    const list = await answerFundamentals(deps, who, query, plan)
    expect([list.name, list.count]).toEqual(['Other Inc.', 0])
  })

  test('an ID that is gone: refused, as it would be asked again', async () => {
    const query = { ticker: 'NAME' } as const
    const plan = await planFundamentals(deps, who, query)
    await commit(transaction => transaction`delete from entity_ticker where ticker = 'NAME'`)
    const refused = answerFundamentals(deps, who, query, plan)
    await expect(refused).rejects.toMatchObject({ code: 'entity_unknown' })
  })

  test('a cap counts the company that is shown', async () => {
    const seen: number[] = []
    const recordEntities = async (_: number, ids: readonly number[]) => seen.push(...ids) > 0
    const capped = { ...deps, recordEntities }
    const evaluation = principal('evaluation')
    const plan = await planFundamentals(capped, evaluation, { ticker: 'NAME' })
    await commit(rename)
    await answerFundamentals(capped, evaluation, { ticker: 'NAME' }, plan)
    expect(seen).toEqual([company, company])
  })

  test('several companies: the names of the snapshot that the figures are of', async () => {
    const query = { ticker: 'NAME,OTHER' }
    const plan = await planBatch(deps, who, query)
    await insertVintages(database.sql, company, [restated])
    await commit(rename)
    const { entities: _, ...fresh } = deps
    const { body } = await openBatch(deps, plan, () => planBatch(fresh, who, query), 'json')
    const batch: FundamentalsBatch = await new Response(body).json()
    expect(batch.data_version).toBe(1)
    expect(batch.companies.map(({ name }) => name)).toEqual([after, 'Other Inc.'])
    expect(batch.data.map(({ v }) => v)).toEqual([100, 101])
  })

  test('one that is never left in peace is refused and not kept waiting for ever', async () => {
    let commits = 0
    // Who is shown is recorded after it was read who that is: an import comes exactly then, each time.
    const recordEntities = async () => {
      commits++
      await commit(rename)
      return true
    }
    const restless = { ...deps, recordEntities }
    const evaluation = principal('evaluation')
    const query = { ticker: 'NAME' } as const
    const plan = await planFundamentals(restless, evaluation, query)
    const refused = answerFundamentals(restless, evaluation, query, plan)
    await expect(refused).rejects.toMatchObject({ code: 'database_unavailable' })
    expect(commits).toBeGreaterThan(2)
  })
})
