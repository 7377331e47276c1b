import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { startJobs } from '../../../src/boot/jobs.ts'
import { auditTasks } from '../../../src/features/audits/runJob.ts'
import { Audit, AuditJob } from '../../../src/features/audits/schema.ts'
import { deleteExpired } from '../../../src/jobs/maintainQueries.ts'
import { migrateQueue } from '../../../src/jobs/queue.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { insertCompanies } from '../companies/fixtures.ts'

/* Apple's revenue of fiscal year 2009 is 36,537 million in 10-K 0001193125-09-214859, filed on 2009-10-27, and 42,905 million in
 * 10-K/A 0001193125-10-012091, filed on 2010-01-25. */

setDefaultTimeout(180_000)

let database: TestDatabase
let server: TestServer
let key = ''
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  database = await testDatabase()
  await insertCompanies(database.sql)
  await migrateQueue(database.url)
  server = await testServer(database.sql, {}, { FLAGSHIP_TICKERS: 'AAPL', BODY_LIMIT_MB: '64' })
  key = await sell('personal')
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})
afterAll(async () => {
  await server.stop()
  await database.close()
})

const sell = async (licence: 'personal' | 'evaluation' | 'free'): Promise<string> =>
  `Bearer ${await sellKey(database.sql, { licence, expires: '2099-01-01' })}`

async function runner(): Promise<void> {
  const { resources } = server
  stops.push(
    await startJobs(
      { url: database.url, concurrency: 1, drainTimeoutMs: 5_000 },
      {
        ...resources,
        tasks: auditTasks(resources),
        processId: crypto.randomUUID(),
        explain: resources.storage.explain,
        report: () => {},
      },
    ),
  )
}

type Body = string | Uint8Array<ArrayBuffer>
const types = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/parquet',
}

interface Sent {
  readonly type?: keyof typeof types
  readonly query?: string
  readonly authorization?: string
  readonly headers?: Readonly<Record<string, string>>
}

const post = (body: Body, { type = 'json', query = '', authorization = key, headers = {} }: Sent = {}) =>
  fetch(`${server.url}/api/v1/audits${query}`, {
    method: 'POST',
    headers: {
      Authorization: authorization,
      'Content-Type': types[type],
      'Accept-Encoding': 'identity',
      ...headers,
    },
    body,
  })

/** The answer of an audit with its columns of any name. */
type Answer = Audit & { readonly rows: Readonly<Record<string, readonly unknown[]>> }

async function audited(body: object, sent: Sent = {}): Promise<Answer> {
  const response = await post(JSON.stringify(body), sent)
  if (response.status !== 200) throw new Error(await response.text())
  return response.json()
}

async function refusal(body: Body | object, sent: Sent = {}): Promise<[number, string, string]> {
  const isBytes = typeof body === 'string' || body instanceof Uint8Array
  const response = await post(isBytes ? body : JSON.stringify(body), sent)
  const { error } = await response.json()
  return [response.status, error.code, error.message]
}

const dates = ['2009-10-28', '2010-01-25', '2010-01-26', '2009-10-20']
const tickers = ['AAPL', 'AAPL', 'AAPL', 'AAPL']
const revenue = [42_905e6, 36_537e6, 36_537e6, 36_537e6]
const states = ['restated', 'known', 'stale', 'early']
const settings = { columns: { revenue: { metric: 'revenue', fp: 'FY', scale: 1 } }, with: ['filing'] }
const rows = { date: dates, ticker: tickers, revenue }
const csv = `date,ticker,revenue\n${dates.map((date, i) => `${date},AAPL,${revenue[i]}`).join('\n')}\n`
const ndjson = dates
  .map((date, i) => JSON.stringify({ date, ticker: 'AAPL', revenue: revenue[i] }))
  .join('\n')
const parquet = new Uint8Array(
  parquetWriteBuffer({
    columnData: [
      { name: 'date', data: dates, type: 'STRING' },
      { name: 'ticker', data: tickers, type: 'STRING' },
      { name: 'revenue', data: revenue.map(BigInt), type: 'INT64' },
    ],
  }),
)
const query = `?columns=${encodeURIComponent(JSON.stringify(settings.columns))}&with=filing`
const bodies = [
  ['json', JSON.stringify({ rows, ...settings }), ''],
  ['csv', csv, query],
  ['ndjson', ndjson, query],
  ['parquet', parquet, query],
] as const

describe('an audit', () => {
  test('says the same of rows in every format of the body', async () => {
    for (const [type, body, ofBody] of bodies) {
      const response = await post(body, { type, query: ofBody })
      const answer = await response.json()
      expect([type, response.status]).toEqual([type, 200])
      expect([type, ...Value.Errors(Audit, answer)]).toEqual([type])
      expect([type, answer.rows.revenue_state]).toEqual([type, states])
      expect(answer.rows.revenue_known).toEqual([36_537e6, 36_537e6, 42_905e6, null])
      expect(answer.rows.revenue_days).toEqual([89, -90, -91, 7])
      expect(answer.rows.revenue_filing).toEqual([
        '0001193125-10-012091',
        '0001193125-09-214859',
        '0001193125-09-214859',
        '0001193125-09-214859',
      ])
      expect(answer.worst.map(({ row, state, days }: Audit['worst'][number]) => [row, state, days])).toEqual([
        [1, 'restated', 89],
        [4, 'early', 7],
      ])
    }
  })

  test('is answered in every format from every format, with the audited columns as doubles in Parquet', async () => {
    for (const [type, body, ofBody] of bodies) {
      const asked = (format: string) =>
        post(body, { type, query: `${ofBody === '' ? '?' : `${ofBody}&`}format=${format}` })
      const lines = (await (await asked('csv')).text()).trim().split('\r\n')
      expect(lines[0]).toBe('date,ticker,revenue,revenue_state,revenue_known,revenue_days,revenue_filing')
      expect(lines.slice(1).map(line => line.split(',')[3])).toEqual(states)
      const file = await (await asked('parquet')).arrayBuffer()
      const { schema } = parquetMetadata(file)
      const typeOf = (name: string) => schema.find(column => column.name === name)?.type
      // A Parquet body keeps its own types.
      expect([type, typeOf('revenue')]).toEqual([type, type === 'parquet' ? 'INT64' : 'DOUBLE'])
      expect([typeOf('revenue_known'), typeOf('revenue_days')]).toEqual(['DOUBLE', 'INT32'])
      const read = await parquetReadObjects({ file })
      expect(read.map(row => row.revenue_state)).toEqual(states)
      expect(read.map(row => Number(row.revenue))).toEqual(revenue)
      const page = await asked('html')
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      await page.body?.cancel()
    }
  })

  test('reads the spellings of missing values as empty, and others as themselves', async () => {
    const spelled = [
      '',
      'NaN',
      'n/a',
      '#N/A',
      'NULL',
      'None',
      '-',
      '.',
      ' 36537000000 ',
      '3.6537E10',
      '+36537000000.',
    ]
    const text = `date,ticker,revenue\n${spelled.map(cell => `2010-01-25,AAPL,${cell}`).join('\n')}\n`
    const answer = await (await post(text, { type: 'csv', query })).json()
    expect(answer.rows.revenue_state).toEqual([...Array(8).fill(null), 'known', 'known', 'known'])
    expect(answer.counts).toMatchObject({ empty: 8, known: 3 })
    expect(answer.rows.revenue).toEqual(spelled.map(cell => (cell === '' ? null : cell)))
    const nulls = await audited({
      rows: { ...rows, revenue: [null, 36_537e6, null, '36537000000'] },
      ...settings,
    })
    expect(nulls.rows.revenue_state).toEqual([null, 'known', null, 'early'])
  })

  test('gives the same answer to rows in any order, to repeated rows and to tickers in lower case', async () => {
    const order = [3, 1, 0, 2, 1, 1]
    const shuffled = {
      date: order.map(i => dates[i]),
      ticker: order.map(() => 'aapl'),
      revenue: order.map(i => revenue[i]),
    }
    expect((await audited({ rows: shuffled, ...settings })).rows.revenue_state).toEqual(
      order.map(i => states[i]),
    )
  })

  test('of unknown tickers only, of days before all filings and of no matching value has an answer', async () => {
    const unknown = await audited({ rows: { ...rows, ticker: tickers.map(() => 'NOSUCH') }, ...settings })
    expect(unknown).toMatchObject({ unknown: ['NOSUCH'], counts: { not_covered: 4 }, worst: [] })
    const early = await audited({ rows: { ...rows, date: dates.map(() => '1901-02-03') }, ...settings })
    expect(early.rows.revenue_state).toEqual(['early', 'early', 'early', 'early'])
    expect(early.columns[0].years.map(({ year }) => year)).toEqual([1901])
    const none = await audited({ rows: { ...rows, revenue: [1, 2, 3, 4] }, ...settings })
    expect(none.counts).toMatchObject({ no_match: 3, not_covered: 1 })
  })

  test('takes numbers at the limits of a double for what they are', async () => {
    const extreme = [1e308, -1e308, 5e-324, -0]
    for (const scale of [1, 1e9]) {
      const columns = { revenue: { metric: 'revenue', fp: 'FY', scale } }
      const answer = await audited({ rows: { ...rows, revenue: extreme }, columns })
      expect(answer.rows.revenue_state).toEqual(['no_match', 'no_match', 'no_match', 'not_covered'])
      expect(answer.rows.revenue).toEqual([1e308, -1e308, 5e-324, 0])
    }
    const found = await post(
      JSON.stringify({ rows: { ...rows, revenue: extreme }, columns: { revenue: 'revenue' } }),
    )
    expect([found.status, (await found.json()).counts.known]).toEqual([200, 0])
  })

  test('reads whole numbers of 64 bits', async () => {
    const body = new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'date', data: ['2010-01-25', '2010-01-25'], type: 'STRING' },
          { name: 'ticker', data: ['AAPL', 'AAPL'], type: 'STRING' },
          { name: 'revenue', data: [36_537_000_000n, 9_223_372_036_854_775_807n], type: 'INT64' },
        ],
      }),
    )
    const file = await (await post(body, { type: 'parquet', query: `${query}&format=parquet` })).arrayBuffer()
    const read = await parquetReadObjects({ file })
    expect(read.map(row => [row.revenue, row.revenue_state])).toEqual([
      [36_537_000_000n, 'known'],
      [9_223_372_036_854_775_807n, 'no_match'],
    ])
  })

  test('keeps columns whose names JavaScript or the answer uses', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'date_state', 'worst', 'a"b,c\n', '日本']
    const columns = names.map(name => `${JSON.stringify(name)}:{"metric":"revenue","fp":"FY","scale":1}`)
    const cells = names.map(name => `${JSON.stringify(name)}:[36537000000]`)
    const body = `{"rows":{"date":["2010-01-25"],"ticker":["AAPL"],${cells}},"columns":{${columns}}}`
    const text = await (await post(body)).text()
    const answer: Audit = JSON.parse(text)
    expect(answer.columns.map(({ name, counts }) => [name, counts.known])).toEqual(
      names.map(name => [name, 1]),
    )
    for (const name of nonEmpty(names))
      expect([name, Object.getOwnPropertyDescriptor(answer.rows, `${name}_state`)?.value]).toEqual([
        name,
        ['known'],
      ])
  })

  test('takes twenty columns and not one more, unless columns names twenty', async () => {
    const wide = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`revenue_${i}`, revenue]))
    const named = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`revenue_${i}`, { metric: 'revenue', fp: 'FY', scale: 1 }]),
      )
    const of = (count: number) => ({ date: dates, ticker: tickers, ...wide(count) })
    expect((await audited({ rows: of(20), columns: named(20) })).columns.length).toBe(20)
    expect((await audited({ rows: of(25), columns: named(20) })).columns.length).toBe(20)
    expect(await refusal({ rows: of(21) })).toEqual([
      400,
      'parameter_invalid',
      'The rows have 21 columns of numbers; an audit has at most 20. Name those to audit in columns.',
    ])
    expect((await refusal({ rows: of(21), columns: named(21) }))[0]).toBe(400)
  })
})

test('faults are refused with what to send instead', async () => {
  const cases: readonly [object, Sent, string][] = [
    [{ rows: { ...rows, revenue_state: [1, 2, 3, 4] }, ...settings }, {}, 'Rename yours, or leave it out.'],
    [{ rows: { ...rows, revenue_filing: ['a', 'b', 'c', 'd'] }, ...settings }, {}, '"revenue_filing"'],
    [{ rows: { date: dates, ticker: tickers } }, {}, 'no column of numbers to audit'],
    [
      { rows: { ...rows, revenue: ['1,000', '2', '3', '4'] }, ...settings },
      {},
      'without thousands separators',
    ],
    [{ rows, columns: { nosuch: 'revenue' } }, {}, 'which the rows do not have. They have revenue.'],
    [{ rows, columns: { revenue: 'revenu' } }, {}, 'Did you mean revenue'],
    [{ rows, columns: { revenue: { metric: 'revenue', line: 'revenue' } } }, {}, 'Send one.'],
    [{ rows, columns: { revenue: { metric: 'revenue', scale: 7 } } }, {}, 'scale'],
    [{ rows, columns: ['revenue'] }, {}, 'columns'],
    [{ rows, forward_return: 'nosuch' }, {}, 'forward_return names the column'],
    [{ rows, with: ['nosuch'] }, {}, 'with'],
    [{ rows, max_age_days: -1 }, {}, 'max_age_days'],
    [{ rows, nosuch: 1 }, {}, 'nosuch'],
    [{ rows }, { query: '?inclusive=true' }, 'Send it as a field of the JSON body.'],
    [{ rows }, { query: '?format=xml' }, 'format'],
    [
      { rows: { time: dates.map(date => `${date}T12:00:00Z`), ticker: tickers, revenue }, inclusive: true },
      {},
      'omit inclusive',
    ],
    [{ rows: { ...rows, date: ['2009-10-28', '2999-01-01', '2010-01-26', '2009-10-20'] } }, {}, 'date'],
    [
      { rows: { date: dates, ticker: tickers, x: [17.5, 18.25, 19.125, 20] } },
      {},
      'Name their metrics in columns',
    ],
  ]
  for (const [body, sent, text] of cases) {
    const [status, code, message] = await refusal(body, sent)
    expect([text, status, code]).toEqual([text, 400, expect.stringMatching(/^(parameter|body)_/)])
    expect(message).toContain(text)
  }
  for (const hostile of [
    '{"revenue":',
    '[]',
    'null',
    '{"revenue":{"__proto__":{"metric":"revenue"}}}',
    `{"revenue":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
  ]) {
    const sent = { type: 'csv', query: `?columns=${encodeURIComponent(hostile)}` } as const
    const [status, code] = await refusal(csv, sent)
    expect([hostile.slice(0, 40), status, code]).toEqual([
      hostile.slice(0, 40),
      400,
      expect.stringMatching(/^parameter_(invalid|unknown)$/),
    ])
  }
})

test('an answer has a tag that depends on everything that decides its bytes, and is compressed where that is accepted', async () => {
  const body = JSON.stringify({ rows, ...settings })
  const first = await post(body)
  const tag = first.headers.get('etag') ?? ''
  const text = await first.text()
  expect(tag).not.toBe('')
  const tags = new Set([tag])
  for (const other of [
    await post(body, { query: '?format=csv' }),
    await post(body, { query: '?format=html' }),
    await post(JSON.stringify({ rows, ...settings, inclusive: true })),
    await post(body, { authorization: `Bearer ${await sellKey(database.sql, { quant: true })}` }),
    await post(body, { authorization: await sell('evaluation') }),
  ]) {
    expect(other.status).toBe(200)
    tags.add(other.headers.get('etag') ?? '')
    await other.body?.cancel()
  }
  expect(tags.size).toBe(6)
  for (const encoding of ['gzip', 'br', 'zstd']) {
    const packed = await post(body, { headers: { 'Accept-Encoding': encoding } })
    expect(await packed.text()).toBe(text)
  }
})

const get = (path: string, authorization = key, method = 'GET', headers: Record<string, string> = {}) =>
  fetch(server.url + path, {
    method,
    headers: { Authorization: authorization, 'Accept-Encoding': 'identity', ...headers },
  })
const codeOf = async (response: Response) => [response.status, (await response.json()).error.code]

async function ended(url: string): Promise<AuditJob> {
  for (let tries = 0; tries < 1_600; tries++) {
    const job: AuditJob = await (await get(url)).json()
    if (!['queued', 'running'].includes(job.state)) return job
    await Bun.sleep(25)
  }
  throw new Error('The audit did not end within 40 s.')
}

describe('a submitted audit', () => {
  const body = JSON.stringify({ rows, ...settings })
  const submit = (sent: Sent = {}) =>
    post(body, { ...sent, headers: { Prefer: 'respond-async', ...sent.headers } })

  test('has the bytes of the synchronous answer in the format of the request', async () => {
    await runner()
    for (const format of ['csv', 'parquet', 'json']) {
      const accepted = await submit({ query: `?format=${format}` })
      expect([accepted.status, accepted.headers.get('preference-applied')]).toEqual([202, 'respond-async'])
      const job: AuditJob = await accepted.json()
      expect([...Value.Errors(AuditJob, job)]).toEqual([])
      expect(accepted.headers.get('location')).toBe(`/api/v1/audits/${job.id}`)
      const end = await ended(job.url)
      expect([...Value.Errors(AuditJob, end)]).toEqual([])
      expect(end).toMatchObject({ state: 'succeeded', progress: { done: 4, total: 4 }, error: null })
      const result = await get(`${end.result_url}?format=${format}`)
      const direct = await post(body, { query: `?format=${format}` })
      expect([result.status, result.headers.get('etag')]).toEqual([200, direct.headers.get('etag')])
      expect(Buffer.from(await result.bytes()).equals(Buffer.from(await direct.bytes()))).toBe(true)
      const tag = result.headers.get('etag') ?? ''
      const again = await get(`${end.result_url}?format=${format}`, key, 'GET', { 'If-None-Match': tag })
      expect(again.status).toBe(304)
      const page = await get(`${end.result_url}?format=html`)
      expect([page.status, await page.text()]).toEqual([
        200,
        await (await post(body, { query: '?format=html' })).text(),
      ])
    }
  })

  test('is the same job where its Idempotency-Key comes again, and another request with it is refused', async () => {
    const headers = { 'Idempotency-Key': 'audit-1' }
    const first: AuditJob = await (await submit({ headers })).json()
    const again = await submit({ headers })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await again.json()).id).toBe(first.id)
    const other = await post(JSON.stringify({ rows }), { headers: { Prefer: 'respond-async', ...headers } })
    expect(await codeOf(other)).toEqual([422, 'idempotency_reused'])
    await get(first.url, key, 'DELETE')
  })

  test('is unknown to another key and no join, can be cancelled, and expires', async () => {
    const { id, url }: AuditJob = await (await submit()).json()
    const other = await sell('personal')
    for (const path of [url, `${url}/result`])
      expect(await codeOf(await get(path, other))).toEqual([404, 'entity_unknown'])
    expect(await codeOf(await get(url, other, 'DELETE'))).toEqual([404, 'entity_unknown'])
    for (const kind of ['as-of', 'backtests'])
      expect((await get(`/api/v1/${kind}/${id}`)).status).not.toBe(200)
    expect(await codeOf(await get(`${url}/result`))).toEqual([409, 'conflict'])
    expect((await (await get(url, key, 'DELETE')).json()).state).toBe('cancelled')
    expect(await codeOf(await get(`${url}/result`))).toEqual([409, 'conflict'])
    await database.sql`update job set finished_at = now() - interval '30 days' where job_id = ${id}`
    await deleteExpired(database.sql, { jobDays: 7, jobsPerKey: 100, claimHours: 24 })
    expect(await codeOf(await get(url))).toEqual([404, 'entity_unknown'])
  })

  test('has faults and refusals answered at once, before anything is stored', async () => {
    const jobs = async () => (await database.sql`select count(*)::int as n from job`)[0].n
    const before = await jobs()
    const [status, code, message] = await refusal(body, {
      authorization: 'Bearer demo',
      headers: { Prefer: 'respond-async' },
    })
    expect([status, code]).toEqual([403, 'licence_required'])
    expect(message).toBe(
      'A submitted audit belongs to a key, and all users share the demo key. Use a key of your own, which may be a free one, or send at most 200,000 rows without Prefer.',
    )
    const wrong = JSON.stringify({ rows, columns: { revenue: 'nosuch' } })
    expect((await refusal(wrong, { headers: { Prefer: 'respond-async' } }))[0]).toBe(400)
    const pinned = JSON.stringify({ rows, ...settings, data_version: 999 })
    expect((await refusal(pinned, { headers: { Prefer: 'respond-async' } }))[0]).toBe(400)
    expect(await jobs()).toBe(before)
  })
})

test('200,000 rows are answered at once, one more becomes a job, and the demo key is told to send fewer', async () => {
  await runner()
  const count = 200_001
  const lines = ['date,ticker,revenue']
  for (let row = 0; row < count; row++) lines.push(`2010-01-25,AAPL,${row % 3 === 0 ? 36_537e6 : 42_905e6}`)
  const many = `${lines.join('\n')}\n`
  const one = await post(`${lines.slice(0, -1).join('\n')}\n`, { type: 'csv', query: `${query}&format=csv` })
  expect(one.status).toBe(200)
  await one.body?.cancel()
  const accepted = await post(many, { type: 'csv', query: `${query}&format=csv` })
  expect([accepted.status, accepted.headers.get('preference-applied')]).toEqual([202, null])
  const end = await ended((await accepted.json()).url)
  expect(end).toMatchObject({ state: 'succeeded', progress: { done: count, total: count } })
  const report: Audit = await (await get(end.result_url ?? '')).json()
  expect(report.counts).toMatchObject({ known: 66_667, restated: 133_334 })
  const [status, code, message] = await refusal(many, { type: 'csv', query, authorization: 'Bearer demo' })
  expect([status, code]).toEqual([413, 'body_too_large'])
  expect(message).toContain('Send fewer rows')
  // As Parquet they have few bytes, so that it is the rows that are too many.
  const columnData = [
    { name: 'date', data: Array(count).fill('2010-01-25'), type: 'STRING' as const },
    { name: 'ticker', data: Array(count).fill('AAPL'), type: 'STRING' as const },
    { name: 'revenue', data: new Float64Array(count).fill(36_537e6), type: 'DOUBLE' as const },
  ]
  const file = new Uint8Array(parquetWriteBuffer({ columnData }))
  const refused = await refusal(file, { type: 'parquet', query, authorization: 'Bearer demo' })
  expect([file.length < 1e6, refused[0]]).toEqual([true, 413])
  expect(refused[2]).toMatch(/rows/)
})
