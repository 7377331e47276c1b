import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { appleVintages, insertEntity, insertVintages } from '../companies/fixtures.ts'
import { readPage } from './readPage.ts'

setDefaultTimeout(180_000)

const attack = `</script><script>alert(1)</script><img src=x onerror=alert(1)>"'\u2028<!--`

let database: TestDatabase
let server: TestServer
beforeAll(async () => {
  database = await testDatabase()
  const { sql } = database
  const apple = await insertEntity(sql, {
    market: 'US',
    issuerId: '0000320193',
    ticker: 'AAPL',
    name: 'Apple Inc.',
  })
  await insertVintages(sql, apple, appleVintages)
  const hostile = await insertEntity(sql, {
    market: 'US',
    issuerId: '0000000666',
    ticker: 'EVIL',
    name: attack,
  })
  await insertVintages(
    sql,
    hostile,
    appleVintages.map(([m, fp, fy, start, end, filed, v, accession]) => [
      m,
      fp,
      fy,
      start,
      end,
      filed,
      v,
      `${accession}-X`,
    ]),
  )
  await sql`insert into entity_other_name (entity_id, place, name, folded) values (${hostile}, 0, ${attack}, ${attack})`.catch(
    () => {},
  )
  server = await testServer(sql)
})
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

const get = (path: string, headers?: Record<string, string>) => readPage(server.url + path, headers)
test('the first page leads to a key of the visitor', async () => {
  expect((await get('/')).html).toContain('<a href="/account/api-keys">')
})

const pages = [
  '/',
  '/search?q=apple',
  '/companies/AAPL',
  '/companies/AAPL/statements',
  '/companies/AAPL/segments',
  '/markets',
  '/markets/US',
  '/catalogue',
  '/compare',
  '/compare?companies=AAPL',
  '/restatements',
  '/universe',
  '/strategies',
  '/strategies/accruals',
  '/screen',
  '/sample',
]

describe('every page', () => {
  for (const path of [...pages, '/companies/NOTHING', '/companies/AAPL?as_of=9999-01-01']) {
    test(`${path} loads nothing from elsewhere, runs no script of its own text and no style`, async () => {
      const { html, headers } = await get(path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("script-src 'self';")
      expect(policy).toContain("style-src 'self';")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      const scripts = [...html.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)]
      for (const [, attributes, text] of scripts) {
        const isData = /type="application\/(ld\+)?json"/.test(attributes ?? '')
        if (isData) JSON.parse(text ?? '')
        else expect([attributes, text]).toEqual([expect.stringMatching(/^ src="\/assets\/[\w.-]+"$/), ''])
      }
      expect(html).not.toMatch(/<[^>]+ (on\w+|style)=/)
      for (const [, target] of nonEmpty(html.matchAll(/<(?:link|script|img)[^>]+(?:src|href)="([^"]*)"/g)))
        expect(target).toMatch(/^(\/|http:\/\/127\.0\.0\.1:3000\/)/)
    })
  }

  for (const path of pages) {
    test(`${path} has a title, one heading, and a link that is the same for all its spellings`, async () => {
      const { status, html } = await get(path)
      expect(status).toBe(200)
      expect(html).toMatch(/<title>[^<]{4,} - asfiled<\/title>/)
      expect(html.match(/<h1/g)).toHaveLength(1)
      if (path.startsWith('/search')) expect(html).toContain('content="noindex"')
      else {
        expect(html).toMatch(/<meta name="description" content="[^"]{40,}">/)
        expect(html).toMatch(/<link rel="canonical" href="http:\/\/127\.0\.0\.1:3000\/[^"]*">/)
      }
    })
  }

  test('answers again from memory, and 304 to who has it', async () => {
    const { headers } = await get('/companies/AAPL')
    const again = await get('/companies/AAPL', { 'If-None-Match': headers.get('etag') ?? '' })
    expect([again.status, again.html]).toEqual([304, ''])
  })
})

describe('/companies/{id}', () => {
  test('shows the years in millions, the exact value on hover, and what was restated with both values and filings', async () => {
    const { cells } = await get('/companies/AAPL')
    const revenue = cells.find(({ metric }) => metric === 'revenue')
    expect(revenue).toEqual({
      metric: 'revenue',
      period: 'FY 2009',
      end: '2009-09-26',
      value: 42_905e6,
      text: '42,905',
      title:
        '42,905,000,000 USD, derived, filed 2010-01-25 (10-K); before: 36,537,000,000 USD, derived, filed 2009-10-27 (10-K)',
      isRestated: true,
    })
  })

  test('shows 36,537 as of the days before the amendment', async () => {
    for (const [day, text] of [
      ['2009-10-26', undefined],
      ['2009-10-27', '36,537'],
      ['2010-01-24', '36,537'],
      ['2010-01-25', '42,905'],
    ] as const) {
      const { cells } = await get(`/companies/AAPL?as_of=${day}`)
      expect([day, cells.find(({ metric }) => metric === 'revenue')?.text]).toEqual([day, text])
    }
  })

  test('lists every vintage of a figure with the address of its document', async () => {
    const { html } = await get('/companies/AAPL?cell=revenue.2009.FY.2009-09-26')
    const figure = /<section id="figure"[\s\S]*?<\/section>/.exec(html)?.[0] ?? ''
    expect(figure).toContain('36,537,000,000 USD')
    expect(figure).toContain('42,905,000,000 USD')
    expect(figure).toContain('+17.4%')
    expect(figure).toContain(
      'https://www.sec.gov/Archives/edgar/data/320193/000119312510012091/0001193125-10-012091-index.htm',
    )
  })

  test('answers to every ID of the register, with one canonical address', async () => {
    for (const id of ['aapl', '320193', '0000320193', 'CIK0000320193']) {
      const { status, html } = await get(`/companies/${id}`)
      expect([id, status]).toEqual([id, 200])
      expect(html).toContain('<link rel="canonical" href="http://127.0.0.1:3000/companies/AAPL">')
    }
  })

  test('an unknown ID is a page with 404 for a browser, with IDs like it, and an error for a program', async () => {
    const { status, html, headers } = await get('/companies/AAPLE')
    expect(status).toBe(404)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(html).toContain('<a href="/companies/AAPL">AAPL</a>')
    const program = await fetch(`${server.url}/companies/AAPLE`)
    expect([program.status, (await program.json()).error.code]).toEqual([404, 'entity_unknown'])
  })

  test('describes itself as a Dataset', async () => {
    const { html } = await get('/companies/AAPL')
    const text = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html)?.[1] ?? '{}'
    expect(JSON.parse(text)).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'Dataset',
      name: 'Apple Inc. (AAPL): figures as filed',
      license: 'http://127.0.0.1:3000/docs/guides/keys-and-limits#licences',
      temporalCoverage: '2009-09-26/2009-09-26',
      distribution: [
        { '@type': 'DataDownload', contentUrl: 'http://127.0.0.1:3000/companies/AAPL/download?format=csv' },
        {},
        {},
      ],
    })
  })

  test('without figures says why, without the commands of operators', async () => {
    await insertEntity(database.sql, {
      market: 'BE',
      issuerId: '0410682657',
      ticker: '0410682657.BE',
      name: 'Xerius',
    })
    const { status, html } = await get('/companies/0410682657.BE')
    expect(status).toBe(200)
    expect(html).toContain('Belgian accounts do not say on which day they were deposited.')
    expect(html).not.toContain('./asfiled')
  })
})

describe('a name with markup', () => {
  for (const path of [
    '/companies/EVIL',
    '/search?q=EVIL',
    '/screen',
    '/restatements',
    '/companies/EVIL?cell=revenue.2009.FY.2009-09-26',
  ]) {
    test(`is text on ${path}`, async () => {
      const { status, html } = await get(path)
      expect(status).toBe(200)
      expect(html).not.toContain('<script>alert')
      expect(html).not.toContain('<img src=x')
      expect(html).not.toContain('<!--')
      if (path !== '/restatements') expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    })
  }

  test('is whole in the data for search engines', async () => {
    const { html } = await get('/companies/EVIL')
    const text = /<script type="application\/ld\+json">([\s\S]*?)<\/script>/.exec(html)?.[1] ?? '{}'
    expect(JSON.parse(text).about.name).toBe(attack)
  })

  test('as a query is text, too', async () => {
    for (const path of [
      '/search?q=',
      '/companies/',
      '/markets/',
      '/screen?market=',
      '/restatements?metric=',
      '/?on=',
    ]) {
      const { html } = await get(path + encodeURIComponent(attack))
      expect(html).not.toContain('<script>alert')
      expect(html).not.toContain('<img src=x')
    }
  })
})

describe('/screen', () => {
  const shown = async (query: string) => {
    const { status, html } = await get(`/screen?${query}`)
    const rows = [...html.matchAll(/<th scope="row"[^>]*><input[^>]*> <a href="\/companies\/([^"]+)">/g)].map(
      ([, id]) => id,
    )
    return { status, rows, html }
  }

  test('takes bounds as people type them, and leaves empty fields out', async () => {
    const typed =
      'market=US&fp=FY&max_age_days=&c1=revenue&c2=net_margin&c3=&min_revenue=40bn&max_revenue=43%2C000m&min_net_margin=10%25&max_net_margin='
    expect((await shown(typed)).rows.sort()).toEqual(['AAPL', 'EVIL'])
    expect((await shown('c1=revenue&min_revenue=43bn')).rows).toEqual([])
  })

  test('names a bound that is no number', async () => {
    const { status, html } = await shown('c1=revenue&min_revenue=much')
    expect(status).toBe(400)
    expect(html).toContain('min_revenue=much is not a number')
  })

  test('sorts by a column, either way', async () => {
    const first = await insertEntity(database.sql, {
      market: 'US',
      issuerId: '0000000777',
      ticker: 'TINY',
      name: 'Tiny',
    })
    await insertVintages(database.sql, first, [
      ['revenue', 0, 2009, '2008-09-28', '2009-09-26', '2009-10-27', 5e6, 'tiny-1'],
    ])
    expect((await shown('c1=revenue&sort=revenue')).rows[0]).toBe('TINY')
    expect((await shown('c1=revenue&sort=-revenue')).rows.at(-1)).toBe('TINY')
  })

  test('sorts amounts of one currency, and leads to those of others', async () => {
    const yen = { market: 'US', issuerId: '0000000778', ticker: 'YEN', name: 'Yen' }
    const id = await insertEntity(database.sql, yen)
    const filed = ['revenue', 0, 2009, '2008-09-28', '2009-09-26', '2009-10-27', 9e15, 'yen-1'] as const
    await insertVintages(database.sql, id, [[...filed]], 'JPY')
    const { rows, html } = await shown('c1=revenue&sort=-revenue&max_age_days=36500')
    expect(rows).toContain('AAPL')
    expect(rows).not.toContain('YEN')
    const [, path = ''] = /In other currencies: <a href="\/screen\?([^"]+)">1 in JPY</.exec(html) ?? []
    expect((await shown(path.replaceAll('&amp;', '&'))).rows).toEqual(['YEN'])
    expect((await shown('c1=revenue&min_revenue=1&max_age_days=36500')).rows).not.toContain('YEN')
    expect((await shown('c1=revenue&max_age_days=36500')).rows).not.toContain('YEN')
  })
})

test('pages and downloads are counted per address at the limits of a free key, apart from each other', async () => {
  const visitor = { 'X-Forwarded-For': '10.99.0.1' }
  const page = await get('/markets', visitor)
  expect(page.headers.get('x-ratelimit-limit')).toBe('120')
  expect(page.headers.get('ratelimit-policy')).toContain('q=5000')
  const statuses = await Promise.all(Array.from({ length: 125 }, () => get('/markets', visitor)))
  expect(statuses.filter(({ status }) => status === 429)).toHaveLength(6)
  const refused = await get('/markets', visitor)
  expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true])
  expect(refused.html).toContain('Wait ')
  const download = await get('/companies/AAPL/download', visitor)
  expect([download.status, download.headers.get('x-ratelimit-limit')]).toEqual([200, '120'])
  expect((await get('/markets', { 'X-Forwarded-For': '10.99.0.2' })).status).toBe(200)
})
