import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { universeCounts, universeMoves, universePage } from '../../../../src/features/universe/queries.ts'
import { freshDatabases } from '../../../freshDatabases.ts'
import { type RealServer, realServer } from '../../../http/realServer.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { evaluation, type Member, memberWith } from '../../account/members.ts'
import { askApi, type Reader, seePage, signedOut } from '../compare.ts'

setDefaultTimeout(120_000)

const fresh = freshDatabases()
let server: RealServer
let personal: Member
beforeAll(async () => {
  server = await realServer()
  personal = await memberWith(server, server.sql, { licence: 'personal' })
}, 180_000)
afterAll(() => server.stop(), 60_000)

const see = (query: string, reader: Reader = signedOut) => seePage(server.url, `/universe${query}`, reader)

interface Row {
  readonly issuer_id: string
  readonly name: string | null
  readonly state: string
  readonly since: string
  readonly last_filed: string
}

const universe = async (query: string): Promise<Row[]> =>
  (await (await askApi(server.url, `/api/v1/universe?limit=10000&${query}`, signedOut)).json()).data

/** Number, state and first day of each company in the table, and its link. */
function rowsIn(html: string) {
  const table = /<table class="figures universe">([\s\S]*?)<\/table>/.exec(html)?.[1] ?? ''
  return [...table.matchAll(/<tr><th scope="row">(.*?)<\/th>(.*?)<\/tr>/g)].map(
    ([, head = '', body = '']) => {
      const cells = [...body.matchAll(/<td>(.*?)<\/td>/g)].map(([, text = '']) => text)
      const link = (/href="([^"]*)"/.exec(head)?.[1] ?? '').replaceAll('&amp;', '&')
      return { number: cells[1], state: cells[2], since: cells[3], lastFiled: cells[7], link }
    },
  )
}

const nextIn = (html: string) =>
  /href="(\/universe\?[^"]*cursor=[^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')

describe('/universe', () => {
  test('shows what the API answers, page by page, with the count of each state', async () => {
    for (const day of ['2009-08-15', '2010-03-31', '2012-12-31']) {
      const rows = await universe(`market=US&as_of=${day}`)
      const first = await see(`?market=US&as_of=${day}`)
      expect(first.html).toContain(`>${rows.length} companies on ${day}</h2>`)
      for (const [state, name] of [
        ['reporting', 'Reporting'],
        ['unknown', 'Not known'],
      ]) {
        const count = rows.filter(row => row.state === state).length
        if (count > 0) expect(first.html).toContain(`>${name}</a></th><td class="number">${count}</td>`)
      }
      const shown = rowsIn(first.html)
      let next = nextIn(first.html)
      while (next !== undefined) {
        const { html } = await seePage(server.url, next, signedOut)
        shown.push(...rowsIn(html))
        next = nextIn(html)
      }
      expect(shown.map(({ number, since, lastFiled }) => [number, since, lastFiled])).toEqual(
        rows.map(({ issuer_id, since, last_filed }) => [issuer_id, since, last_filed]),
      )
    }
  })

  test('knows nothing of companies that reported later, and has names of the time', async () => {
    const rows = await universe('market=US&as_of=2009-07-21')
    const { html } = await see('?market=US&as_of=2009-07-21')
    expect(html).not.toContain('APPLE INC')
    expect(rows.some(({ issuer_id }) => issuer_id === '0000320193')).toBe(false)
    const later = (await see('?market=US&as_of=2010-03-31&state=reporting')).html
    expect(later).toContain('>Apple Inc</a>')
    expect(later).not.toContain('Apple Inc.')
  })

  test('counts as entered who was not there a year before', async () => {
    for (const day of ['2010-03-31', '2011-01-31']) {
      const year = Number(day.slice(0, 4))
      // The twelve months begin on the day after.
      const before = new Set(
        (await universe(`market=US&as_of=${year - 1}${day.slice(4)}`)).map(({ issuer_id }) => issuer_id),
      )
      const entered = (await universe(`market=US&as_of=${day}`)).filter(
        ({ issuer_id }) => !before.has(issuer_id),
      )
      const { html } = await see(`?market=US&as_of=${day}`)
      expect(html).toContain(
        entered.length === 0 ? 'No company entered' : `${entered.length} companies entered`,
      )
    }
  })

  test('leads to companies on the day where the visitor’s licence opens it', async () => {
    const query = '?market=US&as_of=2010-03-31&state=reporting'
    const links = async (reader: Reader) => rowsIn((await see(query, reader)).html).map(({ link }) => link)
    const [outside, inside] = [await links(signedOut), await links(personal)]
    for (const link of nonEmpty(inside)) expect(link).toMatch(/^\/companies\/.+\?as_of=2010-03-31$/)
    expect(outside.filter(link => link.includes('as_of'))).toEqual(
      inside.filter(link => /^\/companies\/(AAPL|GOOGL)\?/.test(link)),
    )
    for (const path of [outside[0], inside[0], inside.at(-1) ?? ''])
      expect([path, (await seePage(server.url, path, personal)).status]).toEqual([path, 200])
    expect((await seePage(server.url, outside[0], signedOut)).status).toBe(200)
  })

  test('counts no company of an evaluation', async () => {
    const member = await memberWith(server, server.sql, evaluation)
    for (const query of ['', '?market=US&as_of=2010-03-31']) await see(query, member)
    expect(await server.sql`select 1 from key_entity where key_id = ${member.keyId}`).toHaveLength(0)
  })

  test('as a file has the rows of the API', async () => {
    const { html, headers } = await seePage(
      server.url,
      '/universe/download?market=US&as_of=2010-03-31&state=reporting',
      signedOut,
    )
    expect(headers.get('content-disposition')).toBe(
      'attachment; filename="asfiled-universe-US-2010-03-31.csv"',
    )
    const answer = await askApi(
      server.url,
      '/api/v1/universe?limit=10000&market=US&as_of=2010-03-31&state=reporting&format=csv&comments=true',
      signedOut,
    )
    expect(html).toBe(await answer.text())
  })

  test('keeps the form where one field has a mistake', async () => {
    for (const query of ['as_of=yesterday', 'as_of=2999-01-01', 'state=dead', 'cursor=none']) {
      const page = await see(`?market=JP&${query}`)
      expect([query, page.status]).toEqual([query, 400])
      expect([query, page.html.includes('<option value="JP" selected>')]).toEqual([query, true])
      expect(page.html).toContain('class="notice bad"')
    }
    const early = await see('?market=US&as_of=1990-01-01')
    expect([early.status, early.html.includes('No company of United States had filed')]).toEqual([200, true])
  })
})

// The states that a register's notices would lead to, written by hand.
test('entries, exits and returns follow from the states up to the day', async () => {
  const sql = await fresh()
  const spells = [
    ['1', '2010-01-10', '2012-05-01', 'reporting'],
    ['1', '2012-05-01', '2012-06-01', 'delisted'],
    ['1', '2012-06-01', '2014-01-01', 'deregistered'],
    ['1', '2014-01-01', 'infinity', 'reporting'],
    ['2', '2010-03-01', '2011-09-01', 'reporting'],
    ['2', '2011-09-01', 'infinity', 'unknown'],
    ['3', '2012-02-01', '2013-08-01', 'reporting'],
    ['3', '2013-08-01', 'infinity', 'ceased'],
  ] as const
  for (const [number, from, until, state] of spells)
    await sql`
      insert into company_state (market, issuer_id, from_day, until_day, state)
      values ('US', ${number}, ${from}, ${until}, ${state})`
  const moves = async (asOf: string) =>
    (await universeMoves(sql, { market: 'US', asOf })).moves.map(
      ({ issuerId, day, kind }) => `${issuerId} ${kind} ${day}`,
    )
  const all = [
    '1 return 2014-01-01',
    '3 exit 2013-08-01',
    '1 exit 2012-05-01',
    '3 entry 2012-02-01',
    '2 entry 2010-03-01',
    '1 entry 2010-01-10',
  ]
  expect(await moves('2020-01-01')).toEqual(all)
  expect(await moves('2012-05-01')).toEqual(all.slice(2))
  expect(await moves('2012-04-30')).toEqual(all.slice(3))
  expect(await moves('2009-12-31')).toEqual([])
  for (const day of ['2010-02-01', '2011-12-31', '2012-05-15', '2013-12-31', '2020-01-01']) {
    const counts: Record<string, number> = {}
    for (const [, from, until, state] of spells)
      if (from <= day && (until === 'infinity' || until > day)) counts[state] = (counts[state] ?? 0) + 1
    const found = await universeCounts(sql, { market: 'US', asOf: day })
    expect([day, Object.fromEntries(found.counts.map(count => [count.state, count.companies]))]).toEqual([
      day,
      counts,
    ])
  }
  const scope = { market: 'US', asOf: '2013-01-01', states: null, after: null, limit: 10, only: ['3', '1'] }
  expect((await universePage(sql, scope)).rows.map(({ issuerId }) => issuerId)).toEqual(['1', '3'])
})
