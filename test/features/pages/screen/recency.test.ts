import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { daysBefore } from '../../../../src/dates.ts'
import { type TestDatabase, testDatabase } from '../../../database.ts'
import { type TestServer, testServer, testToday } from '../../../http/testServer.ts'
import { insertEntity, insertVintages } from '../../companies/fixtures.ts'
import { readPage } from '../readPage.ts'

setDefaultTimeout(120_000)

const companies = 11
let database: TestDatabase
let server: TestServer

/** How many days ago the latest fiscal year of each company ended. */
const ages = [100, 200, 300, 400, 549, 550, 551, 700, 1_000, 1_900, 3_000]

beforeAll(async () => {
  database = await testDatabase()
  const { sql } = database
  for (const [place, age] of ages.entries()) {
    const id = await insertEntity(sql, {
      market: 'US',
      issuerId: `${place}`.padStart(10, '0'),
      ticker: `A${age}`,
      name: `Company ${age}`,
    })
    const end = daysBefore(testToday, age)
    const filed = daysBefore(testToday, age - 60)
    await insertVintages(sql, id, [
      ['revenue', 0, Number(end.slice(0, 4)), daysBefore(end, 365), end, filed, 1e9 + age, `filing-${place}`],
    ])
  }
  server = await testServer(sql)
})
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

/** The first of the companies report, and the others have ceased. */
async function report(count: number): Promise<void> {
  const { sql } = database
  await sql`delete from company_state`
  for (const place of ages.keys())
    await sql`
      insert into company_state (market, issuer_id, from_day, until_day, state)
      values ('US', ${`${place}`.padStart(10, '0')}, '2000-01-01', 'infinity', ${place < count ? 'reporting' : 'ceased'})`
}

/** A server of its own each time: the pages of the others are in their caches. */
async function screen(query = ''): Promise<{ rows: string[]; html: string }> {
  const fresh = await testServer(database.sql)
  try {
    const { html } = await readPage(`${fresh.url}/screen?c1=revenue${query}`)
    const rows = [...html.matchAll(/name="pick_([^"]+)"/g)].map(([, id = '']) => id)
    return { rows, html }
  } finally {
    await fresh.stop()
  }
}

const upTo = (days: number) =>
  ages
    .filter(age => age <= days)
    .toReversed()
    .map(age => `A${age}`)

describe('by default', () => {
  test('a company whose latest year ended long ago does not stand among recent ones', async () => {
    await report(companies)
    const { rows, html } = await screen()
    expect(rows).toEqual(upTo(550))
    expect(html).toContain('Ended within 550 days (by default)')
    expect(html).toContain('<option value="" selected>by default: 550 days</option>')
    expect(html).not.toContain('old: ')
  })

  test('all are listed if fewer than a tenth of the companies report, which is said', async () => {
    await report(2)
    expect((await screen()).rows).toEqual(upTo(550))
    await report(1)
    const { rows, html } = await screen()
    expect(rows).toEqual(upTo(3_000))
    expect(html).toContain(
      'Only 1 of the 11 companies of this market filed a report in the 18 months before 2026-07-01',
    )
    expect(html.match(/old: /g)).toHaveLength(ages.filter(age => age > 550).length)
    await report(0)
    expect((await screen()).html).toContain('None of the 11 companies of this market filed a report')
  })
})

test('people choose another age, or any', async () => {
  await report(companies)
  for (const [query, days] of [
    ['&max_age_days=551', 551],
    ['&max_age_days=1830', 1_830],
    ['&max_age_days=any', 36_500],
    ['&max_age_days=0', 0],
  ] as const)
    expect([query, (await screen(query)).rows]).toEqual([query, upTo(days)])
  for (const wrong of ['36501', '-1', '1.5', 'all', '99999'])
    expect((await readPage(`${server.url}/screen?max_age_days=${wrong}`)).status).toBe(400)
})
