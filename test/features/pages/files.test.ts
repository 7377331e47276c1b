import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { parquetMetadata } from 'hyparquet'
import { maxAddresses } from '../../../src/features/pages/sitemap.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'

setDefaultTimeout(120_000)

const fields = 'accession,form,tag,start,accepted_at,inputs,url'
/** The first lines in which two files differ: all of them would be a very long message. */
const difference = (a: readonly string[], b: readonly string[]) =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, at) => [a[at], b[at]])
    .filter(([one, two]) => one !== two)
    .slice(0, 3)

const bearer = { Authorization: 'Bearer demo' }

describe('downloads', () => {
  let server: RealServer
  let allowing: TestServer
  beforeAll(async () => {
    server = await realServer()
    allowing = await testServer(server.sql, {}, { ALLOW_UNVERIFIED_MARKETS: 'kr, FR' })
  })
  afterAll(async () => {
    await allowing.stop()
    await server.stop()
  }, 180_000)

  for (const ticker of ['AAPL', 'SNOW', 'E02367.JP']) {
    for (const format of ['csv', 'json', 'parquet'] as const) {
      test(`${ticker} as ${format} is what the API answers the demo key, with licence and attribution inside`, async () => {
        const file = await fetch(`${server.url}/companies/${ticker}/download?format=${format}`)
        const comments = format === 'csv' ? '&comments=true' : ''
        const answer = await fetch(
          `${server.url}/api/v1/fundamentals?ticker=${ticker}&fields=${fields}&format=${format}${comments}`,
          { headers: bearer },
        )
        expect([file.status, answer.status]).toEqual([200, 200])
        const bytes = await file.bytes()
        expect(Buffer.compare(bytes, await answer.bytes())).toBe(0)
        expect(file.headers.get('content-disposition')).toBe(
          `attachment; filename="asfiled-${ticker}.${format}"`,
        )
        const inside =
          format === 'parquet'
            ? JSON.stringify(parquetMetadata(bytes.buffer).key_value_metadata)
            : new TextDecoder().decode(bytes.subarray(0, 3_000))
        expect(inside).toContain('Free Licence')
        expect(inside).toContain(
          server.resources.markets.get(ticker === 'E02367.JP' ? 'JP' : 'US')?.attribution.slice(0, 30) ??
            'none',
        )
      })
    }
  }

  test('markets of unread terms have none until the operator names them, and say so on the page', async () => {
    for (const [ticker, market] of [
      ['005930.KS', 'KR'],
      ['483935326.FR', 'FR'],
      ['2330.TW', 'TW'],
    ] as const) {
      const refused = await fetch(`${server.url}/companies/${ticker}/download?format=csv`)
      expect([ticker, refused.status]).toEqual([ticker, 403])
      expect((await refused.json()).error.message).toContain(`ALLOW_UNVERIFIED_MARKETS=${market}`)
      expect(await (await fetch(`${server.url}/companies/${ticker}`)).text()).toContain(
        'There are no files for',
      )
      const allowed = await fetch(`${allowing.url}/companies/${ticker}/download?format=csv`)
      expect([ticker, allowed.status]).toEqual([ticker, market === 'TW' ? 403 : 200])
    }
  })

  test('the sample has every line of the shipped one but those of unread terms', async () => {
    const shipped = gunzipSync(await Bun.file('sample/fundamentals.csv.gz').bytes()).toString()
    expect(shipped.split('\n').length - 1).toBe((shipped.match(/\n/g) ?? []).length)
    // The filter reads lines: no cell of the shipped files may hold a line end.
    for (const text of [shipped, await Bun.file('sample/entities.csv').text()])
      for (const line of text.split('\n')) expect((line.match(/"/g) ?? []).length % 2).toBe(0)
    const read = async (url: string) =>
      gunzipSync(await (await fetch(`${url}/sample/fundamentals.csv.gz`)).bytes())
        .toString()
        .split('\n')
    const lines = shipped.split('\n')
    // No cell before the market's is quoted.
    const market = (line: string) => line.split(',')[14]
    const open = lines.filter(line => !['KR', 'TW', 'FR'].includes(market(line) ?? ''))
    expect(open.length).toBeGreaterThan(80_000)
    expect(difference(await read(server.url), open)).toEqual([])
    expect(
      difference(
        await read(allowing.url),
        lines.filter(line => market(line) !== 'TW'),
      ),
    ).toEqual([])
    const entities = await (await fetch(`${server.url}/sample/entities.csv`)).text()
    expect(entities).toContain('\nUS,')
    expect(entities).not.toMatch(/^(KR|TW|FR|BE|DK),/m)
    expect((await fetch(`${server.url}/sample/README.md`)).status).toBe(404)
  })
})

describe('maps for robots', () => {
  let database: TestDatabase
  let server: TestServer
  const count = maxAddresses + 1_500
  beforeAll(async () => {
    database = await testDatabase()
    const { sql } = database
    await sql`
      insert into entity (market, issuer_id, ticker, name)
      select 'US', lpad(n::text, 10, '0'), 'T' || lpad(n::text, 7, '0'), 'Company ' || n from generate_series(1, ${count}) n`
    await sql`insert into entity (market, issuer_id, ticker, name) values ('KR', '00126380', 'A&B.KS', 'Ampersand')`
    server = await testServer(sql)
  })
  afterAll(async () => {
    await server.stop()
    await database.close()
  }, 180_000)

  const addresses = async (path: string) => {
    const response = await fetch(server.url + path)
    expect([path, response.status, response.headers.get('content-type')]).toEqual([
      path,
      200,
      'application/xml; charset=utf-8',
    ])
    return [...(await response.text()).matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address = '']) => address)
  }

  test('name every company once, 50,000 in a map', async () => {
    const maps = await addresses('/sitemap.xml')
    expect(maps.map(address => address.split('/').at(-1))).toEqual([
      'pages.xml',
      'KR-1.xml',
      'US-1.xml',
      'US-2.xml',
    ])
    const first = await addresses('/sitemaps/US-1.xml')
    const second = await addresses('/sitemaps/US-2.xml')
    expect([first.length, second.length]).toEqual([maxAddresses, 1_500])
    expect(new Set([...first, ...second]).size).toBe(count)
    expect(await addresses('/sitemaps/KR-1.xml')).toEqual(['http://127.0.0.1:3000/companies/A%26B.KS'])
    for (const name of ['US-3', 'US-0', 'XX-1', 'FR-2', '..%2Fa'])
      expect([name, (await fetch(`${server.url}/sitemaps/${name}.xml`)).status]).toEqual([name, 404])
  })

  test('a map is sent while it is read: its first bytes come before its last', async () => {
    const response = await fetch(`${server.url}/sitemaps/US-1.xml`)
    let chunks = 0
    let bytes = 0
    for await (const chunk of response.body ?? []) {
      chunks++
      bytes += chunk.length
    }
    expect(response.headers.get('content-length')).toBeNull()
    expect(bytes).toBeGreaterThan(2_000_000)
    expect(chunks).toBeGreaterThan(5)
  })

  test('a map that a robot leaves returns its turn', async () => {
    for (let i = 0; i < 12; i++) {
      const gone = new AbortController()
      const response = await fetch(`${server.url}/sitemaps/US-1.xml`, { signal: gone.signal })
      await response.body?.getReader().read()
      gone.abort()
    }
    expect((await addresses('/sitemaps/KR-1.xml')).length).toBe(1)
  })

  test('robots.txt names the maps and leaves the API out', async () => {
    const text = await (await fetch(`${server.url}/robots.txt`)).text()
    expect(text).toContain('Disallow: /api/\n')
    expect(text).toContain('Sitemap: http://127.0.0.1:3000/sitemap.xml\n')
  })
})
