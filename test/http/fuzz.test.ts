import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { errorCodes } from '../../src/errors.ts'
import { rounds } from '../rounds.ts'
import { sellKey } from './callers.ts'
import { rawRequest } from './rawRequest.ts'
import { realServer } from './realServer.ts'

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const quant = await sellKey(server.sql, { licence: 'oem', quant: true, bulk: true, perMinute: 900_000_000 })
const requests = Number(process.env.FUZZ_CASES ?? rounds(1_700, 5_000))

interface Case {
  method: string
  target: string
  headers: Record<string, string>
  body: string | null
}

const parameters = [
  'ticker',
  'as_of',
  'view',
  'metric',
  'from',
  'to',
  'market',
  'format',
  'limit',
  'cursor',
  'horizon',
  'q',
  'vintage',
  'fp',
  'max_age_days',
  'since',
  'since_day',
]
const sensible = [
  'AAPL',
  'goog',
  'SNOW',
  '2330.TW',
  '0000320193',
  '2010-02-01',
  '2024-02-30',
  '0000-00-00',
  '9999-12-31',
  'latest',
  'history',
  'revenue,net_margin',
  'US',
  'ZZ',
  'json',
  'csv',
  'ndjson',
  'parquet',
  'first',
  'FY',
  'AAPL,SNOW',
  '1',
  '0',
  '-1',
  '50000',
  '50001',
  '1e999',
  'NaN',
  '1d',
  '7d',
  'apple',
  'null',
  'undefined',
  '[object Object]',
  '{}',
  '__proto__',
  'constructor',
]
const hostile = [
  '',
  '%00',
  '%',
  '%zz',
  '%ED%A0%80',
  '%C0%AF',
  '%F4%90%80%80',
  "'--",
  '%27%3B%20drop%20table%20fact%3B',
  '..%2F..%2Fetc%2Fpasswd',
  '%3Dcmd%7C%27%20%2FC%20calc%27!A0',
  '%0d%0aSet-Cookie:%20a=b',
  '+',
  '%2B',
  '%25',
  '&',
  '=',
  ';',
  '#',
  '?',
  '/',
  '%E2%80%AE',
  '\u00ff\u00fe',
  'a'.repeat(300),
  '%F0%9F%98%80'.repeat(50),
  '%',
  '(((((((((',
  '*',
  '\\',
  '%5C',
  '%22',
  '<script>',
]
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...sensible) },
  { weight: 3, arbitrary: fc.constantFrom(...hostile) },
  { weight: 2, arbitrary: fc.string({ maxLength: 20 }).map(lenientEncode) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }).map(lenientEncode) },
  { weight: 1, arbitrary: fc.integer().map(String) },
  { weight: 1, arbitrary: fc.date({ noInvalidDate: true }).map(date => date.toISOString().slice(0, 10)) },
)
const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...parameters) },
  { weight: 1, arbitrary: piece },
)
/** Pairs that are allowed somewhere, so that not everything ends at the first check. */
const fitting = fc.constantFrom(
  ...[
    'ticker=AAPL',
    'ticker=goog',
    'ticker=SNOW',
    'as_of=2010-02-01',
    'as_of=2016-06-30',
    'view=latest',
    'view=history',
  ],
  ...[
    'metric=revenue',
    'metric=net_margin,eps',
    'from=2015-01-01',
    'market=US',
    'format=csv',
    'format=json',
    'format=ndjson',
    'format=parquet',
    'vintage=first',
    'fp=latest',
    'max_age_days=550',
    'metric=roe',
    'ticker=SNOW,AAPL,GOOG',
    'limit=3',
  ],
  'limit=50000',
  'horizon=1d',
  'horizon=7d',
  'to=2016-01-01',
  'q=apple',
  'q=320193',
  'q=a',
)
const pair = fc.oneof(
  { weight: 5, arbitrary: fitting },
  { weight: 3, arbitrary: fc.tuple(name, piece).map(parts => parts.join('=')) },
  { weight: 1, arbitrary: fc.tuple(name, piece, piece).map(([key, a, b]) => `${key}=${a}${b}`) },
)
const query = fc.array(pair, { maxLength: 4 }).map(pairs => pairs.join('&'))
const path = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '/api/v1/fundamentals',
      '/api/v1/cross-section',
      '/api/v1/restatements',
      '/api/v1/statements',
      '/api/v1/reported',
      '/api/v1/segments',
      '/api/v1/signals',
      '/api/v1/changes',
      '/api/v1/bulk',
      '/api/search',
      '/api/v1/backtest',
    ),
  },
  { weight: 3, arbitrary: piece.map(id => `/api/v1/coverage/${id}`) },
  { weight: 1, arbitrary: fc.tuple(piece, piece).map(parts => `/api/v1/bulk/${parts.join('/')}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('/health', '/ready', '/openapi.json', '/docs', '/docs/errors', '/'),
  },
  { weight: 1, arbitrary: piece.map(file => `/assets/${file}`) },
  { weight: 1, arbitrary: fc.tuple(piece, piece).map(parts => `/${parts.join('/')}`) },
)
const headerValue = fc.oneof(
  fc.constantFrom(
    '*',
    '*/*',
    'gzip',
    'zstd;q=0.5, gzip;q=1',
    'application/problem+json',
    'W/"1-x"',
    '"',
    ',,,',
    'identity;q=0',
    '1',
    'text/csv',
  ),
  fc.string({ maxLength: 40 }).map(text => text.replace(/[^\x21-\x7e]/g, ' ').trim()),
)
const authorization = fc.oneof(
  { weight: 12, arbitrary: fc.constant(`Bearer ${quant}`) },
  { weight: 4, arbitrary: fc.constant('Bearer demo') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'Bearer',
      'bearer  demo',
      'Bearer demo demo',
      'Basic x',
      `Bearer ${quant.slice(0, -1)}`,
    ),
  },
  { weight: 1, arbitrary: headerValue },
)
const headers = fc.record(
  {
    Authorization: authorization,
    'X-Forwarded-For': fc.oneof(
      { weight: 6, arbitrary: fc.ipV4() },
      { weight: 2, arbitrary: fc.ipV6() },
      { weight: 1, arbitrary: headerValue },
    ),
    Accept: headerValue,
    'Accept-Encoding': headerValue,
    'If-None-Match': headerValue,
    'X-Request-Id': headerValue,
    Origin: headerValue,
    'Content-Type': fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'text/csv',
      'application/json; charset=latin1',
    ),
  },
  { requiredKeys: ['Authorization', 'X-Forwarded-For', 'Content-Type'] },
)
const cell = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(null, 'A', '', '2024-01-02', '2024-02-30', true, [], {}),
)
const row = fc.record(
  {
    date: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('2024-01-02', '2024-01-03', '2024-01-04') },
      { weight: 1, arbitrary: cell },
    ),
    asset: fc.oneof({ weight: 5, arbitrary: fc.constantFrom('A', 'B', 'C') }, { weight: 1, arbitrary: cell }),
    market: cell,
    score: fc.oneof({ weight: 5, arbitrary: fc.double() }, { weight: 1, arbitrary: cell }),
    forward_return: fc.oneof(
      { weight: 5, arbitrary: fc.double({ min: -1, max: 1 }) },
      { weight: 1, arbitrary: cell },
    ),
    dollar_volume: fc.oneof(
      { weight: 5, arbitrary: fc.double({ min: 0, max: 1e18 }) },
      { weight: 1, arbitrary: cell },
    ),
  },
  { requiredKeys: ['date', 'asset', 'score', 'forward_return'] },
)
const config = fc.record(
  {
    direction: fc.constantFrom('long_short', 'long_only', 'short', 1),
    quantile: fc.oneof(fc.double(), fc.constantFrom(0.01, 0.5, '0.1')),
    weighting: fc.constantFrom('equal', 'rank', 'score', null),
    holdDays: fc.oneof(fc.integer(), fc.constantFrom(1, 252, 1.5)),
    costBps: fc.oneof(fc.double(), fc.constant(10)),
    borrowBps: cell,
    folds: fc.integer({ min: -1, max: 60 }),
    neutral: fc.constantFrom('market', 'none'),
  },
  { requiredKeys: [] },
)
const request = fc.record(
  {
    config,
    panel: fc.array(row, { maxLength: 12 }),
    include: fc.subarray([
      'ic',
      'quantiles',
      'monthly',
      'positions',
      'spa',
      'interval',
      'cpcv',
      'track_record',
      'performance',
      'ic_decay',
      'quantile_returns',
      'capacity',
      'x',
    ]),
    evidence: fc.record(
      {
        seed: fc.integer(),
        bootstraps: fc.integer({ min: 90, max: 200 }),
        meanBlock: fc.double(),
        groups: fc.integer({ min: 1, max: 21 }),
        participation: fc.double(),
      },
      { requiredKeys: [] },
    ),
    extra: cell,
  },
  { requiredKeys: ['panel'] },
)
/** A request that can be met, mostly: the search is for what goes wrong behind the checks. */
const validRequest = fc
  .record({
    config: fc.record(
      {
        direction: fc.constantFrom('long_short', 'long_only'),
        quantile: fc.double({ min: 0.01, max: 0.5, noNaN: true }),
        weighting: fc.constantFrom('equal', 'rank', 'score'),
        holdDays: fc.integer({ min: 1, max: 4 }),
        costBps: fc.constantFrom(0, 10, 10_000),
        folds: fc.integer({ min: 1, max: 50 }),
      },
      { requiredKeys: [] },
    ),
    days: fc.integer({ min: 1, max: 9 }),
    assets: fc.integer({ min: 1, max: 5 }),
    values: fc.array(
      fc.oneof(fc.double({ min: -2, max: 2, noNaN: true }), fc.constantFrom(0, -1, 1e300, null)),
      {
        minLength: 1,
        maxLength: 20,
      },
    ),
  })
  .map(({ config: chosen, days, assets, values }) => {
    const cells = Array.from({ length: days * assets }, (_, n) => ({
      date: `2024-01-${String(2 + Math.floor(n / assets)).padStart(2, '0')}`,
      asset: `A${n % assets}`,
      score: values[n % values.length],
      forward_return: values[(n * 7 + 3) % values.length],
    }))
    return JSON.stringify({ config: chosen, panel: cells })
  })
const source = fc
  .record(
    {
      horizon: fc.constantFrom('1d', '3d', '7d'),
      market: fc.constantFrom('US', 'ZZ'),
      limit: fc.integer({ min: 1, max: 900 }),
    },
    { requiredKeys: ['limit'] },
  )
  .map(chosen => JSON.stringify({ source: chosen }))
const body = fc.oneof(
  { weight: 6, arbitrary: validRequest },
  { weight: 1, arbitrary: source },
  { weight: 5, arbitrary: request.map(value => JSON.stringify(value)) },
  {
    weight: 2,
    arbitrary: fc.tuple(request, fc.nat(400)).map(([value, cut]) => JSON.stringify(value).slice(0, cut)),
  },
  { weight: 2, arbitrary: fc.json({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  { weight: 1, arbitrary: fc.nat(3_000).map(depth => '['.repeat(depth)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'null',
      '{"panel":[{}]}',
      '{"panel":{}}',
      '{"a":1,"a":2}',
      '{"panel":[1e999]}',
      '\ufeff{}',
    ),
  },
)
const anyCase: fc.Arbitrary<Case> = fc
  .tuple(
    fc.oneof(
      { weight: 12, arbitrary: fc.constant('GET') },
      { weight: 3, arbitrary: fc.constantFrom('HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH') },
    ),
    path,
    query,
    headers,
    body,
  )
  .map(([method, target, search, sent, content]) => {
    const posts = target === '/api/v1/backtest' || method === 'POST'
    const chosen = target === '/api/v1/backtest' ? 'POST' : method
    return {
      method: chosen,
      target: sayable(search === '' ? target : `${target}?${search}`),
      headers: sent,
      body: posts ? content : null,
    }
  })

/** A space would end the request line, and the request with it: that is Bun's to refuse, and it does. */
function sayable(target: string): string {
  return target.replaceAll(' ', '%20')
}

/** Percent-encodes what HTTP itself would refuse in a request line; the rest goes as it is. */
function lenientEncode(text: string): string {
  return Array.from(Buffer.from(text, 'utf8'), byte =>
    byte > 0x20 && byte < 0x7f && byte !== 0x23
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).padStart(2, '0')}`,
  ).join('')
}

async function send({ method, target, headers: sent, body: content }: Case) {
  const bytes = content === null ? null : Buffer.from(content, 'utf8')
  const lines = Object.entries({ Host: 'localhost', Connection: 'close', ...sent }).map(
    ([key, value]) => `${key}: ${value}`,
  )
  if (bytes !== null) lines.push(`Content-Length: ${bytes.length}`)
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return rawRequest(server.port, bytes === null ? head : Buffer.concat([head, bytes]), { timeoutMs: 10_000 })
}

const statuses = new Set([200, 204, 302, 304, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 503, 504])
const codes: ReadonlySet<string> = new Set(errorCodes)

/** What every answer to anything has to be: never 500, and an error in our shape. */
async function check(one: Case): Promise<void> {
  const { status, text } = await send(one)
  const [head, ...rest] = text.split('\r\n\r\n')
  expect([status, statuses.has(status), text.slice(0, 300)]).toEqual([status, true, expect.anything()])
  const id = /x-request-id: (\S+)/i.exec(head)?.[1]
  expect(id).toBeTruthy()
  if (status < 400 || one.method === 'HEAD') return
  const answer = JSON.parse(Buffer.from(rest.join('\r\n\r\n'), 'latin1').toString('utf8'))
  const error = answer.error ?? answer
  expect([codes.has(error.code), error.request_id, typeof (error.message ?? error.detail)]).toEqual([
    true,
    id,
    'string',
  ])
}

/** Cases that the fuzzer found come first, for ever. */
const found: [Case][] = []

test(`${requests} hostile requests: never a 500, always the error's shape, always an answer`, async () => {
  // The archive is loaded once, and not against the clock.
  await send({
    method: 'POST',
    target: '/api/v1/backtest',
    headers: { Authorization: `Bearer ${quant}`, 'Content-Type': 'application/json' },
    body: '{}',
  })
  await fc.assert(fc.asyncProperty(anyCase, check), {
    numRuns: requests,
    examples: found,
    endOnFailure: false,
  })
  expect((await fetch(`${server.url}/health`)).status).toBe(200)
  expect((await fetch(`${server.url}/ready`)).status).toBe(200)
}, 300_000)
