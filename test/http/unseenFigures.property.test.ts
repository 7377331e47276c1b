import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { dayNumber } from '../../src/dates.ts'
import { crossSectionStatement } from '../../src/features/crossSection/queries.ts'
import { numberedMetrics, tableStatement } from '../../src/features/crossSection/tableQueries.ts'
import { type TestDatabase, testDatabase } from '../database.ts'
import { evaluation, type Member, memberWith } from '../features/account/members.ts'
import { allYears } from '../features/companies/fixtures.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { rounds } from '../rounds.ts'
import { type FiledWhole, storeFiled } from '../wholeFilings/stored.ts'
import { sellKey } from './callers.ts'
import { type TestServer, testServer } from './testServer.ts'
import {
  type Asked,
  ask,
  askPages,
  insertGroup,
  replaceFigures,
  type Unseen,
  unseenOf,
} from './unseenFigures.ts'

setDefaultTimeout(240_000)

let database: TestDatabase
let server: TestServer
let group: ReadonlyMap<string, number>
let atCap: Member
let nearCap: Member
let free: string

/** Of a company between others that the keys have seen, before it and after it. */
const hidden = 'C4'
const seen = ['C2', 'C5', 'C7'] as const

const idOf = (ticker: string): number => group.get(ticker) ?? 0

async function capped(left: number): Promise<Member> {
  const { sql } = database
  const member = await memberWith(server, sql, evaluation)
  await sql`
    update key_grant set entity_cap = ${seen.length + left}, per_minute = 100000, per_day = null
    where key_id = ${member.keyId}`
  for (const ticker of seen)
    await sql`insert into key_entity (key_id, entity_id) values (${member.keyId}, ${idOf(ticker)})`
  return member
}

beforeAll(async () => {
  database = await testDatabase()
  group = await insertGroup(database.sql)
  server = await testServer(database.sql)
  atCap = await capped(0)
  nearCap = await capped(3)
  free = await sellKey(database.sql, { licence: 'free' })
  await database.sql`update key_grant set per_minute = 100000, per_day = null`
  await Bun.sleep(150)
})
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

/** Answers of servers that have nothing in memory of the figures before. All requests come from one address, whose limits are not meant here. */
async function freshly<T>(work: (url: string) => Promise<T>): Promise<T> {
  await database.sql`delete from limit_counter`
  const fresh = await testServer(database.sql)
  try {
    return await work(fresh.url)
  } finally {
    await fresh.stop()
  }
}

const api = '/api/v1'
const pagesOfMarket = [
  'cross-section?metric=revenue&market=US',
  'cross-section?metric=revenue&market=US&min_revenue=450',
  'cross-section?metric=revenue&market=US&max_revenue=450',
  'cross-section?metric=roe&market=US&min_roe=0.05&max_assets=1000&sector=73',
  'cross-section?metric=assets&market=US&fp=latest&max_age_days=300',
  'cross-section?metric=revenue&market=US&fp=TTM',
  'cross-section?metric=revenue,roe,assets&market=US&min_revenue=450&format=csv',
  'cross-section?metric=revenue,assets&market=US&fp=latest&max_age_days=200',
  'cross-section?metric=revenue&market=US&sort=-revenue',
  'cross-section?metric=revenue,roe&market=US&sort=assets&currency=USD&max_revenue=1000',
  'cross-section?metric=assets&market=US&sort=-roe&currency=EUR',
  'cross-section?metric=revenue,roe&market=US&group=sic2&sort=-revenue',
  'cross-section?metric=revenue&market=US&group=sicDivision:I&universe=reporting,unknown',
  'cross-section?metric=revenue&market=US&checks=unchecked',
  'cross-section?metric=revenue,roe&market=US&checks=proved,consistent,contradicted&sort=-revenue',
  'cross-section?metric=assets,revenue&market=US&fp=latest&checks=proved,unchecked&min_revenue=450',
  'strategies/asset_growth/values?market=US',
  'restatements?metric=revenue&market=US',
  'restatements?metric=revenue&market=US&from=2026-03-01&format=ndjson',
] as const

/** Every route that has figures, or is filtered or sorted by them, as a key asks that may see no further company. */
async function everything(url: string, { key, cookie }: Member): Promise<Asked[]> {
  const headers = { Authorization: `Bearer ${key}` }
  const reader = { Cookie: cookie }
  const found: Asked[] = []
  for (const path of pagesOfMarket) {
    for (const change of [
      '&limit=5',
      '&limit=1000',
      '&limit=5&as_of=2026-03-15',
      '&limit=5&as_of=2026-03-15T12:00&tz=Europe/Berlin',
    ])
      found.push(...(await askPages(url, `${api}/${path}${change}`, headers)))
  }
  for (const path of [
    ...[hidden, `C2,${hidden}`, 'C2,C5'].map(ids => `${api}/fundamentals?ticker=${ids}&view=latest`),
    `${api}/fundamentals?ticker=${hidden}&checks=unchecked&fields=check`,
    `${api}/fundamentals?ticker=${hidden}&from=2025-01-01&metric=revenue&fp=FY&fy=2025`,
    `${api}/restatements?ticker=${hidden}`,
    `${api}/restatements?ticker=C2&metric=revenue`,
    ...[hidden, 'C2'].flatMap(id => [
      `${api}/statements?ticker=${id}&statement=income`,
      `${api}/reported?ticker=${id}&tag=us-gaap:Revenues&dimensions=all`,
      `${api}/segments?ticker=${id}&metric=revenue&axis=product`,
    ]),
  ])
    found.push(await ask(url, path, headers))
  const rows = { date: ['2026-06-01', '2026-06-01'], ticker: ['C2', hidden] }
  const join = JSON.stringify({ rows, metrics: ['revenue'] })
  const posted = { ...headers, 'Content-Type': 'application/json' }
  found.push(await ask(url, `${api}/as-of`, posted, join))
  found.push(await ask(url, `${api}/as-of`, { ...posted, Prefer: 'respond-async' }, join))
  for (const tickers of [
    ['C2', 'C5', 'C2'],
    ['C2', hidden, 'NOSUCH'],
  ]) {
    const sent = {
      date: ['2026-06-01', '2024-03-01', '2026-02-15'],
      ticker: tickers,
      sales: [205, 504, 425],
      unnamed: [204, 503, 1e9],
      forward_return: [0.1, -0.1, 0],
    }
    const body = JSON.stringify({ rows: sent, with: ['filing', 'filed', 'end'] })
    found.push(await ask(url, `${api}/audits`, posted, body))
    found.push(await ask(url, `${api}/audits?format=html`, posted, body))
    // A job that is accepted has an id of its own.
    if (tickers.includes(hidden))
      found.push(await ask(url, `${api}/audits`, { ...posted, Prefer: 'respond-async' }, body))
    const lines = sent.date.map((date, i) => `${date},${tickers[i]},${sent.sales[i]}`).join('\n')
    const ofColumns = encodeURIComponent('{"v":{"metric":"revenue","fp":"FY","currency":"USD"}}')
    for (const settings of ['', `&columns=${ofColumns}&inclusive=true&max_age_days=300&with=filing`])
      found.push(
        await ask(
          url,
          `${api}/audits?format=csv${settings}`,
          { ...headers, 'Content-Type': 'text/csv' },
          `date,ticker,${settings === '' ? 'revenue' : 'v'}\n${lines}\n`,
        ),
      )
  }
  for (const path of [
    `/companies/${hidden}`,
    `/companies/${hidden}?cell=revenue.2025.FY.2025-12-31`,
    `/companies/${hidden}/download?format=csv`,
    ...[hidden, 'C2'].flatMap(id => [
      `/companies/${id}/statements?cell=us-gaap:Revenues`,
      `/companies/${id}/statements?view=standard`,
      `/companies/${id}/segments`,
      `/companies/${id}/statements/download?format=csv`,
      `/companies/${id}/segments/download?format=csv`,
    ]),
    '/screen?c1=revenue&c2=roe&min_revenue=450&sort=-revenue',
    '/screen?c1=revenue&sort=revenue&fp=latest&max_age_days=300',
    '/screen?c1=revenue&c2=roe&checks=proved,consistent',
    '/screen?c1=roe&c2=revenue&group=sicDivision',
    `/screen?c1=revenue&companies=C2,C5,${hidden}`,
    '/screen?c1=revenue&companies=C2,C5',
    '/screen/download?c1=revenue&c2=roe&sort=roe',
    '/restatements?metric=revenue&from=2026-03-01',
    `/compare?companies=C2,C5,${hidden}&metric=revenue,roe`,
    '/compare?companies=C2,C5&metric=revenue,roe',
  ])
    found.push(await ask(url, path, reader))
  return found
}

/** With the routes of `everything`, all that this server has. A new one has to be put into one of the two. */
const asked = new Set(
  [
    'cross-section',
    'restatements',
    'fundamentals',
    'as-of',
    'audits',
    'statements',
    'reported',
    'segments',
  ].map(name => `${api}/${name}`),
)
  .add('/companies/:id')
  .add('/companies/:id/download')
  .add('/companies/:id/statements')
  .add('/companies/:id/statements/download')
  .add('/companies/:id/segments')
  .add('/companies/:id/segments/download')
  .add('/screen')
  .add('/screen/download')
  .add('/restatements')
  .add('/compare')
  .add('/strategies/:name')
  .add(`${api}/frames`)
  .add(`${api}/strategies/:name/values`)
const others: readonly [RegExp, string][] = [
  [
    /^\/(account|admin|sign-in|sign-out|docs|openapi\.json|health|ready|assets|sample|robots\.txt|llms\.txt)/,
    'no figures',
  ],
  [/^\/($|search$|start$|markets|catalogue$|sitemap)/, 'names, and figures that are the same for all'],
  [
    /^\/(universe|api\/(search|v1\/(coverage|companies|filings|universe|metrics|me)\b|v1\/strategies(\/:name)?$))/,
    'what is on record, which every key sees, and no value of a figure',
  ],
  [/^\/strategies($|\/download$|\/:name\/download$)/, 'definitions and counts, which are the same for all'],
  [
    /^\/api\/v1\/((as-of|audits)\/:id|backtests|panels)/,
    "a key's own jobs and panels; a job is authorised as its request is",
  ],
  [
    /^\/(api\/v1\/)?backtest\b/,
    'test/features/backtests/scoreRoutes.test.ts: all companies count before a figure is read',
  ],
  [/^\/screen\/compare$/, 'sends the visitor on to the comparison of the named companies'],
  [/^\/shared\//, 'test/features/sharedReports: statistics alone, the same for everybody'],
  [/^\/audit(\/|$)/, "the sample, and a visitor's own audits, which are authorised as those of the API"],
  [/^\/api\/v1\/(bulk|changes)/, 'the whole data, for keys that may take it'],
  [/^\/api\/v1\/signals/, 'forecasts, which no cap counts'],
  [
    /^(\/api\/v1)?\/prices/,
    'test/features/prices/priceRoutes.test.ts: the named companies count before a price is read, and a key with a cap must name them',
  ],
  [
    /^\/companies\/:id\/prices$/,
    'test/features/pages/companyPrices.test.ts: the company counts before a price is read',
  ],
  [/^\/mcp$/, 'its answers are made of those of the API'],
]

test('every route is asked, or has a reason why it tells nothing of figures', () => {
  const served = [...new Set(server.app.routes.map(({ path }) => path))]
  const unknown = nonEmpty(served).filter(
    path => !asked.has(path) && !others.some(([shape]) => shape.test(path)),
  )
  expect(unknown).toEqual([])
  expect(nonEmpty(asked).filter(path => !served.includes(path))).toEqual([])
})

test('a parameter by which a route filters is one that is asked', async () => {
  const document = await (await fetch(`${server.url}/openapi.json`)).json()
  interface Operation {
    readonly parameters?: readonly { readonly in: string; readonly name: string }[]
  }
  const paths: Record<string, { get?: Operation; post?: Operation }> = document.paths
  const harmless = new Set(['metric', 'market', 'data_version', 'limit', 'cursor', 'format', 'comments'])
  const known: Record<string, string[]> = {
    [`${api}/cross-section`]: [
      'as_of',
      'checks',
      'currency',
      'filters',
      'fp',
      'group',
      'max_age_days',
      // Prices come on top of the figures of the companies that the scope leaves, which `ofSeen` restricts.
      'prices',
      'sector',
      'sort',
      'tz',
      'universe',
    ],
    [`${api}/restatements`]: ['as_of', 'from', 'ticker', 'tz'],
    [`${api}/audits`]: ['columns', 'config', 'forward_return', 'inclusive', 'max_age_days', 'with'],
    [`${api}/frames`]: ['as_of', 'period', 'tag', 'tz', 'unit'],
  }
  for (const [path, names] of Object.entries(known)) {
    const sent = ((paths[path]?.get ?? paths[path]?.post)?.parameters ?? []).filter(
      parameter => parameter.in === 'query',
    )
    const own = sent.map(({ name }) => name).filter(name => !harmless.has(name))
    expect([path, own.sort()]).toEqual([path, names])
  }
})

describe('a key at its cap', () => {
  let usual: Asked[]
  beforeAll(async () => {
    usual = await freshly(url => everything(url, atCap))
  })

  test('is answered, from the companies that it has seen alone, and told so', () => {
    const listed = usual.filter(({ path }) => /cross-section|\/api\/v1\/restatements\?metric/.test(path))
    expect([...new Set(listed.map(({ status }) => status))]).toEqual([200])
    const [first] = listed
    expect(JSON.parse(first?.text ?? '')).toMatchObject({
      seen_only: true,
      companies_left: 0,
      count: 3,
      next: null,
    })
    for (const { path, text } of nonEmpty(listed)) {
      expect([
        path,
        [...text.matchAll(/\bC[1-8]\b/g)].every(([name]) => seen.some(one => one === name)),
      ]).toEqual([path, true])
    }
    expect(listed.some(({ text }) => text.includes('C5'))).toBe(true)
    const audits = usual.filter(({ path }) => path.startsWith(`${api}/audits`))
    expect(audits.map(({ status }) => status)).toEqual([200, 200, 200, 200, 403, 403, 403, 403, 403])
    expect(JSON.parse(audits[0].text).counts.known).toBeGreaterThan(0)
  })

  test('gets the same bytes, status and headers whatever figures another company has', async () => {
    await fc.assert(
      fc.asyncProperty(unseenOf([2023, 2024, 2025]), async (figures: Unseen[]) => {
        await replaceFigures(database.sql, hidden, idOf(hidden), figures)
        expect(await freshly(url => everything(url, atCap))).toEqual(usual)
      }),
      {
        // Two of them are the examples.
        numRuns: rounds(3, 6),
        examples: [[[]], [[{ year: 2025, metric: 'revenue', fp: 0, value: 1e9, restated: 450 }]]],
      },
    )
    const rows = await database.sql`select entity_id from key_entity where key_id = ${atCap.keyId}`
    expect(rows.length).toBe(seen.length)
  })

  test('gets the same page of a strategy, besides the coverage, which counts companies for every key', async () => {
    const member = await capped(0)
    const pages = () =>
      freshly(async url => {
        const found: Asked[] = []
        for (const query of ['as_of=2026-06-01', `company=${hidden}`]) {
          const page = await ask(url, `/strategies/asset_growth?${query}`, { Cookie: member.cookie })
          const text = page.text.replace(/<section><h2 id="coverage">[\s\S]*?<\/section>/, '')
          found.push({ ...page, headers: {}, text })
        }
        return found
      })
    const before = await pages()
    expect(before.map(({ status }) => status)).toEqual([200, 403])
    for (const value of [1e9, 450]) {
      const figures: Unseen[] = [2024, 2025].map(year => ({
        year,
        metric: 'assets',
        fp: 0,
        value,
        restated: null,
      }))
      await replaceFigures(database.sql, hidden, idOf(hidden), figures)
      expect(await pages()).toEqual(before)
    }
  })

  test('its statements read the same rows, whatever figures another company has', async () => {
    const { sql } = database
    const scope = {
      ...{
        metric: 'revenue',
        metrics: ['revenue', 'assets'],
        market: 'US',
        asOf: '2026-07-01',
        fp: 0,
        from: null,
      },
      after: null,
      upTo: null,
      limit: 5,
      recentFiscalYearOnly: allYears,
      sector: null,
      filters: [{ metric: 'revenue', min: 450, max: null }],
      seen: seen.map(idOf),
    }
    const rowsRead = () =>
      sql.begin(async transaction => {
        // On tables this small the planner may choose to read all rows, which it never does in a real database.
        await transaction`set local enable_seqscan = off`
        const metrics = await numberedMetrics(transaction, scope.metrics)
        const counts: string[] = []
        for (const statement of [
          crossSectionStatement(transaction, scope),
          tableStatement(transaction, scope, metrics),
        ]) {
          const lines =
            await transaction`explain (analyze, costs off, timing off, summary off, buffers off) ${statement}`
          counts.push(lines.map(line => line['QUERY PLAN']).join('\n'))
        }
        return counts
      })
    await replaceFigures(sql, hidden, idOf(hidden), [])
    const without = await rowsRead()
    const many = [2023, 2024, 2025].map(
      year => ({ year, metric: 'revenue', fp: 0, value: 1e9, restated: 2e9 }) as const,
    )
    await replaceFigures(sql, hidden, idOf(hidden), many)
    expect(await rowsRead()).toEqual(without)
  })
})

describe('frames', () => {
  const end = dayNumber('2025-12-31')
  const states = (ticker: string, value: number): FiledWhole => ({
    market: 'US',
    issuerId: ticker.slice(1),
    form: '10-K',
    filed: dayNumber('2026-02-20'),
    whole: {
      accession: `whole-${ticker}-${value}`,
      taxonomies: new Map(),
      statements: [],
      sums: [],
      defaultMembers: new Map(),
      figures: [
        {
          concept: 'us-gaap:Assets',
          context: { start: null, end, quarters: null, dimensions: [] },
          unit: 'USD',
          decimals: -3,
          value: `${value}`,
        },
      ],
    },
  })
  const pages = async (url: string, { key }: Member) => {
    const found: Asked[] = []
    for (const sent of ['&limit=4', '&limit=1000', '&limit=4&as_of=2026-03-15', '&limit=4&unit=EUR']) {
      const path = `${api}/frames?tag=us-gaap:Assets&period=CY2025Q4I&market=US${sent}`
      found.push(...(await askPages(url, path, { Authorization: `Bearer ${key}` })))
    }
    return found
  }

  test('are of companies that a key has seen if a page could exceed its cap, whatever others state', async () => {
    const { sql } = database
    await storeFiled(sql, [states('C2', 20), states('C5', 50)])
    for (const member of [atCap, nearCap]) {
      const usual = await freshly(url => pages(url, member))
      expect([...new Set(usual.map(({ status }) => status))]).toEqual([200])
      expect(JSON.parse(usual[0].text)).toMatchObject({ seen_only: true, count: 2, next: null })
      for (const value of [1, 2]) {
        await storeFiled(sql, [states(hidden, value)])
        expect(await freshly(url => pages(url, member))).toEqual(usual)
      }
      await sql`delete from filing where accession like ${`whole-${hidden}-%`}`
      const rows = await sql`select 1 from key_entity where key_id = ${member.keyId}`
      expect(rows.length).toBe(seen.length)
    }
  })
})

describe('a key that may see three more companies', () => {
  test('is refused nothing by figures: a page that could exceed its cap is about companies that it has seen', async () => {
    const ofMarket = async (url: string) => {
      const found: Asked[] = []
      for (const path of pagesOfMarket)
        for (const limit of [4, 1_000])
          found.push(
            ...(await askPages(url, `${api}/${path}&limit=${limit}`, {
              Authorization: `Bearer ${nearCap.key}`,
            })),
          )
      return found
    }
    const usual = await freshly(ofMarket)
    expect([...new Set(usual.map(({ status }) => status))]).toEqual([200])
    await fc.assert(
      fc.asyncProperty(unseenOf([2023, 2024, 2025]), async figures => {
        await replaceFigures(database.sql, hidden, idOf(hidden), figures)
        expect(await freshly(ofMarket)).toEqual(usual)
      }),
      { numRuns: rounds(2, 3), examples: [[[]]] },
    )
    const rows = await database.sql`select 1 from key_entity where key_id = ${nearCap.keyId}`
    expect(rows.length).toBe(seen.length)
  })

  test('a page that fits counts what it shows, and its next does not tell whether another company fits', async () => {
    const key = await capped(3)
    const headers = { Authorization: `Bearer ${key.key}` }
    const path = `${api}/cross-section?metric=revenue&market=US&min_revenue=200&max_revenue=299&limit=1`
    const figures = (revenue: number) =>
      [{ year: 2025, metric: 'revenue', fp: 0, value: revenue, restated: null }] as const
    const answers: Asked[] = []
    // C2 is first and has been seen; the hidden company comes after it, and once it fits.
    for (const revenue of [250, 450]) {
      await replaceFigures(database.sql, hidden, idOf(hidden), figures(revenue))
      answers.push(await freshly(url => ask(url, path, headers)))
    }
    expect(answers[0]).toEqual(answers[1])
    expect(JSON.parse(answers[0]?.text ?? '')).toMatchObject({ count: 1, next: expect.any(String) })
    await replaceFigures(database.sql, hidden, idOf(hidden), figures(250))
    const { next } = JSON.parse(answers[0]?.text ?? '')
    const shown = await freshly(url => ask(url, `${path}&cursor=${next}`, headers))
    expect(JSON.parse(shown.text).data.map(({ ticker }: { ticker: string }) => ticker)).toEqual([hidden])
    const rows =
      await database.sql`select 1 from key_entity where key_id = ${key.keyId} and entity_id = ${idOf(hidden)}`
    expect(rows.length).toBe(1)
  })
})

test('of requests at once on two servers each counts what it shows, and none is refused', async () => {
  const { keyId, key } = await capped(4)
  await replaceFigures(database.sql, hidden, idOf(hidden), [])
  const headers = { Authorization: `Bearer ${key}` }
  const answers = await freshly(one =>
    freshly(other =>
      Promise.all(
        Array.from({ length: 16 }, (_, n) => {
          // Each starts at another company, so that no two pages are one of the cache.
          const path = `${api}/cross-section?metric=revenue&market=US&min_revenue=${n * 50}&limit=2`
          return ask(n % 2 === 0 ? one : other, path, headers)
        }),
      ),
    ),
  )
  expect([...new Set(answers.map(({ status }) => status))]).toEqual([200])
  const rows = await database.sql<{ ticker: string }[]>`
    select ticker from key_entity join entity using (entity_id) where key_id = ${keyId}`
  const counted = new Set(rows.map(({ ticker }) => ticker))
  expect(counted.size).toBeLessThanOrEqual(seen.length + 4)
  const shown = answers.flatMap(({ text }) =>
    JSON.parse(text).data.map(({ ticker }: { ticker: string }) => ticker),
  )
  expect(shown.filter(ticker => !counted.has(ticker))).toEqual([])
  // What is left is less than a page: nothing further was open.
  expect(counted.size).toBeGreaterThan(seen.length + 4 - 2)
})

describe('a key that sees the most recent fiscal year alone', () => {
  // Of 2025 it sees all; of the years before and of what was filed of 2026 nothing.
  const unseenYears = [2023, 2024, 2026]
  const recent = [...group2025()]

  function* group2025(): Generator<Unseen> {
    for (const metric of ['revenue', 'assets'] as const)
      yield { year: 2025, metric, fp: 0, value: 425, restated: metric === 'revenue' ? 430 : null }
  }

  test('gets the same pages of a market whatever figures a company has of other years', async () => {
    const headers = [
      { Authorization: 'Bearer demo', 'X-Forwarded-For': '' },
      { Authorization: `Bearer ${free}` },
    ]
    let address = 0
    const ofMarket = async (url: string) => {
      const found: Asked[] = []
      for (const who of headers)
        for (const path of pagesOfMarket.filter(name => !name.startsWith('strategies/')))
          for (const limit of [1, 3]) {
            const from = `10.77.${++address >> 8}.${address & 255}`
            found.push(
              ...(await askPages(url, `${api}/${path}&limit=${limit}`, { ...who, 'X-Forwarded-For': from })),
            )
          }
      for (const path of [
        '/screen',
        '/screen?c1=revenue&c2=roe&max_revenue=450&sort=-roe',
        '/screen?c1=revenue&c2=assets&group=sic2&max_age_days=400',
        '/screen/download?c1=revenue&c2=roe&sort=roe',
        '/restatements?metric=revenue',
      ])
        found.push(await ask(url, path, { 'X-Forwarded-For': `10.78.${++address >> 8}.${address & 255}` }))
      return found
    }
    await replaceFigures(database.sql, hidden, idOf(hidden), recent)
    const usual = await freshly(ofMarket)
    expect([...new Set(usual.map(({ status }) => status))]).toEqual([200])
    expect(usual.some(({ text }) => text.includes(`"${hidden}"`))).toBe(true)
    await fc.assert(
      fc.asyncProperty(
        // A full year of 2026 would be the most recent one.
        unseenOf(unseenYears).map(figures => figures.filter(({ year, fp }) => year < 2026 || fp === 2)),
        async figures => {
          await replaceFigures(database.sql, hidden, idOf(hidden), figures, unseenYears)
          expect(await freshly(ofMarket)).toEqual(usual)
        },
      ),
      {
        numRuns: rounds(2, 4),
        examples: [[[{ year: 2024, metric: 'roe', fp: 0, value: 450, restated: 1 }]]],
      },
    )
  })

  test('gets the same answers about a company whatever the values of other years are', async () => {
    const ofCompany = async (url: string) => {
      const found: Asked[] = []
      for (const query of [
        '',
        '&view=latest',
        '&vintage=first',
        '&layout=wide',
        '&adjust=splits',
        '&fields=inputs,form,start',
        '&fields=statement,line,label',
        '&metric=roe,revenue&fp=FY&fy=2025',
        '&view=latest&max_age_days=200',
      ])
        found.push(
          await ask(url, `${api}/fundamentals?ticker=${hidden}${query}`, { Authorization: `Bearer ${free}` }),
        )
      return found
    }
    const ofValue = (value: number) =>
      [2023, 2024].map(year => ({ year, metric: 'revenue', fp: 0, value, restated: value / 2 }) as const)
    await replaceFigures(database.sql, hidden, idOf(hidden), recent)
    await replaceFigures(database.sql, hidden, idOf(hidden), ofValue(100), [2023, 2024])
    const usual = await freshly(ofCompany)
    expect([...new Set(usual.map(({ status }) => status))]).toEqual([200])
    for (const value of [1e9, -3, 425]) {
      await replaceFigures(database.sql, hidden, idOf(hidden), ofValue(value), [2023, 2024])
      expect(await freshly(ofCompany)).toEqual(usual)
    }
  })
})
