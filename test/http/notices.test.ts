import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parquetMetadata } from 'hyparquet'
import { sellKey } from './callers.ts'
import { type RealServer, realServer } from './realServer.ts'

/** Rows without a JSON object around them still say on which terms they are given, whose they are, and what is missing. */

let server: RealServer
let key: string
/** Free keys see what the demo key sees; one of each minute's limit would not be enough here. */
let freeKeys: string[]
let asked = 0
beforeAll(async () => {
  server = await realServer({ today: () => '2026-11-20' })
  key = await sellKey(server.sql, { quant: true })
  freeKeys = await Promise.all(Array.from({ length: 5 }, () => sellKey(server.sql, { licence: 'free' })))
}, 120_000)
afterAll(() => server.stop(), 60_000)

const freeKey = () => freeKeys[asked++ % freeKeys.length]
const ask = (path: string, caller = freeKey(), headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers: { Authorization: `Bearer ${caller}`, ...headers } })
const decoded = (response: Response, name: string) => {
  const value = response.headers.get(name)
  return value === null ? null : decodeURIComponent(value)
}

const nintendo = '/api/v1/fundamentals?ticker=E02367.JP'
const onlyYear = 'Only the most recent reported fiscal year (2024) is shown.'
const freeLink =
  '</docs/guides/keys-and-limits#licences>; rel="license"; title="Supplied under the Free Licence: for evaluation and personal use, with attribution; no redistribution."'

/** Each has at most one year of each company for the demo key. */
const cut = [
  nintendo,
  `${nintendo}&view=latest`,
  `${nintendo}&vintage=first`,
  '/api/v1/cross-section?metric=revenue&market=JP',
  '/api/v1/restatements?metric=revenue&market=JP',
  // An empty page was cut, too.
  '/api/v1/cross-section?metric=revenue&market=JP&max_age_days=0',
]

describe('a demo answer that is cut to one year', () => {
  test.each(
    cut.flatMap(path => ['csv', 'ndjson', 'parquet'].map((format): [string, string] => [path, format])),
  )('%s says so as %s, with licence and attribution', async (path, format) => {
    const json = await (await ask(path)).json()
    expect(json.note).toContain('most recent reported fiscal year')
    for (const headers of [{}, { 'Accept-Encoding': 'gzip' }, { 'Accept-Encoding': 'zstd' }]) {
      const response = await ask(`${path}&format=${format}`, freeKey(), headers)
      expect(response.status).toBe(200)
      expect(decoded(response, 'x-note')).toBe(json.note)
      expect(decoded(response, 'x-attribution')).toBe(json.attribution.join(' | '))
      expect(response.headers.get('link')).toBe(
        `${freeLink}, <https://disclosure2dl.edinet-fsa.go.jp/guide/static/disclosure/WZEK0030.html>; rel="license"`,
      )
      if (format !== 'parquet') continue
      const { key_value_metadata } = parquetMetadata(await response.arrayBuffer())
      expect(key_value_metadata?.find(entry => entry.key === 'note')?.value).toBe(json.note)
    }
  })

  test('of the demo key is that of a free key', async () => {
    const demo = await ask(`${nintendo}&format=csv`, 'demo')
    expect(decoded(demo, 'x-note')).toStartWith(onlyYear)
    expect(demo.headers.get('link')).toStartWith(freeLink)
  })

  test('says so for several companies, those that are cut by name', async () => {
    const path = '/api/v1/fundamentals?ticker=AAPL,E02367.JP,2330.TW&metric=revenue'
    const json = await (await ask(path)).json()
    for (const format of ['csv', 'ndjson', 'parquet']) {
      const response = await ask(`${path}&format=${format}`)
      expect(decoded(response, 'x-note')).toBe(
        'Only the most recent reported fiscal year (E02367.JP, 2330.TW) is shown. The full history and as_of require an evaluation key or a Personal or Commercial data licence.',
      )
      expect(decoded(response, 'x-attribution')).toBe(json.attribution.join(' | '))
      expect(response.headers.get('link')).toStartWith(freeLink)
      await response.arrayBuffer()
    }
  })
})

test('with a licence the registers’ terms are named, and no note where nothing is missing', async () => {
  for (const path of [nintendo, `${nintendo},AAPL`]) {
    const { headers } = await ask(`${path}&format=csv`, key)
    expect(headers.get('link')).toStartWith('<https://disclosure2dl.edinet-fsa.go.jp/')
    expect(headers.get('link')).not.toContain('title')
    expect(headers.has('x-attribution')).toBe(true)
    expect(headers.has('x-note')).toBe(false)
  }
})

test('signals say under which licence they are, and that the view is delayed', async () => {
  const demo = await ask('/api/v1/signals?limit=2&format=csv')
  expect(demo.headers.get('link')).toBe(freeLink)
  expect(demo.headers.get('x-note')).toBe(
    'The view ends 90 days before today; with the quant plan it has no delay.',
  )
  const quant = await ask('/api/v1/signals?limit=2&format=ndjson', key)
  expect([quant.headers.get('link'), quant.headers.get('x-note')]).toEqual([null, null])
})

test('web pages may read the headers, and JSON has fields instead', async () => {
  const csv = await ask(`${nintendo}&format=csv`)
  for (const name of ['Link', 'X-Attribution', 'X-Note'])
    expect(csv.headers.get('access-control-expose-headers')?.split(', ')).toContain(name)
  const { headers } = await ask(nintendo)
  for (const name of ['link', 'x-attribution', 'x-note']) expect(headers.has(name)).toBe(false)
})

describe('comments=true', () => {
  test.each([...cut, '/api/v1/signals?limit=3'])(
    '%s: the same rows after lines that start with #',
    async path => {
      const plain = await ask(`${path}${path.includes('?') ? '&' : '?'}format=csv`)
      const response = await ask(`${path}&format=csv&comments=true`)
      expect(response.headers.get('etag')).not.toBe(plain.headers.get('etag'))
      const lines = (await response.text()).split('\r\n')
      const head = lines.filter(line => line.startsWith('# '))
      expect(lines.slice(0, head.length)).toEqual(head)
      expect(lines.slice(head.length).join('\r\n')).toBe(await plain.text())
      expect(head[0]).toBe(
        '# licence: Supplied under the Free Licence: for evaluation and personal use, with attribution; no redistribution.',
      )
      const note = decoded(plain, 'x-note')
      expect(head.at(-1)).toBe(`# note: ${note}`)
      if (!path.includes('signals'))
        expect(head.filter(line => line.startsWith('# attribution: ')).length).toBe(1)
    },
  )

  test('of several companies: what is known of each company follows its rows', async () => {
    const path = '/api/v1/fundamentals?ticker=AAPL,E02367.JP&metric=gross_profit,revenue&format=csv'
    const lines = (await (await ask(`${path}&comments=true`)).text()).split('\r\n')
    const rows = lines.filter(line => !line.startsWith('# '))
    expect(rows.join('\r\n')).toBe(await (await ask(path)).text())
    expect(lines[0]).toStartWith('# licence: ')
    expect(lines.findLast(line => line !== '')).toStartWith(`# note: E02367.JP: ${onlyYear}`)
  })

  test('is refused with any other format, and says how to mend it', async () => {
    for (const path of [nintendo, `${nintendo},AAPL`, '/api/v1/signals?limit=3', cut[3], cut[4]]) {
      for (const format of ['', '&format=ndjson', '&format=parquet']) {
        const response = await ask(`${path}${format}&comments=true`)
        const { error } = await response.json()
        expect([path, response.status, error.param]).toEqual([path, 400, 'comments'])
        expect(error.message).toContain('Omit comments, or send format=csv.')
      }
    }
    expect((await ask(`${nintendo}&comments=false`)).status).toBe(200)
  })
})
