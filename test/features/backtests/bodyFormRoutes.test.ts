import { afterAll, beforeAll, expect, test } from 'bun:test'
import requests from '../../../src/http/docs/examples/requests.json' with { type: 'json' }
import { callers } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'

let server: RealServer
let quant = ''

beforeAll(async () => {
  server = await realServer()
  quant = (await callers(server.sql)).quant ?? ''
}, 180_000)
afterAll(() => server.stop(), 60_000)

async function post(type: string, body: string, query = ''): Promise<{ status: number; body: string }> {
  const response = await fetch(`${server.url}/api/v1/backtest${query}`, {
    method: 'POST',
    headers: { Authorization: quant, 'Content-Type': type },
    body,
  })
  return { status: response.status, body: await response.text() }
}

const config = `?config=${encodeURIComponent(JSON.stringify(requests.backtest_panel.config))}`

test('the documented panel gives one answer in all four forms', async () => {
  const answers = [
    await post('application/json', JSON.stringify(requests.backtest_panel)),
    await post('application/json', JSON.stringify(requests.backtest_columns)),
    await post('text/csv; charset=utf-8; header=present', requests.backtest_csv, config),
    await post('application/x-ndjson', requests.backtest_ndjson),
    await post('application/jsonl', requests.backtest_ndjson),
  ]
  expect(answers[0].status).toBe(200)
  for (const answer of answers) expect(answer).toEqual(answers[0])
})

test('include and sweep can be sent with CSV, and each changes the ETag', async () => {
  const tags = new Set<string | null>()
  for (const query of ['', config, `${config}&include=ic,monthly`, `${config}&sweep=true`]) {
    const response = await fetch(`${server.url}/api/v1/backtest${query}`, {
      method: 'POST',
      headers: { Authorization: quant, 'Content-Type': 'text/csv' },
      body: requests.backtest_csv,
    })
    const result = await response.json()
    expect([response.status, 'ic' in result, 'best' in result]).toEqual([
      200,
      query.includes('include'),
      query.includes('sweep'),
    ])
    tags.add(response.headers.get('etag'))
  }
  expect(tags.size).toBe(4)
})

const faults: [string, string, string, string, number, string][] = [
  ['application/json', '{}', config, 'config', 400, 'Put it into the JSON body'],
  ['application/x-ndjson', '{}', config, 'config', 400, 'Put it into the first line of NDJSON'],
  ['text/csv', requests.backtest_csv, '?confg={}', 'confg', 400, 'config, sweep, include'],
  [
    'text/csv',
    requests.backtest_csv,
    `${config}${config.replace('?', '&')}`,
    'config',
    400,
    'more than once',
  ],
  [
    'text/csv',
    requests.backtest_csv,
    '?config=%7B%22quantile%22%3A2%7D',
    'config.quantile',
    400,
    'from 0.01',
  ],
  ['text/csv', 'date,asset\n', '', 'line 1.score', 400, 'does not have score, forward_return'],
  ['text/csv; charset=latin1', 'date', '', 'Content-Type', 415, 'The body must be UTF-8'],
  [
    'text/plain',
    'date',
    '',
    'Content-Type',
    415,
    'text/csv, application/x-ndjson, application/vnd.apache.parquet or application/vnd.apache.arrow.stream',
  ],
]
for (const [type, body, query, param, status, message] of faults) {
  test(`${type}${query}: ${status}, and says what is wrong with ${param}`, async () => {
    const answer = await post(type, body, query)
    const { error } = JSON.parse(answer.body)
    expect([answer.status, error.param]).toEqual([status, param])
    expect(error.message).toContain(message)
  })
}
