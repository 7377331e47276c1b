import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { inspect } from 'node:util'
import { AsfiledError, createClient, errorCodes, jsonLines } from 'asfiled'

/** What the TypeScript client guarantees, run by Node, by Bun and from a bundle: against the real server of ASFILED_URL, and against
 * servers here that refuse, hang or break off. Prints the name of each check that holds. */

const { ASFILED_URL: baseUrl, ASFILED_KEY: key } = process.env
const client = createClient({ baseUrl, key })
const secret = 'asf_live_secret'

/** A client of a server that answers with `replies`, one after the other, and the requests that it received. */
async function against(replies, settings = {}) {
  const requests = []
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    requests.push({
      ...request.headers,
      method: request.method,
      url: request.url,
      body: Buffer.concat(chunks).toString(),
    })
    const reply = replies[Math.min(requests.length, replies.length) - 1]
    if (reply === 'break') return request.socket.destroy()
    if (reply === 'hang') return
    response.writeHead(reply.status ?? 200, { 'Content-Type': 'application/json', ...reply.headers })
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {}))
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { client: createClient({ baseUrl: url, key: secret, ...settings }), requests, close, url }
}

const refusal = (code, status, headers = {}) => ({
  status,
  headers,
  body: { error: { code, message: code, param: null } },
})
const busy = refusal('compute_busy', 503, { 'Retry-After': '0' })

/** The error of a call, which must not contain the key anywhere. */
async function errorOf(promise) {
  const error = await promise.then(
    () => assert.fail('The call did not fail.'),
    reason => reason,
  )
  const seen = inspect(error, { depth: 10, showHidden: true })
  assert(!seen.includes(secret) && (key === undefined || !seen.includes(key)), 'The key is in an error.')
  return error
}

/** Array.fromAsync, which Node 20 does not have. */
async function collect(items) {
  const all = []
  for await (const item of items) all.push(item)
  return all
}

const checks = {
  async 'reads every row of a market once, page by page'() {
    const query = { market: 'US', as_of: '2010-03-31', limit: 7 }
    const ids = []
    let pages = 0
    for await (const page of client.pages('/api/v1/universe', { params: { query } })) {
      pages++
      ids.push(...page.data.map(row => row.issuer_id))
      if (ids.length > 60) break
    }
    assert(pages > 5)
    const whole = await client.get('/api/v1/universe', { params: { query: { ...query, limit: ids.length } } })
    assert.deepEqual(
      ids,
      whole.data.map(row => row.issuer_id),
    )
  },
  async 'yields the rows of pages to the last one'() {
    const query = { market: 'US', metric: 'revenue', as_of: '2010-03-31' }
    const rows = await collect(
      client.rows('/api/v1/cross-section', { params: { query: { ...query, limit: 3 } } }),
    )
    const whole = await client.get('/api/v1/cross-section', { params: { query: { ...query, limit: 1000 } } })
    assert(rows.length > 9)
    assert.deepEqual(rows, whole.data)
  },
  async 'types an error by its code'() {
    const error = await errorOf(client.get('/api/v1/fundamentals', { params: { query: { ticker: 'APPL' } } }))
    assert(error instanceof AsfiledError && errorCodes.includes(error.code))
    assert.deepEqual([error.code, error.status, error.detail.near], ['entity_unknown', 404, ['AAPL', 'PPL']])
  },
  async 'states an unknown key without showing it'() {
    const error = await errorOf(createClient({ baseUrl, key: secret }).get('/api/v1/me'))
    assert.equal(error.status, 401)
  },
  async 'sends Parquet and receives the same bytes'() {
    const params = { query: { metrics: 'revenue', format: 'parquet' } }
    const body = 'date,ticker\n2010-01-26,AAPL\n2010-01-25,AAPL\n'
    const first = await client.post('/api/v1/as-of', { params, body, parseAs: 'arrayBuffer' })
    assert.equal(Buffer.from(first).subarray(0, 4).toString(), 'PAR1')
    const arrow = { query: { metrics: 'revenue', format: 'arrow' } }
    const stream = await client.post('/api/v1/as-of', { params: arrow, body, parseAs: 'arrayBuffer' })
    // The continuation marker with which each message of a stream of Arrow begins.
    assert.equal(new DataView(stream).getInt32(0), -1)
    // The joined column comes back under a name of its own, so that the second join may add another metric.
    const again = { query: { metrics: 'net_income', format: 'csv' } }
    const text = await client.post('/api/v1/as-of', {
      params: again,
      body: new Uint8Array(first),
      parseAs: 'text',
    })
    assert.match(text, /2010-01-26,AAPL,42905000000,/)
  },
  async 'waits for a job, whose result is that of the request'() {
    const body = { source: { market: 'US', horizon: '1d' }, config: { quantile: 0.2 } }
    const job = await client.submit('/api/v1/backtest', { body })
    const states = []
    const result = await job.wait({ onProgress: summary => states.push(summary.state) })
    assert.equal(states.at(-1), 'succeeded')
    const direct = await client.post('/api/v1/backtest', { body })
    assert.deepEqual(result, direct)
    const found = await client.job('/api/v1/backtest', job.id)
    assert.deepEqual(await found.wait(), direct)
  },
  async 'waits for a join and an audit'() {
    const rows = { date: ['2009-10-28'], ticker: ['AAPL'] }
    const join = await client.submit('/api/v1/as-of', { body: { rows, metrics: ['revenue'] } })
    assert.deepEqual((await join.wait()).columns.revenue, [36537000000])
    const columns = { sales: { metric: 'revenue', scale: 1_000_000 } }
    const audit = await client.submit('/api/v1/audits', {
      body: { rows: { ...rows, sales: [42905] }, columns },
    })
    assert.equal((await audit.wait()).counts.restated, 1)
  },
  async 'throws why a job failed'() {
    const date = ['2024-01-02']
    const body = { rows: { date, asset: ['A'], score: [1], forward_return: [0.1] } }
    const direct = await errorOf(client.post('/api/v1/backtest', { body }))
    const job = await client.submit('/api/v1/backtest', { body })
    const error = await errorOf(job.wait())
    assert.deepEqual([error.code, error.message, error.status], [direct.code, direct.message, null])
  },
  async 'stops waiting when the signal is aborted'() {
    const running = { id: 'a', url: '/api/v1/backtests/a', state: 'running', finished_at: null, error: null }
    const { client: own, close } = await against([{ body: running }])
    const stop = new AbortController()
    const job = await own.submit('/api/v1/backtest', { body: {} })
    const error = await errorOf(
      job.wait({ signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) }),
    )
    assert.equal(error.message, 'enough')
    close()
  },
  async 'says that a job was cancelled'() {
    const ended = {
      id: 'a',
      url: '/api/v1/audits/a',
      state: 'cancelled',
      finished_at: '2026-01-01T00:00:00Z',
      error: null,
    }
    const { client: own, close, requests } = await against([{ body: ended }])
    const job = await own.submit('/api/v1/audits', { body: {} })
    await job.cancel()
    assert.equal((await errorOf(job.wait())).code, 'job_cancelled')
    assert.deepEqual(
      requests.map(({ method }) => method),
      ['POST', 'DELETE', 'GET'],
    )
    assert.equal(requests[0].prefer, 'respond-async')
    close()
  },
  async 'yields the lines of a batch'() {
    const body = { source: { market: 'US', horizon: '1d' }, configs: [{ quantile: 0.1 }, { quantile: 0.2 }] }
    const stream = await client.post('/api/v1/backtests/batch', { body, parseAs: 'stream' })
    const kinds = (await collect(jsonLines(stream))).map(({ object }) => object)
    assert.equal(kinds.filter(kind => kind === 'batch_result').length, 2)
    assert.equal(kinds.at(-1), 'batch_summary')
  },
  async 'repeats a GET after 503, 429 and a broken connection'() {
    const limited = refusal('rate_limited_minute', 429, { 'Retry-After': '0' })
    const {
      client: own,
      requests,
      close,
    } = await against([busy, limited, 'break', { body: { state: 'ok' } }])
    assert.deepEqual(await own.get('/health'), { state: 'ok' })
    assert.equal(requests.length, 4)
    close()
  },
  async 'repeats a backtest under one Idempotency-Key'() {
    const { client: own, requests, close } = await against([busy, { body: { object: 'backtest_result' } }])
    await own.post('/api/v1/backtest', { body: { source: {} } })
    assert.equal(requests.length, 2)
    assert.equal(requests[0].body, '{"source":{}}')
    assert.equal(requests[1].body, '{"source":{}}')
    assert.match(requests[0]['idempotency-key'], /^[0-9a-f-]{36}$/)
    assert.equal(requests[0]['idempotency-key'], requests[1]['idempotency-key'])
    close()
  },
  async 'repeats a job of the client of openapi-fetch under one Idempotency-Key as well'() {
    const { client: own, requests, close } = await against([busy, { body: { id: 'a' } }])
    const { data } = await own.raw.POST('/api/v1/as-of', {
      body: { rows: { date: [], ticker: [] }, metrics: [] },
      headers: { Prefer: 'respond-async' },
    })
    assert.deepEqual(data, { id: 'a' })
    assert.equal(requests.length, 2)
    assert.match(requests[0]['idempotency-key'], /^[0-9a-f-]{36}$/)
    assert.equal(requests[0]['idempotency-key'], requests[1]['idempotency-key'])
    close()
  },
  async 'takes a timeout that never ends'() {
    const { client: own, close } = await against([{ body: { state: 'ok' } }], {
      timeoutMs: Number.POSITIVE_INFINITY,
    })
    assert.deepEqual(await own.get('/health'), { state: 'ok' })
    close()
  },
  async 'ends after a response that has no pages'() {
    const { client: own, requests, close } = await against([{ body: { data: [] } }])
    assert.deepEqual(await collect(own.rows('/api/v1/markets')), [])
    assert.equal(requests.length, 1)
    close()
  },
  async 'does not repeat what would store twice'() {
    const { client: own, requests, close } = await against([busy])
    assert.equal((await errorOf(own.post('/api/v1/panels', { body: 'date\n' }))).code, 'compute_busy')
    assert.equal(requests.length, 1)
    assert.equal(requests[0]['content-type'], 'text/csv')
    close()
  },
  async 'ends after its repeats, and at once if Retry-After is too long'() {
    const often = await against([busy], { retries: 2 })
    assert.equal((await errorOf(often.client.get('/health'))).status, 503)
    assert.equal(often.requests.length, 3)
    often.close()
    const tomorrow = await against([refusal('rate_limited_day', 429, { 'Retry-After': '80000' })])
    assert.equal((await errorOf(tomorrow.client.get('/health'))).retryAfterSeconds, 80000)
    assert.equal(tomorrow.requests.length, 1)
    tomorrow.close()
  },
  async 'reports a proxy, a newer code, a broken body and no server'() {
    const replies = [{ status: 418, body: '<html>' }, refusal('code_of_tomorrow', 400), { body: '{"data":' }]
    const { client: own, close, url } = await against(replies)
    const codes = []
    for (const _ of replies) codes.push((await errorOf(own.get('/health'))).code)
    assert.deepEqual(codes, ['unrecognised', 'unrecognised', 'no_response'])
    close()
    const away = await errorOf(createClient({ baseUrl: url, key: secret, retries: 0 }).get('/health'))
    assert.equal(away.code, 'no_response')
    assert(away.message.includes(url))
  },
  async 'bounds a call, and passes on the reason of a signal'() {
    const { client: own, close } = await against(['hang'], { timeoutMs: 50 })
    assert.equal((await errorOf(own.get('/health'))).code, 'no_response')
    const error = await errorOf(own.get('/health', { signal: AbortSignal.timeout(1) }))
    assert.equal(error.name, 'TimeoutError')
    close()
  },
  async 'does not mix two data versions'() {
    const page = (data_version, next) => ({
      body: { object: 'universe', data: [{ ticker: 'A' }], next, data_version },
    })
    const { client: own, close, requests } = await against([page(4, 'c1'), page(5, null)])
    const seen = []
    const all = async () => {
      for await (const row of own.rows('/api/v1/universe', { params: { query: { market: 'US' } } }))
        seen.push(row.ticker)
    }
    assert.equal((await errorOf(all())).code, 'data_changed')
    assert.deepEqual(seen, ['A'])
    assert.equal(requests[1].url, '/api/v1/universe?market=US&cursor=c1')
    close()
  },
  async 'does not follow another server with the key'() {
    const other = await against([{ body: {} }])
    const { client: own, close } = await against([
      { status: 302, headers: { Location: `${other.url}/health` } },
    ])
    await own.get('/health').catch(() => {})
    for (const request of other.requests) assert.equal(request.authorization, undefined)
    other.close()
    close()
  },
  async 'refuses settings that cannot work, without showing them'() {
    for (const wrong of [
      { key: `${secret} ` },
      { key: '' },
      { baseUrl: `http://u:${secret}@a` },
      { baseUrl: 'ftp://a' },
      { baseUrl: 'a' },
    ]) {
      const error = await errorOf((async () => createClient({ baseUrl: 'http://a', ...wrong }))())
      assert.equal(error.code, 'setting_invalid')
    }
    assert(!inspect(createClient({ baseUrl, key: secret }), { depth: 10, showHidden: true }).includes(secret))
  },
}

for (const [name, check] of Object.entries(checks)) {
  try {
    await check()
  } catch (error) {
    throw new Error(name, { cause: error })
  }
  console.log(name)
}
process.exit(0)
