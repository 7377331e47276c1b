import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { revokeKey } from '../../../src/access/keys.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { testToday } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { evaluation, giveKey, memberWith } from '../account/members.ts'
import { askApi, compareCompany, type Reader, seePage, signedOut, tabs } from './compare.ts'

setDefaultTimeout(600_000)

const isLong = process.env.LONG === '1'
/** LONG=1 compares 200 companies a role, otherwise some, so that no role goes without. */
const companiesPerRole = isLong ? 200 : 12
if (!isLong) console.warn(`shortened: ${companiesPerRole} companies a role; 200 with LONG=1`)

let server: RealServer
let companies: string[]
let days: string[]
const roles: Record<string, Reader> = {}

beforeAll(async () => {
  server = await realServer()
  const { sql } = server
  const rows = await sql<{ ticker: string }[]>`select ticker from entity order by md5(ticker) limit 200`
  const known = ['AAPL', 'GOOGL', 'SNOW', '2330.TW', '005930.KS', 'E02367.JP', '483935326.FR', 'CC40675.NZ']
  companies = [...new Set([...known, ...rows.map(({ ticker }) => ticker)])].slice(0, companiesPerRole)
  const filed = await sql<{ filed: string }[]>`
    select distinct filed::text as filed from filing where filed < ${testToday} order by 1`
  days = filed.map(row => row.filed)
  const make = async (role: string, change: Parameters<typeof memberWith>[2]) => {
    const member = await memberWith(server, sql, change)
    roles[role] = member
    return member
  }
  roles['signed out'] = signedOut
  await make('free', { licence: 'free' })
  await make('evaluation', evaluation)
  const beyond = await make('evaluation with a cap in reach', evaluation)
  await sql`update key_grant set entity_cap = ${companiesPerRole / 2} where key_id = ${beyond.keyId}`
  await make('personal', { licence: 'personal' })
  await make('quant', { licence: 'personal', quant: true })
  await make('free with quant', { licence: 'free', quant: true })
  // Those whose key no longer works are visitors without a licence.
  const expired = await make('expired evaluation', evaluation)
  await sql`update key_grant set expires_at = now() where key_id = ${expired.keyId}`
  const revoked = await make('revoked', { licence: 'commercial' })
  await revokeKey({ sql }, revoked.key)
  const both = await make('evaluation next to a free key', evaluation)
  await giveKey(sql, both.email, { licence: 'free' })
  await Bun.sleep(100)
  for (const [role, { key }] of [
    ['expired evaluation', expired],
    ['revoked', revoked],
  ] as const) {
    expect([role, (await askApi(server.url, '/api/v1/me', { key })).status]).toEqual([role, 403])
    roles[role] = { ...roles[role], key: 'demo' }
  }
}, 120_000)
afterAll(() => server.stop(), 60_000)

/** The same on each run: a failure names what to look at. */
let seed = 20_261_122
const random = (count: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor((seed / 2_147_483_648) * count)
}

const names = [
  'signed out',
  'free',
  'evaluation',
  'evaluation with a cap in reach',
  'personal',
  'quant',
  'free with quant',
  'expired evaluation',
  'revoked',
  'evaluation next to a free key',
]
const licensed = new Set(['evaluation', 'personal', 'quant', 'evaluation next to a free key'])
const readerOf = (role: string): Reader => {
  const reader = roles[role]
  if (reader === undefined) throw new Error(`no ${role}`)
  return reader
}

describe('a page shows a visitor what the key of the visitor gets, and nothing that it is refused', () => {
  for (const role of names) {
    test(`${role}: companies, days and periods`, async () => {
      const reader = readerOf(role)
      const statuses = new Map<number, number>()
      let figures = 0
      for (const ticker of companies) {
        const asOf = random(3) === 0 ? null : (days[random(days.length)] ?? null)
        const show = tabs[random(tabs.length)] ?? 'years'
        for (const place of asOf === null ? [null] : [asOf, null]) {
          const compared = await compareCompany(server.url, reader, { ticker, show, asOf: place })
          statuses.set(compared.status, (statuses.get(compared.status) ?? 0) + 1)
          figures += compared.figures
        }
      }
      if (licensed.has(role)) expect([role, [...statuses.keys()]]).toEqual([role, [200]])
      else expect([role, [...statuses.keys()].sort()]).toEqual([role, [200, 403]])
      expect(figures).toBeGreaterThan(companiesPerRole)
      if (isLong) console.info(`${role}: ${figures} figures, ${JSON.stringify([...statuses])}`)
    })

    test(`${role}: screens, lists of restatements and downloads`, async () => {
      const reader = readerOf(role)
      const limit = role.startsWith('evaluation') ? 100 : 1_000
      for (const day of ['', '&as_of=2010-03-31', '&as_of=2016-12-31']) {
        const query = `fp=FY&market=US${day}`
        const page = await seePage(server.url, `/screen?c1=revenue&c2=roe&max_age_days=any&${query}`, reader)
        const path = `/api/v1/cross-section?metric=revenue,roe&sort=-revenue&limit=${limit}&${query}`
        const answer = await askApi(server.url, path, reader)
        expect([role, day, page.status]).toEqual([role, day, answer.status])
        const body = answer.status === 200 ? await answer.json() : { data: [] }
        const allowed = new Set(
          body.data.map(
            (row: Record<string, unknown>) => `${row.ticker} ${row.revenue ?? ''} ${row.roe ?? ''}`,
          ),
        )
        const shown = [
          ...page.html.matchAll(
            /href="\/companies\/([^"?]+)[^"]*">[^<]*<\/a><\/th><td(?: data-v="([^"]*)")?[^>]*>[^<]*<\/td><td(?: data-v="([^"]*)")?/g,
          ),
        ].map(([, ticker, revenue = '', roe = '']) => `${ticker} ${revenue} ${roe}`)
        expect(shown.filter(row => !allowed.has(row))).toEqual([])
        expect(shown.length).toBe(Math.min(200, allowed.size))
      }
      for (const day of ['', '&as_of=2010-03-31', '&as_of=2016-12-31']) {
        const page = await seePage(server.url, `/restatements?metric=revenue${day}`, reader)
        const bound = role.startsWith('evaluation') ? 100 : 500
        const path = `/api/v1/restatements?metric=revenue&market=US&limit=${bound}${day}`
        const answer = await askApi(server.url, path, reader)
        expect([role, day, page.status]).toEqual([role, day, answer.status])
        if (answer.status !== 200) continue
        const open = await Promise.all(
          ['AAPL', 'GOOGL'].map(async ticker =>
            (
              await (
                await askApi(server.url, `/api/v1/fundamentals?ticker=${ticker}&metric=revenue`, signedOut)
              ).json()
            ).data.map((row: { v: number }) => row.v),
          ),
        )
        const { data } = await answer.json()
        const allowed = new Set([
          ...data.flatMap((row: { value: number; value_before: number }) => [row.value, row.value_before]),
          ...open.flat(),
        ])
        const shown = [...page.html.matchAll(/data-v="([^"]*)"/g)].map(([, value]) => Number(value))
        expect([role, day, shown.filter(value => !allowed.has(value))]).toEqual([role, day, []])
      }
      const fields = 'accession,form,tag,start,accepted_at,inputs,url'
      for (const ticker of nonEmpty(companies.filter(id => !/\.(KS|FR|TW)$/.test(id)).slice(-10))) {
        const file = await seePage(server.url, `/companies/${ticker}/download?format=json`, reader)
        const path = `/api/v1/fundamentals?ticker=${ticker}&fields=${fields}`
        const answer = await askApi(server.url, path, reader)
        expect([role, ticker, file.status]).toEqual([role, ticker, answer.status])
        if (answer.status === 200) expect(file.html).toBe(await answer.text())
        else expect(file.html).not.toContain('"v":')
      }
    })
  }
})
