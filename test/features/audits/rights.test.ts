import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { addDays } from '../../../src/dates.ts'
import type { Audit } from '../../../src/features/audits/schema.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { insertCompanies, insertEntity, insertVintages } from '../companies/fixtures.ts'
import { firstDay, importAs, statementsOf } from '../companies/randomFilings.ts'

/* Who may audit which companies: as for joins, and all companies that an answer could be about count before a figure is read. */

setDefaultTimeout(120_000)

let database: TestDatabase
let server: TestServer
const ids: Record<string, number> = {}

/** OLD had the symbol SYM until 2014, then NEXT; PRE was succeeded by POST. */
beforeAll(async () => {
  database = await testDatabase()
  const { sql } = database
  await insertCompanies(sql)
  for (const [index, ticker] of ['OLD', 'NEXT', 'PRE', 'POST', 'ALONE'].entries()) {
    const issuerId = `00000088${index}0`
    ids[ticker] = await insertEntity(sql, { market: 'US', issuerId, ticker, name: ticker })
    const value = 1_000_000 + index * 1_111
    await insertVintages(sql, ids[ticker], [
      ['revenue', 0, 2013, '2013-01-01', '2013-12-31', '2014-02-10', value, `f-${ticker}`],
    ])
  }
  for (const [issuer, from, to] of [
    ['0000008800', '2000-01-01', '2014-06-30'],
    ['0000008810', '2014-07-01', null],
  ])
    await sql`
      insert into symbol_spell (symbol, market, issuer_id, holder, from_day, to_day, is_beginning, source, known)
      values ('SYM', 'US', ${issuer}, ${`CIK${issuer}`}, ${from}, ${to}, true, 'operator', ${from})`
  await sql`
    insert into succession (market, predecessor, successor, from_day, known, source)
    values ('US', '0000008820', '0000008830', '2014-07-01', '2014-07-01', 'operator')`
  server = await testServer(sql, {}, { FLAGSHIP_TICKERS: 'AAPL' })
})
afterAll(async () => {
  await server.stop()
  await database.close()
})

const post = (authorization: string, rows: object, more: object = {}) =>
  fetch(`${server.url}/api/v1/audits`, {
    method: 'POST',
    headers: { Authorization: authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      rows,
      columns: { revenue: { metric: 'revenue', fp: 'FY', scale: 1 } },
      with: ['filing'],
      ...more,
    }),
  })
const row = (ticker: string, date: string, revenue: number) => ({
  date: [date],
  ticker: [ticker],
  revenue: [revenue],
})

async function capped(
  sql: Sql,
  cap: number,
): Promise<{ authorization: string; seen: () => Promise<string[]> }> {
  const key = await sellKey(sql, { licence: 'evaluation', expires: '2099-01-01' })
  const [{ id }] = await sql<{ id: number }[]>`select max(key_id) as id from api_key`
  await sql`update key_grant set entity_cap = ${cap} where key_id = ${id}`
  return {
    authorization: `Bearer ${key}`,
    seen: async () => {
      const rows = await sql<{ ticker: string }[]>`
        select ticker from key_entity join entity using (entity_id) where key_id = ${id} order by entity_id`
      return rows.map(({ ticker }) => ticker)
    },
  }
}

test('a free key and the demo key audit flagship companies, and are refused others without a look at their figures', async () => {
  const free = `Bearer ${await sellKey(database.sql, { licence: 'free' })}`
  for (const key of [free, 'Bearer demo']) {
    const own = await post(key, row('AAPL', '2010-01-25', 36_537e6))
    expect(own.status).toBe(200)
    const answer: Audit = await own.json()
    expect([answer.counts.known, answer.licence !== undefined]).toEqual([1, true])
    const answers: string[] = []
    // Values that are known, early and of nobody: the refusal is the same.
    for (const value of [1_004_444, 17, 1_003_333]) {
      const response = await post(key, row('ALONE', '2014-03-01', value))
      const { error } = await response.json()
      answers.push(`${response.status} ${error.code} ${error.message}`)
    }
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toStartWith('403 licence_required')
  }
})

test('another holder of a symbol counts, although no row is of its days, and is refused over the cap', async () => {
  const one = await capped(database.sql, 1)
  const refused = await post(one.authorization, row('SYM', '2015-01-01', 1_000_000))
  expect([refused.status, (await refused.json()).error.code]).toEqual([403, 'entity_cap_reached'])
  expect(await one.seen()).toEqual([])
  const two = await capped(database.sql, 2)
  const answer = await post(two.authorization, row('SYM', '2015-01-01', 1_000_000))
  const found = await answer.json()
  expect([answer.status, found.rows.revenue_state, found.rows.revenue_filing]).toEqual([
    200,
    ['other_company'],
    ['f-OLD'],
  ])
  expect(await two.seen()).toEqual(['OLD', 'NEXT'])
})

test('predecessors and successors count as one company with it, and their values are those of another', async () => {
  const one = await capped(database.sql, 1)
  const answer = await post(one.authorization, row('POST', '2015-01-01', 1_002_222))
  const found = await answer.json()
  expect([answer.status, found.rows.revenue_state, found.rows.revenue_filing]).toEqual([
    200,
    ['other_company'],
    ['f-PRE'],
  ])
  expect(await one.seen()).toEqual(['PRE', 'POST'])
  const next = await post(one.authorization, row('ALONE', '2015-01-01', 1_004_444))
  expect([next.status, await one.seen()]).toEqual([403, ['PRE', 'POST']])
})

test('a value of a company that no row can be about matches nothing', async () => {
  const key = `Bearer ${await sellKey(database.sql, { expires: '2099-01-01' })}`
  const found = await (await post(key, row('ALONE', '2015-01-01', 1_002_222))).json()
  expect([found.rows.revenue_state, found.rows.revenue_filing]).toEqual([['no_match'], [null]])
})

test('an audit at an earlier data version answers as then, announcements too', async () => {
  const { sql } = database
  const key = `Bearer ${await sellKey(sql, { expires: '2099-01-01' })}`
  const period = { start: '2020-01-01', end: '2020-12-31' }
  const filing = (day: number, value: number) => ({
    ...{ day, hour: null, name: null },
    figures: [{ metric: 'revenue', period, value }],
  })
  const first = [filing(10, 1_004_444)]
  const ticker = await importAs(sql, 'US', 9, statementsOf(9, first))
  const sent = {
    date: [addDays(firstDay, 5), addDays(firstDay, 11)],
    ticker: [ticker, ticker],
    revenue: [1_004_444, 1_009_999],
  }
  const asked = async (more: object = {}) => {
    // Nothing of an earlier version is in memory.
    const own = server
    const fresh = await testServer(sql, {}, { FLAGSHIP_TICKERS: 'AAPL' })
    server = fresh
    try {
      const response = await post(key, sent, more)
      if (response.status !== 200) throw new Error(await response.text())
      const { rows, data_version } = await response.json()
      return { states: rows.revenue_state, version: data_version }
    } finally {
      server = own
      await fresh.stop()
    }
  }
  const before = await asked()
  expect(before.states).toEqual(['early', 'no_match'])
  await importAs(sql, 'US', 9, statementsOf(9, [...first, filing(12, 1_009_999)]))
  await sql`
    insert into announcement (market, issuer_id, accession, form, filed)
    values ('US', '9', 'release', '8-K', ${addDays(firstDay, 3)})`
  const after = await asked()
  expect(after.states).toEqual(['announced', 'restated'])
  expect(after.version).toBeGreaterThan(before.version)
  expect(await asked({ data_version: before.version })).toEqual(before)
})
