import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { asFile } from '../../src/http/fileName.ts'
import { acceptedFormat } from '../../src/http/preferences.ts'
import { sellKey } from './callers.ts'
import { realServer } from './realServer.ts'
import { testToday } from './testServer.ts'

setDefaultTimeout(180_000)

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const key = `Bearer ${await sellKey(server.sql, { licence: 'oem', perMinute: 100_000, bulk: true })}`

const send = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers: { Authorization: key, ...headers } })
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer()).toString('base64')

const types = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
} as const
const formats = Object.keys(types) as (keyof typeof types)[]

/** Every route whose answer is rows, with the name of its file. */
const lists: Record<string, string> = {
  '/api/v1/fundamentals?ticker=AAPL&metric=revenue&as_of=2010-02-01': 'asfiled-AAPL-2010-02-01',
  '/api/v1/fundamentals?ticker=AAPL&metric=revenue,eps&layout=wide&as_of=2010-02-01':
    'asfiled-AAPL-2010-02-01',
  '/api/v1/fundamentals?ticker=AAPL,GOOGL&metric=revenue&as_of=2016-12-31': 'asfiled-AAPL_GOOGL-2016-12-31',
  '/api/v1/cross-section?metric=roe&market=US&as_of=2016-12-31': 'asfiled-cross-section-US-roe-2016-12-31',
  '/api/v1/cross-section?metric=roe,revenue,eps,assets,cash&market=US&as_of=2016-12-31':
    'asfiled-cross-section-US-roe_revenue_eps_and_2_more-2016-12-31',
  '/api/v1/statements?ticker=AAPL&statement=cash_flow&as_of=2016-12-31':
    'asfiled-statement-cash_flow-AAPL-2016-12-31',
  '/api/v1/reported?ticker=AAPL&tag=us-gaap:Assets&as_of=2016-12-31':
    'asfiled-reported-us-gaap_Assets-AAPL-2016-12-31',
  '/api/v1/segments?ticker=AAPL&metric=revenue&axis=product&as_of=2016-12-31':
    'asfiled-segments-product-AAPL-2016-12-31',
  '/api/v1/restatements?metric=revenue&market=US&as_of=2016-12-31':
    'asfiled-restatements-US-revenue-2016-12-31',
  '/api/v1/filings?ticker=AAPL&as_of=2010-02-01': 'asfiled-filings-AAPL-2010-02-01',
  '/api/v1/filings?market=US&as_of=2010-02-01': 'asfiled-filings-US-2010-02-01',
  '/api/v1/signals?horizon=7d&limit=50&to=2020-01-31': 'asfiled-signals-7d-2020-01-31',
  '/api/v1/changes?since=0&limit=50': `asfiled-changes-0-${testToday}`,
}

describe.each(Object.keys(lists))('%s', path => {
  test('the form that Accept names is that of `format`, with a file name, and no cache mixes two', async () => {
    const tags = new Set<string>()
    const wanted = new Map<string, string>()
    // Twice, because the second round is served from the caches.
    for (const round of [1, 2]) {
      for (const format of formats) {
        const byAccept = await send(path, { Accept: types[format] })
        const byFormat = await send(`${path}&format=${format}`, { Accept: round === 1 ? 'text/csv' : '*/*' })
        expect([byAccept.status, byFormat.status]).toEqual([200, 200])
        for (const response of [byAccept, byFormat]) {
          expect(response.headers.get('content-type')).toStartWith(types[format])
          expect(response.headers.get('vary')).toBe('Accept, Accept-Encoding, Authorization')
          expect(response.headers.get('content-disposition')).toBe(
            format === 'json' ? null : `attachment; filename="${lists[path]}.${format}"`,
          )
          const body = await bytesOf(response)
          expect(body).toBe(wanted.get(format) ?? body)
          wanted.set(format, body)
        }
        const tag = byAccept.headers.get('etag') ?? ''
        expect(byFormat.headers.get('etag')).toBe(tag)
        tags.add(tag)
      }
    }
    expect(tags.size).toBe(formats.length)
    expect(new Set(wanted.values()).size).toBe(formats.length)
    const csv = await send(path, { Accept: types.csv })
    const tag = csv.headers.get('etag') ?? ''
    expect((await send(path, { Accept: types.csv, 'If-None-Match': tag })).status).toBe(304)
    expect((await send(path, { Accept: types.json, 'If-None-Match': tag })).status).toBe(200)
    expect((await send(path, { 'If-None-Match': tag })).status).toBe(200)
  })
})

test('an as-of join, too, whatever the form of its body', async () => {
  const rows = { date: ['2010-01-26', '2009-10-28'], ticker: ['AAPL', 'AAPL'] }
  const json = JSON.stringify({ rows, metrics: ['revenue', 'roe'], fp: 'FY' })
  const csv = 'date,ticker\n2010-01-26,AAPL\n2009-10-28,AAPL\n'
  const join = (format: string | null, accept: string, body: string, settings: string) =>
    fetch(`${server.url}/api/v1/as-of?${format === null ? '' : `format=${format}`}${settings}`, {
      method: 'POST',
      headers: {
        Authorization: key,
        Accept: accept,
        'Content-Type': body === csv ? 'text/csv' : 'application/json',
      },
      body,
    })
  const tags = new Set<string>()
  for (const [body, settings] of [
    [json, ''],
    [csv, '&metrics=revenue,roe&fp=FY'],
  ] as const) {
    for (const format of formats) {
      const byAccept = await join(null, types[format], body, settings)
      const byFormat = await join(format, 'text/csv', body, settings)
      for (const { status, headers } of [byAccept, byFormat]) {
        expect(status).toBe(200)
        expect(headers.get('content-type')).toStartWith(types[format])
        expect(headers.get('vary')).toBe('Accept, Accept-Encoding, Authorization')
        expect(headers.get('content-disposition')).toBe(
          format === 'json' ? null : `attachment; filename="asfiled-as-of-revenue_roe-FY.${format}"`,
        )
      }
      expect(await bytesOf(byAccept)).toBe(await bytesOf(byFormat))
      const tag = byAccept.headers.get('etag') ?? ''
      expect(byFormat.headers.get('etag')).toBe(tag)
      tags.add(tag)
    }
  }
  expect(tags.size).toBe(2 * formats.length)
  expect((await join(null, '*/*', json, '')).headers.get('content-type')).toBe('application/json')
})

test('of several types the one with the greatest weight is sent; of equals one that is named, then JSON', () => {
  const cases: [string | null, string][] = [
    [null, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['text/csv', 'csv'],
    ['TEXT/CSV; header=present', 'csv'],
    ['text/*', 'csv'],
    ['application/*', 'json'],
    ['application/x-ndjson', 'ndjson'],
    ['application/ndjson', 'ndjson'],
    ['application/jsonl', 'ndjson'],
    ['application/vnd.apache.parquet', 'parquet'],
    ['application/parquet', 'parquet'],
    ['application/x-parquet', 'parquet'],
    ['Application/Parquet;q=0.9, application/json;q=0.8', 'parquet'],
    ['text/csv;q=0.5, application/x-parquet;q=0.6', 'parquet'],
    ['application/parquet, */*;q=0.1', 'parquet'],
    ['application/parquet;q=0', 'json'],
    ['text/csv, application/json', 'json'],
    ['text/csv;q=0.9, application/json;q=0.8', 'csv'],
    ['text/csv;q=0.5, application/vnd.apache.parquet', 'parquet'],
    ['text/csv, */*', 'csv'],
    ['text/csv, */*;q=0.1', 'csv'],
    ['text/csv;q=0.1, */*', 'json'],
    ['application/json;q=0, */*', 'csv'],
    ['application/json;q=0, text/csv;q=0', 'json'],
    // Browsers, and clients that list what they know.
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['application/json, text/plain, */*', 'json'],
    // Nothing of it can be sent.
    ['image/png', 'json'],
    ['text/csv;q=2', 'json'],
    ['text/csv;q=abc', 'json'],
    [',;=,,q', 'json'],
    ['\xff\xfe', 'json'],
  ]
  for (const [accept, format] of cases) expect([accept, acceptedFormat(accept)]).toEqual([accept, format])
})

test('what is only JSON stays JSON: the coverage index, other routes and errors', async () => {
  for (const path of [
    '/api/v1/fundamentals?market=US&limit=1',
    '/api/v1/coverage/320193',
    '/api/v1/metrics?market=NZ',
    '/api/search?q=apple',
    '/api/v1/me',
  ]) {
    const response = await send(path, { Accept: 'text/csv' })
    expect([path, response.status]).toEqual([path, 200])
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('content-disposition')).toBeNull()
  }
  const refused = await send('/api/v1/fundamentals?ticker=APPL', { Accept: 'text/csv' })
  expect(refused.status).toBe(404)
  expect((await refused.json()).error.code).toBe('entity_unknown')
  const comments = await send('/api/v1/filings?ticker=AAPL&comments=true', { Accept: 'text/csv' })
  expect(await comments.text()).toStartWith('# ')
  expect((await send('/api/v1/filings?ticker=AAPL&comments=true')).status).toBe(400)
})

test('a file name has ASCII letters, digits and .-_ only, whatever the ID is, and a bounded length', () => {
  const nameOf = (...parts: (string | string[])[]) => asFile('csv', ...parts)['Content-Disposition']
  expect(nameOf('BRK.B', '2020-01-01')).toBe('attachment; filename="asfiled-BRK.B-2020-01-01.csv"')
  expect(nameOf('A"; filename="x\r\n/../任天堂')).toBe('attachment; filename="asfiled-A_filename_x_.._.csv"')
  expect(nameOf(['A', 'B', 'C', 'D', 'E'])).toBe('attachment; filename="asfiled-A_B_C_and_2_more.csv"')
  expect(nameOf('x'.repeat(5_000), ['y'.repeat(5_000)])?.length).toBeLessThan(150)
  expect(asFile('json', 'A')).toEqual({})
})
