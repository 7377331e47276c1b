import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { companyDirectory } from '../../../src/features/companies/directory.ts'
import { findCompanies } from '../../../src/features/companies/queries.ts'
import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import { answerCompany } from '../../../src/features/fundamentals/read.ts'
import { unpackRows } from '../../../src/features/fundamentals/readyRows.ts'
import { dropSecondaryIndexes, maintainFactTables } from '../../../src/ingest/store/bulkIndexes.ts'
import { fillReadyAnswers, sweepReadyAnswers } from '../../../src/ingest/store/readyQueries.ts'
import type { Sql, TransactionSql } from '../../../src/postgres/client.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { interceptSql } from '../../http/interceptSql.ts'
import { testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { companyDeps, entityIdOf } from '../companies/fixtures.ts'
import { reader, withoutReady } from './ready.ts'

setDefaultTimeout(180_000)
let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await sampleDatabase()
  sql = database.sql
}, 180_000)
afterAll(() => database.close())

const readyIds = async (of: Sql | TransactionSql = sql) =>
  (await of<{ ticker: string }[]>`select ticker from ready_answer order by 1`).map(({ ticker }) => ticker)

async function fillAll(): Promise<void> {
  const all = await sql<{ id: number }[]>`select entity_id as id from entity`
  await fillReadyAnswers(
    sql,
    all.map(({ id }) => id),
  )
}

/** What a change removes. The transaction is rolled back. */
async function removedBy(change: (transaction: TransactionSql) => Promise<unknown>): Promise<string[]> {
  await fillAll()
  const undone = new Error('undone')
  let removed: string[] = []
  await sql
    .begin(async transaction => {
      const before = await readyIds(transaction)
      await change(transaction)
      const left = new Set(await readyIds(transaction))
      removed = before.filter(ticker => !left.has(ticker))
      throw undone
    })
    .catch(error => {
      if (error !== undone) throw error
    })
  return removed
}

describe('each change of what an answer shows removes it in the same transaction', () => {
  const apple = async () => entityIdOf(sql, 'AAPL')

  test('a figure that is added, changed or removed', async () => {
    const id = await apple()
    expect(await removedBy(t => t`insert into fact select * from fact where false`)).toEqual([])
    expect(
      await removedBy(
        t => t`
          insert into fact (value, entity_id, filing_id, period_end, filed, metric_id, fy, unit_id, fp)
          select value, entity_id, filing_id, period_end + 1, filed, metric_id, fy, unit_id, fp
          from fact where entity_id = ${id} limit 1`,
      ),
    ).toEqual(['AAPL'])
    expect(await removedBy(t => t`update fact set superseded = filed where entity_id = ${id}`)).toEqual([
      'AAPL',
    ])
    expect(await removedBy(t => t`delete from fact where entity_id = ${id} and metric_id = 1`)).toEqual([
      'AAPL',
    ])
    expect((await removedBy(t => t`truncate fact`)).length).toBeGreaterThan(5)
  })

  test('a name, an ID, and an ID that the company or another one had', async () => {
    const id = await apple()
    expect(await removedBy(t => t`update entity set name = 'Other' where entity_id = ${id}`)).toEqual([
      'AAPL',
    ])
    expect(
      await removedBy(t => t`insert into entity_ticker (ticker, entity_id) values ('AAPL.X', ${id})`),
    ).toEqual(['AAPL'])
    expect(await removedBy(t => t`delete from entity_ticker where ticker = 'AAPL'`)).toEqual(['AAPL'])
    const [other] = (await readyIds()).filter(ticker => /^[A-Z]+$/.test(ticker) && ticker !== 'AAPL')
    expect(
      await removedBy(
        t => t`
          update entity_ticker set entity_id = (select entity_id from entity_ticker where ticker = ${other})
          where ticker = 'AAPL'`,
      ),
    ).toEqual(['AAPL', other].sort())
    expect(
      await removedBy(
        t =>
          t`insert into entity_former_id (ticker, entity_id) select 'AAPL', entity_id from entity_ticker where ticker = ${other}`,
      ),
    ).toEqual(['AAPL'])
  })

  test('the name of a metric or of a unit', async () => {
    expect(
      (await removedBy(t => t`update metric set name = 'sales' where name = 'revenue'`)).length,
    ).toBeGreaterThan(5)
    expect(
      (await removedBy(t => t`update unit set name = 'dollars' where name = 'USD'`)).length,
    ).toBeGreaterThan(5)
  })
})

describe('a row is of no state in between', () => {
  test('nothing is made while another transaction changes data, and what it changed has no row afterwards', async () => {
    await fillAll()
    const id = await entityIdOf(sql, 'AAPL')
    await sql.begin(async transaction => {
      await transaction`update fact set value = value + 1 where entity_id = ${id}`
      const [{ made }] = await sql<
        { made: number | null }[]
      >`select fill_ready_answers(${[id]}::int[]) as made`
      expect(made).toBeNull()
    })
    expect(await readyIds()).not.toContain('AAPL')
    await sql`update fact set value = value - 1 where entity_id = ${id}`
  })

  test('a change waits for a row that is being made, and removes it', async () => {
    const id = await entityIdOf(sql, 'AAPL')
    const order: string[] = []
    let changing: Promise<unknown> = Promise.resolve()
    await sql.begin(async transaction => {
      await fillReadyAnswers(transaction, [id])
      changing = sql`update fact set value = value + 1 where entity_id = ${id}`.then(() =>
        order.push('changed'),
      )
      await Bun.sleep(100)
      order.push('made')
    })
    await changing
    expect(order).toEqual(['made', 'changed'])
    expect(await readyIds()).not.toContain('AAPL')
    await sql`update fact set value = value - 1 where entity_id = ${id}`
    await fillAll()
    expect(await readyIds()).toContain('AAPL')
  })

  test('a bulk load makes none, and the pass after it makes them', async () => {
    await sql`delete from ready_answer`
    while (await sweepReadyAnswers(sql, 1_000));
    const all = await readyIds()
    expect(all.length).toBeGreaterThan(5)
    expect(await sweepReadyAnswers(sql, 1_000)).toBe(false)
    await dropSecondaryIndexes(sql)
    await sql`update fact set value = value where entity_id = (select entity_id from entity where ticker = 'AAPL')`
    await fillAll()
    expect(await readyIds()).not.toContain('AAPL')
    await maintainFactTables(sql, 1)
    let slices = 0
    while (await sweepReadyAnswers(sql, 5)) slices++
    expect(slices).toBeGreaterThan(1)
    expect(await readyIds()).toEqual(all)
  })
})

test('over HTTP a ready answer has status, headers, tag and bytes of the tables, in every form', async () => {
  await fillAll()
  const live = await withoutReady(sql)
  const [{ today }] = await sql<{ today: string }[]>`select import_day() as today`
  const [slow, fast] = await Promise.all(
    [live, sql].map(lookups =>
      testServer(sql, { lookups, directory: companyDirectory(lookups), today: () => today }),
    ),
  )
  let compared = 0
  for (const ticker of nonEmpty((await readyIds()).filter((_, place) => place % 9 === 0).slice(0, 5))) {
    // Each is counted apart.
    const key = await sellKey(sql)
    for (const [form, headers] of [
      ['', {}],
      ['', { 'Accept-Encoding': 'gzip' }],
      ['', { 'Accept-Encoding': 'zstd' }],
      ['&view=history', {}],
      ['&view=history', { 'Accept-Encoding': 'gzip' }],
      ['&view=history&vintage=first', {}],
      ['&view=history&layout=wide', {}],
      ['&format=csv', {}],
      ['&format=ndjson', {}],
      ['&format=parquet', {}],
      ['&metric=revenue', {}],
      ['&fields=accession', {}],
      ['&market=US', {}],
      ['&max_age_days=3000', {}],
      ['&adjust=splits', {}],
    ] as const) {
      for (const caller of [key, 'demo']) {
        const path = `/api/v1/fundamentals?ticker=${ticker}${form.includes('view') ? '' : '&view=latest'}${form}`
        const ask = async (url: string, more: Record<string, string> = {}) => {
          const authorization = { Authorization: `Bearer ${caller}` }
          const address = { 'X-Forwarded-For': `198.51.${compared >> 8}.${compared & 255}` }
          const response = await fetch(url + path, {
            headers: { ...headers, ...more, ...authorization, ...address },
          })
          const shown = [...response.headers].filter(([name]) => !/^date$|request-id|ratelimit/.test(name))
          const tag = response.headers.get('etag') ?? ''
          return { tag, shown, status: response.status, text: await response.text() }
        }
        const expected = await ask(slow.url)
        expect([path, await ask(fast.url)]).toEqual([path, expected])
        const same = { 'If-None-Match': expected.tag }
        expect(await ask(fast.url, same)).toEqual(await ask(slow.url, same))
        compared++
      }
    }
  }
  expect(compared).toBeGreaterThan(40)
  await Promise.all([slow.stop(), fast.stop()])
  await live.end()
})

test('a company that was not requested before costs one statement, a probe by its ID', async () => {
  await fillAll()
  const [{ today }] = await sql<{ today: string }[]>`select import_day() as today`
  const statements: string[] = []
  const counted = interceptSql(sql, text => {
    statements.push(text)
    return undefined
  })
  const directory = companyDirectory(counted)
  // Read once for all companies of a data version.
  await directory.successions()
  statements.length = 0
  const deps = companyDeps(counted, { today: () => today, directory })
  const query = { ticker: 'AAPL', view: 'latest' } as const
  const list = await answerCompany(deps, reader, query, await planCompany(deps, reader, query))
  expect(list.count).toBeGreaterThan(10)
  expect(statements.map(text => /from (\w+)/.exec(text.replace(/\(select[^)]*\)/, ''))?.[1])).toEqual([
    // The fragments of the statement, which find a company without a row.
    undefined,
    'entity_ticker',
    'ready_answer',
  ])
})

test('a company without a row is not looked for again, neither by its ID nor by its row', async () => {
  const id = await entityIdOf(sql, 'AAPL')
  await sql`delete from ready_answer where entity_id = ${id}`
  const [{ today }] = await sql<{ today: string }[]>`select import_day() as today`
  const statements: string[] = []
  const counted = interceptSql(sql, text => {
    statements.push(text)
    return undefined
  })
  const deps = companyDeps(counted, { today: () => today, directory: companyDirectory(counted) })
  const query = { ticker: 'AAPL', view: 'latest' } as const
  const list = await answerCompany(deps, reader, query, await planCompany(deps, reader, query))
  expect(list.count).toBeGreaterThan(10)
  expect(statements.filter(text => text.includes('from ready_answer')).length).toBe(1)
  expect(statements.filter(text => text.includes('from entity_ticker t join entity e')).length).toBe(1)
  await fillAll()
})

test('a request that names several companies does not hold the rows of all of them', async () => {
  await fillAll()
  const ids = await readyIds()
  expect(ids.length).toBeGreaterThan(5)
  const found = await companyDirectory(sql).findAll(ids)
  expect([...found.keys()].sort()).toEqual(ids)
  expect(nonEmpty(found.values()).filter(({ ready }) => ready !== undefined)).toEqual([])
  const plain = await findCompanies(sql, ids)
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(plain))
  const [id] = ids
  expect((await companyDirectory(sql).findAll([id])).get(id)?.ready).toBeDefined()
})

test('rows come in the order of the tables, and figures are the very numbers', () => {
  const packed =
    '[[2020,0,"2020-12-31","2021-02-01","USD",1,null,"roe",0.1],[2020,4,"2020-12-31","2021-02-01","USD",2,null,"revenue",1e+22,"assets",-0]]'
  expect(unpackRows(packed).map(({ m, v, derived, earlier }) => [m, v, derived, earlier])).toEqual([
    ['assets', -0, false, true],
    ['revenue', 1e22, false, true],
    ['roe', 0.1, true, false],
  ])
})
