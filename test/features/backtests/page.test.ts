import { afterAll, describe, expect, test } from 'bun:test'
import { reportSections } from '../../../src/backtest/report/reportSections.ts'
import { tearSheet } from '../../../src/backtest/report/tearSheet/page.ts'
import { contentPolicy } from '../../../src/backtest/report/tearSheet/policy.ts'
import { prefersHtml } from '../../../src/http/preferences.ts'
import { testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { testServer } from '../../http/testServer.ts'
import { asPanel, signals } from './backtestBench.ts'

const body = JSON.stringify({ panel: asPanel(signals(20)) })

const database = await testDatabase()
const server = await testServer(database.sql)
const key = await sellKey(database.sql, { quant: true })
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

const post = (query: string, headers: Record<string, string> = {}, sent = body) =>
  fetch(`${server.url}/api/v1/backtest${query}`, {
    method: 'POST',
    body: sent,
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Accept-Encoding': 'identity',
      ...headers,
    },
  })

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

describe('POST /api/v1/backtest answers with a page', () => {
  test.each([
    ['format=html', '?format=html', 'application/json'],
    ['the Accept of a browser', '', browser],
    ['Accept: text/html', '', 'text/html'],
  ])('for %s', async (_, query, accept) => {
    const response = await post(query, { Accept: accept })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toBe(`${contentPolicy}; frame-ancestors 'none'`)
    expect(response.headers.get('vary')).toContain('Accept,')
    expect(response.headers.get('cache-control')).toContain('private')
    const page = await response.text()
    expect(page).toStartWith('<!doctype html>')
    expect(page).toContain('<h1>Your rows</h1>')
    const complete = JSON.stringify({ ...JSON.parse(body), include: reportSections(false) })
    const result = await (await post('?format=json', {}, complete)).json()
    expect(page).toBe(tearSheet(result, 'Your rows'))
  })

  test('compressed like any answer, under a tag of its own', async () => {
    const packed = await post('?format=html', { 'Accept-Encoding': 'gzip' })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(await packed.text()).toEndWith('</html>\n')
    const data = await post('?format=json')
    expect(data.headers.get('etag')).not.toBe(packed.headers.get('etag'))
  })
})

describe('and with data', () => {
  test.each([
    ['no Accept', '', {}],
    ['anything', '', { Accept: '*/*' }],
    ['JSON', '', { Accept: 'application/json' }],
    ['JSON or a page alike', '', { Accept: 'text/html, application/json' }],
    ['format=json, whatever Accept says', '?format=json', { Accept: 'text/html' }],
  ])('for %s', async (_, query, headers: Record<string, string>) => {
    const response = await post(query, headers)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('vary')).toContain('Accept,')
    expect((await response.json()).object).toBe('backtest_result')
  })

  test('a form that does not exist is refused, and named', async () => {
    const response = await post('?format=pdf')
    expect(response.status).toBe(400)
    const { error } = await response.json()
    expect(error).toMatchObject({ code: 'parameter_invalid', param: 'format' })
    expect(error.message).toContain('one of json, html')
  })

  test('errors stay JSON for a browser', async () => {
    const response = await post('?format=html', { Authorization: 'Bearer demo' })
    expect(response.status).toBe(403)
    expect((await response.json()).error.code).toBe('quant_required')
  })
})

test('the weights of Accept decide, and nonsense does not', () => {
  const wanted: [string, boolean][] = [
    ['text/html;q=0.9, application/json', false],
    ['text/html, application/json;q=0.9', true],
    ['text/*, application/json;q=0.5', true],
    ['text/html;q=0, */*', false],
    ['TEXT/HTML', true],
    ['text/html;q=huge', false],
    [',;,', false],
    ['', false],
  ]
  for (const [accept, isHtml] of wanted)
    expect({ accept, isHtml: prefersHtml(accept) }).toEqual({ accept, isHtml })
  expect(prefersHtml(null)).toBe(false)
})
