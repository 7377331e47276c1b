import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createThrottle, defaultFetchPolicy } from '../../../src/ingest/network/fetchPolicy.ts'
import {
  type FetchContext,
  type FetchOutcome,
  fetchWithRetry,
  parseRetryAfterMs,
  retryDelayMs,
} from '../../../src/ingest/network/fetchWithRetry.ts'
import {
  accepted,
  checkJson,
  checkXml,
  checkZip,
  type RegisterRequest,
  throwFormatChanged,
} from '../../../src/ingest/network/source.ts'
import { type Replay, startReplay } from './replay.ts'

let replay: Replay
beforeEach(async () => {
  replay = await startReplay()
}, 180_000)
afterEach(() => replay.stop(), 60_000)

const tickers = (): RegisterRequest => ({
  url: `${replay.settings.SEC_URL}/files/company_tickers.json`,
  key: 'company_tickers',
  revision: null,
  fileName: 'company_tickers.json',
  imports: true,
  check: checkJson(document =>
    JSON.stringify(document).includes('cik_str') ? accepted : throwFormatChanged('`cik_str`'),
  ),
})

interface RecordingContext extends FetchContext {
  /** The times of the requests by the injected clock. */
  readonly times: number[]
  readonly retries: { reason: string; waitMs: number }[]
}

/** Its clock advances only by `sleep`. */
function recordingContext(requestsPerSecond: number, stop = new AbortController()): RecordingContext {
  let now = Date.parse('2026-11-21T00:00:00Z')
  const times: number[] = []
  const retries: { reason: string; waitMs: number }[] = []
  const network = {
    fetch: (url: string, init: RequestInit) => {
      times.push(now)
      return fetch(url, init)
    },
    now: () => now,
    sleep: async (ms: number) => {
      now += ms
    },
    random: () => 0.5,
  }
  return {
    network,
    fetchPolicy: {
      ...defaultFetchPolicy,
      requestsPerSecond,
      userAgent: 'Test Firm test@firm.example',
      timeoutMs: 300,
    },
    throttle: createThrottle(requestsPerSecond, network),
    signal: stop.signal,
    onRetry: (reason, waitMs) => retries.push({ reason, waitMs }),
    times,
    retries,
  }
}

const textOf = (outcome: FetchOutcome) =>
  outcome.kind === 'fresh' ? Buffer.from(outcome.bytes).toString() : outcome

test('requests are as far apart as the rate requires', async () => {
  const context = recordingContext(8)
  for (let n = 0; n < 20; n++) expect((await fetchWithRetry(tickers(), null, context)).kind).toBe('fresh')
  const gaps = context.times.slice(1).map((time, index) => time - context.times[index])
  expect(gaps).toEqual(Array(19).fill(125))
})

test('the rate applies to repeated attempts as well', async () => {
  replay.failNext('company_tickers', { reply: { status: 503, body: '' } })
  const context = recordingContext(0.1)
  await fetchWithRetry(tickers(), null, context)
  expect(context.times[1] - context.times[0]).toBe(10_000)
})

describe('a temporary failure is repeated until it succeeds:', () => {
  test('429 with Retry-After, not before that time', async () => {
    replay.failNext('company_tickers', { reply: { status: 429, body: '', headers: { 'Retry-After': '17' } } })
    const context = recordingContext(10)
    expect(textOf(await fetchWithRetry(tickers(), null, context))).toContain('AAPL')
    expect(context.retries).toEqual([
      { reason: 'The register limits the rate of requests (429).', waitMs: 17_000 },
    ])
    expect(context.times[1] - context.times[0]).toBe(17_000)
  })

  test('500, then half a body, then no response, each reported and with a longer wait', async () => {
    replay.failNext('company_tickers', { reply: { status: 500, body: 'oops' } }, 'half', 'hang')
    const context = recordingContext(10)
    expect(textOf(await fetchWithRetry(tickers(), null, context))).toContain('AAPL')
    expect(context.retries.map(({ waitMs }) => waitMs)).toEqual([750, 1_500, 3_000])
    expect(context.retries[0].reason).toContain('(500)')
    expect(context.retries[1].reason).toMatch(/cut off/)
    expect(context.retries[2].reason).toContain('not complete within 0.3 s')
  })

  test('half a body without announced length, recognised by its JSON', async () => {
    replay.failNext('company_tickers', { reply: { status: 200, body: '{"0":{"cik_str":1,' } })
    const context = recordingContext(10)
    expect(textOf(await fetchWithRetry(tickers(), null, context))).toContain('AAPL')
    expect(context.retries[0].reason).toContain('not complete JSON: line 1, column 19')
  })
})

describe('a lasting failure ends', () => {
  test('after five attempts', async () => {
    const bad = { reply: { status: 500, body: '' } }
    replay.failNext('company_tickers', bad, bad, bad, bad, bad, bad)
    const context = recordingContext(10)
    const outcome = await fetchWithRetry(tickers(), null, context)
    expect(outcome).toMatchObject({ kind: 'failed', endsRun: false })
    expect(replay.requests.length).toBe(5)
  })

  test('at once if the register requires too long a wait', async () => {
    replay.failNext('company_tickers', {
      reply: { status: 429, body: '', headers: { 'Retry-After': '86400' } },
    })
    const context = recordingContext(10)
    const outcome = await fetchWithRetry(tickers(), null, context)
    expect(outcome).toMatchObject({ kind: 'failed', endsRun: true })
    expect(JSON.stringify(outcome)).toContain('a wait of 86400 s')
    expect(context.times.length).toBe(1)
  })

  test('at once if the format has changed', async () => {
    replay.failNext('company_tickers', { reply: { status: 200, body: '{"companies":[]}' } })
    const outcome = await fetchWithRetry(tickers(), null, recordingContext(10))
    expect(outcome).toMatchObject({ kind: 'failed', endsRun: false })
    expect(JSON.stringify(outcome)).toContain('The register has changed the format of its response')
    expect(replay.requests.length).toBe(1)
  })

  test('with the exception if it is a defect of ours', async () => {
    const broken = () => {
      throw new TypeError('our own')
    }
    await expect(fetchWithRetry({ ...tickers(), check: broken }, null, recordingContext(10))).rejects.toThrow(
      'our own',
    )
    expect(replay.requests.length).toBe(1)
  })

  test('when the run is stopped during a response', async () => {
    replay.failNext('company_tickers', 'hang')
    const stop = new AbortController()
    const context = recordingContext(10, stop)
    setTimeout(() => stop.abort(), 30)
    await expect(fetchWithRetry(tickers(), null, context)).rejects.toThrow(
      'Stopped. Run the same command again',
    )
  })

  test('if a response is larger than allowed', async () => {
    const context = recordingContext(10)
    const outcome = await fetchWithRetry(tickers(), null, {
      ...context,
      fetchPolicy: { ...context.fetchPolicy, maxResponseBytes: 100 },
    })
    expect(outcome).toMatchObject({ kind: 'failed' })
  })
})

test('an unchanged response is not sent again', async () => {
  const first = await fetchWithRetry(tickers(), null, recordingContext(10))
  if (first.kind !== 'fresh') throw new Error('no response')
  expect(first.validators.etag).not.toBeNull()
  expect((await fetchWithRetry(tickers(), first.validators, recordingContext(10))).kind).toBe('unchanged')
})

test('304 is a failure if nothing is cached', async () => {
  const nothing = { reply: { status: 304, body: '' } }
  replay.failNext('company_tickers', ...Array(5).fill(nothing))
  expect(await fetchWithRetry(tickers(), null, recordingContext(10))).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('(304)'),
  })
})

test('a compressed response is accepted only if it is complete', async () => {
  const body = Bun.gzipSync(Buffer.from(JSON.stringify({ cik_str: 'packed '.repeat(500) })))
  const reply = { status: 200, body, headers: { 'Content-Encoding': 'gzip' } }
  replay.failNext('company_tickers', { reply })
  expect(textOf(await fetchWithRetry(tickers(), null, recordingContext(10)))).toContain('packed packed')
  replay.failNext('company_tickers', { reply: { ...reply, body: body.subarray(0, 30) } })
  const context = recordingContext(10)
  expect(textOf(await fetchWithRetry(tickers(), null, context))).toContain('AAPL')
  expect(context.retries.length).toBe(1)
})

test('credentials are not sent to another host', async () => {
  replay.failNext('company_tickers', {
    reply: { status: 302, body: '', headers: { Location: 'http://localhost:9/x' } },
  })
  const outcome = await fetchWithRetry(
    { ...tickers(), secretQuery: { key: 'secret' } },
    null,
    recordingContext(10),
  )
  expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('http://localhost:9') })
  expect(JSON.stringify(outcome)).not.toContain('secret')
})

test('reads Retry-After as seconds or a date only', () => {
  const now = Date.parse('2026-11-21T00:00:00Z')
  expect(parseRetryAfterMs('120', now)).toBe(120_000)
  expect(parseRetryAfterMs('Sat, 21 Nov 2026 00:01:00 GMT', now)).toBe(60_000)
  expect(parseRetryAfterMs('Fri, 20 Nov 2026 00:01:00 GMT', now)).toBe(0)
  // An absurd value must not become a short wait.
  expect(parseRetryAfterMs('31536000000000', now)).toBe(31_536_000_000_000_000)
  expect(parseRetryAfterMs('soon', now)).toBeNull()
  expect(parseRetryAfterMs(null, now)).toBeNull()
})

test('delays double up to a minute, with jitter in their upper half, and respect Retry-After', () => {
  expect([1, 2, 3, 10].map(attempt => retryDelayMs(attempt, 0, null))).toEqual([500, 1_000, 2_000, 30_000])
  expect([1, 2, 3, 10].map(attempt => retryDelayMs(attempt, 1, null))).toEqual([1_000, 2_000, 4_000, 60_000])
  expect(retryDelayMs(1, 1, 5_000)).toBe(5_000)
})

test('recognises a truncated zip and truncated XML', async () => {
  const zip = await Bun.file(`${import.meta.dir}/fixtures/jp-S100WHUS.zip`).bytes()
  const xml = await Bun.file(`${import.meta.dir}/fixtures/dk-report.xml`).bytes()
  const check = checkZip(() => throwFormatChanged('a zip'))
  expect(check(zip)).toEqual(accepted)
  expect(check(zip.subarray(0, zip.length / 2)).kind).toBe('retry')
  expect(() => check(xml)).toThrow('expected a zip')
  expect(checkXml(xml)).toEqual(accepted)
  expect(checkXml(xml.subarray(0, xml.length - 4)).kind).toBe('retry')
  expect(() => checkXml(zip)).toThrow('expected XML')
  const errorPage = '<!DOCTYPE html><html><body>Tjenesten er lukket</body></html>'
  expect(checkXml(Buffer.from(errorPage)).kind).toBe('retry')
})
