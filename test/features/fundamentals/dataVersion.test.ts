import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { CompanyDeps } from '../../../src/features/companies/deps.ts'
import { companyDirectory } from '../../../src/features/companies/directory.ts'
import type { FundamentalsBatch } from '../../../src/features/fundamentals/batchSchema.ts'
import { planCompanies, planCompany } from '../../../src/features/fundamentals/plan.ts'
import { answerCompany } from '../../../src/features/fundamentals/read.ts'
import { streamCompanies } from '../../../src/features/fundamentals/stream.ts'
import type { TransactionSql } from '../../../src/postgres/client.ts'
import { advanceDataVersion } from '../../../src/postgres/dataVersion.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { interceptSql } from '../../http/interceptSql.ts'
import {
  companyDeps,
  entityIdOf,
  evaluationKey,
  insertEntity,
  insertVintages,
  rightsOf,
  seenEntities,
  type Vintage,
} from '../companies/fixtures.ts'

// A company that is made up: it changes its name and restates its revenue on one day.
const before = 'Old Name Inc.'
const after = 'New Name Inc.'
const first: Vintage = ['revenue', 0, 2006, '2006-01-01', '2006-12-31', '2007-02-01', 100, 'made-up-1']
const restated: Vintage = ['revenue', 0, 2006, '2006-01-01', '2006-12-31', '2007-03-01', 101, 'made-up-2']

const opened: TestDatabase[] = []
let database: TestDatabase
let deps: CompanyDeps
let company: number
const who = rightsOf('personal')

beforeEach(async () => {
  database = await testDatabase()
  opened.push(database)
  const { sql } = database
  company = await insertEntity(sql, { market: 'US', issuerId: '9900000001', ticker: 'NAME', name: before })
  await insertVintages(sql, company, [first])
  await insertEntity(sql, { market: 'US', issuerId: '9900000002', ticker: 'OTHER', name: 'Other Inc.' })
  // This directory is never notified of a new data version: it is as late as a notification can be.
  deps = companyDeps(sql, { directory: companyDirectory(sql) })
}, 180_000)
afterAll(async () => {
  for (const one of opened) await one.close()
}, 180_000)

const commit = (work: (transaction: TransactionSql) => Promise<unknown>) =>
  database.sql.begin(async transaction => {
    await work(transaction)
    await advanceDataVersion(transaction, { source: 'us', entities: 1, factsAdded: 1 })
  })

const rename = (transaction: TransactionSql) =>
  transaction`update entity set name = ${after} where entity_id = ${company}`

/** The ID NAME goes to the company OTHER. */
const moveId = (transaction: TransactionSql) =>
  transaction`
    update entity_ticker set entity_id = (select entity_id from entity where ticker = 'OTHER') where ticker = 'NAME'`

describe('an answer is of one data version though an import comes between plan and figures', () => {
  test('one company: its new name with its new figures', async () => {
    const query = { ticker: 'NAME', view: 'latest' } as const
    const plan = await planCompany(deps, who, query)
    await insertVintages(database.sql, company, [restated])
    await commit(rename)
    const list = await answerCompany(deps, who, query, plan)
    expect([list.name, list.data_version, list.data[0].v]).toEqual([after, 1, 101])
  })

  test('an ID that went to another company: that one', async () => {
    const query = { ticker: 'NAME' } as const
    const plan = await planCompany(deps, who, query)
    await commit(moveId)
    const list = await answerCompany(deps, who, query, plan)
    expect([list.name, list.count]).toEqual(['Other Inc.', 0])
  })

  test('an ID that is gone: refused, as a new request would be', async () => {
    const query = { ticker: 'NAME' } as const
    const plan = await planCompany(deps, who, query)
    await commit(transaction => transaction`delete from entity_ticker where ticker = 'NAME'`)
    const refused = answerCompany(deps, who, query, plan)
    await expect(refused).rejects.toMatchObject({ code: 'entity_unknown' })
  })

  test('a cap counts the company that is shown', async () => {
    const evaluation = await evaluationKey(database.sql)
    const plan = await planCompany(deps, evaluation, { ticker: 'NAME' })
    await commit(rename)
    await answerCompany(deps, evaluation, { ticker: 'NAME' }, plan)
    expect(await seenEntities(database.sql, evaluation)).toEqual([company])
  })

  test('a cap counts the company to which an ID went in between, and refuses it where it is full', async () => {
    const query = { ticker: 'NAME' } as const
    const [wide, full] = [await evaluationKey(database.sql, 2), await evaluationKey(database.sql, 1)]
    const planned = [await planCompany(deps, wide, query), await planCompany(deps, full, query)]
    await commit(moveId)
    expect((await answerCompany(deps, wide, query, planned[0])).name).toBe('Other Inc.')
    const refused = answerCompany(deps, full, query, planned[1])
    await expect(refused).rejects.toMatchObject({ code: 'entity_cap_reached' })
    const other = await entityIdOf(database.sql, 'OTHER')
    expect(await seenEntities(database.sql, wide)).toEqual([company, other])
    expect(await seenEntities(database.sql, full)).toEqual([company])
  })

  test('several companies: the names of the snapshot that the figures are of', async () => {
    const query = { ticker: 'NAME,OTHER' }
    const plan = await planCompanies(deps, who, query)
    await insertVintages(database.sql, company, [restated])
    await commit(rename)
    const { body } = await streamCompanies(deps, who, query, plan)
    const batch: FundamentalsBatch = await new Response(body).json()
    expect(batch.data_version).toBe(1)
    expect(batch.companies.map(({ name }) => name)).toEqual([after, 'Other Inc.'])
    expect(batch.data.map(({ v }) => v)).toEqual([100, 101])
  })

  test('a request that every import overtakes is refused and does not wait for ever', async () => {
    let commits = 0
    // The company is counted after it was read: an import commits exactly then, each time.
    const sql = interceptSql(database.sql, text => {
      if (!text.includes('record_entities')) return undefined
      commits++
      return commit(rename)
    })
    const restless = { ...deps, sql }
    const evaluation = await evaluationKey(database.sql)
    const query = { ticker: 'NAME' } as const
    const plan = await planCompany(restless, evaluation, query)
    const refused = answerCompany(restless, evaluation, query, plan)
    await expect(refused).rejects.toMatchObject({ code: 'database_unavailable' })
    expect(commits).toBeGreaterThan(2)
  })
})
