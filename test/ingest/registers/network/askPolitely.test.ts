import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  type Asking,
  askPolitely,
  type Outcome,
  retryAfterMs,
  waitMs,
} from '../../../../src/ingest/network/fetch.ts'
import { defaultManners, makePace } from '../../../../src/ingest/network/network.ts'
import {
  formChanged,
  good,
  judgeJson,
  judgeXml,
  judgeZip,
  type RegisterRequest,
} from '../../../../src/ingest/network/source.ts'
import { type Replay, startReplay } from './replay.ts'

let replay: Replay
beforeEach(async () => {
  replay = await startReplay()
}, 60_000)
afterEach(() => replay.stop(), 60_000)

const tickers = (): RegisterRequest => ({
  url: `${replay.settings.SEC_URL}/files/company_tickers.json`,
  key: 'company_tickers',
  revision: null,
  fileName: 'company_tickers.json',
  imports: true,
  judge: judgeJson(document =>
    JSON.stringify(document).includes('cik_str') ? good : formChanged('`cik_str`'),
  ),
})

interface Watched extends Asking {
  /** When requests went out, by the injected clock. */
  readonly times: number[]
  readonly retries: { reason: string; waitMs: number }[]
}

/** A clock that moves only by sleeping. */
function watched(requestsPerSecond: number, stop = new AbortController()): Watched {
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
    manners: {
      ...defaultManners,
      requestsPerSecond,
      userAgent: 'Test Firm test@firm.example',
      timeoutMs: 300,
    },
    pace: makePace(requestsPerSecond, network),
    signal: stop.signal,
    onRetry: (reason, waitMs) => retries.push({ reason, waitMs }),
    times,
    retries,
  }
}

const textOf = (outcome: Outcome) =>
  outcome.kind === 'fresh' ? Buffer.from(outcome.bytes).toString() : outcome

test('requests keep the pace, by the clock', async () => {
  const asking = watched(8)
  for (let n = 0; n < 20; n++) expect((await askPolitely(tickers(), null, asking)).kind).toBe('fresh')
  const gaps = asking.times.slice(1).map((time, index) => time - asking.times[index])
  expect(gaps).toEqual(Array(19).fill(125))
})

test('the pace holds for attempts, too', async () => {
  replay.meet('company_tickers', { reply: { status: 503, body: '' } })
  const asking = watched(0.1)
  await askPolitely(tickers(), null, asking)
  expect(asking.times[1] - asking.times[0]).toBe(10_000)
})

describe('what goes wrong is tried again, and then it comes', () => {
  test('429 with Retry-After: not before', async () => {
    replay.meet('company_tickers', { reply: { status: 429, body: '', headers: { 'Retry-After': '17' } } })
    const asking = watched(10)
    expect(textOf(await askPolitely(tickers(), null, asking))).toContain('AAPL')
    expect(asking.retries).toEqual([{ reason: 'The register is asked too often (429).', waitMs: 17_000 }])
    expect(asking.times[1] - asking.times[0]).toBe(17_000)
  })

  test('500, then half a body, then a hang: each is told, with longer waits', async () => {
    replay.meet('company_tickers', { reply: { status: 500, body: 'oops' } }, 'half', 'hang')
    const asking = watched(10)
    expect(textOf(await askPolitely(tickers(), null, asking))).toContain('AAPL')
    expect(asking.retries.map(({ waitMs }) => waitMs)).toEqual([750, 1_500, 3_000])
    expect(asking.retries[0].reason).toContain('(500)')
    expect(asking.retries[1].reason).toMatch(/broke off/)
    expect(asking.retries[2].reason).toContain('no whole answer within 0.3 s')
  })

  test('half a body that announces no length is known by its JSON', async () => {
    replay.meet('company_tickers', { reply: { status: 200, body: '{"0":{"cik_str":1,' } })
    const asking = watched(10)
    expect(textOf(await askPolitely(tickers(), null, asking))).toContain('AAPL')
    expect(asking.retries[0].reason).toContain('no whole JSON: line 1, column 19')
  })
})

describe('what stays wrong ends', () => {
  test('after five attempts', async () => {
    const bad = { reply: { status: 500, body: '' } }
    replay.meet('company_tickers', bad, bad, bad, bad, bad, bad)
    const asking = watched(10)
    const outcome = await askPolitely(tickers(), null, asking)
    expect(outcome).toMatchObject({ kind: 'failed', ends: false })
    expect(replay.asked.length).toBe(5)
  })

  test('at once where the register wants more patience than there is', async () => {
    replay.meet('company_tickers', { reply: { status: 429, body: '', headers: { 'Retry-After': '86400' } } })
    const asking = watched(10)
    const outcome = await askPolitely(tickers(), null, asking)
    expect(outcome).toMatchObject({ kind: 'failed', ends: true })
    expect(JSON.stringify(outcome)).toContain('in 86400 s')
    expect(asking.times.length).toBe(1)
  })

  test('at once where the form has changed', async () => {
    replay.meet('company_tickers', { reply: { status: 200, body: '{"companies":[]}' } })
    const outcome = await askPolitely(tickers(), null, watched(10))
    expect(outcome).toMatchObject({ kind: 'failed', ends: false })
    expect(JSON.stringify(outcome)).toContain('The register has changed the form of its answer')
    expect(replay.asked.length).toBe(1)
  })

  test('as the defect that it is, where the mistake is ours', async () => {
    const broken = () => {
      throw new TypeError('our own')
    }
    await expect(askPolitely({ ...tickers(), judge: broken }, null, watched(10))).rejects.toThrow('our own')
    expect(replay.asked.length).toBe(1)
  })

  test('where it was stopped, in the middle of an answer', async () => {
    replay.meet('company_tickers', 'hang')
    const stop = new AbortController()
    const asking = watched(10, stop)
    setTimeout(() => stop.abort(), 30)
    await expect(askPolitely(tickers(), null, asking)).rejects.toThrow('Stopped, as asked')
  })

  test('where an answer has no end that could be held', async () => {
    const asking = watched(10)
    const outcome = await askPolitely(tickers(), null, {
      ...asking,
      manners: { ...asking.manners, largestAnswerBytes: 100 },
    })
    expect(outcome).toMatchObject({ kind: 'failed' })
  })
})

test('what is known is not sent again', async () => {
  const first = await askPolitely(tickers(), null, watched(10))
  if (first.kind !== 'fresh') throw new Error('nothing came')
  expect(first.validators.etag).not.toBeNull()
  expect((await askPolitely(tickers(), first.validators, watched(10))).kind).toBe('unchanged')
})

test('that nothing has changed is no answer where nothing was known', async () => {
  const nothing = { reply: { status: 304, body: '' } }
  replay.meet('company_tickers', ...Array(5).fill(nothing))
  expect(await askPolitely(tickers(), null, watched(10))).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('(304)'),
  })
})

test('a packed answer is whole where its packing is', async () => {
  const body = Bun.gzipSync(Buffer.from(JSON.stringify({ cik_str: 'packed '.repeat(500) })))
  const reply = { status: 200, body, headers: { 'Content-Encoding': 'gzip' } }
  replay.meet('company_tickers', { reply })
  expect(textOf(await askPolitely(tickers(), null, watched(10)))).toContain('packed packed')
  replay.meet('company_tickers', { reply: { ...reply, body: body.subarray(0, 30) } })
  const asking = watched(10)
  expect(textOf(await askPolitely(tickers(), null, asking))).toContain('AAPL')
  expect(asking.retries.length).toBe(1)
})

test('credentials do not follow to another host', async () => {
  replay.meet('company_tickers', {
    reply: { status: 302, body: '', headers: { Location: 'http://localhost:9/x' } },
  })
  const outcome = await askPolitely({ ...tickers(), secretQuery: { key: 'secret' } }, null, watched(10))
  expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('http://localhost:9') })
  expect(JSON.stringify(outcome)).not.toContain('secret')
})

test('Retry-After is seconds or a date, and nothing else', () => {
  const now = Date.parse('2026-11-21T00:00:00Z')
  expect(retryAfterMs('120', now)).toBe(120_000)
  expect(retryAfterMs('Sat, 21 Nov 2026 00:01:00 GMT', now)).toBe(60_000)
  expect(retryAfterMs('Fri, 20 Nov 2026 00:01:00 GMT', now)).toBe(0)
  // A million years are no reason to come again at once.
  expect(retryAfterMs('31536000000000', now)).toBe(31_536_000_000_000_000)
  expect(retryAfterMs('soon', now)).toBeNull()
  expect(retryAfterMs(null, now)).toBeNull()
})

test('waits double up to a minute, are spread over their upper half, and never shorter than asked', () => {
  expect([1, 2, 3, 10].map(attempt => waitMs(attempt, 0, null))).toEqual([500, 1_000, 2_000, 30_000])
  expect([1, 2, 3, 10].map(attempt => waitMs(attempt, 1, null))).toEqual([1_000, 2_000, 4_000, 60_000])
  expect(waitMs(1, 1, 5_000)).toBe(5_000)
})

test('a cut zip and cut XML are known', async () => {
  const zip = await Bun.file(`${import.meta.dir}/fixtures/jp-S100WHUS.zip`).bytes()
  const xml = await Bun.file(`${import.meta.dir}/fixtures/dk-report.xml`).bytes()
  const judge = judgeZip(() => formChanged('a zip'))
  expect(judge(zip)).toEqual(good)
  expect(judge(zip.subarray(0, zip.length / 2)).kind).toBe('again')
  expect(() => judge(xml)).toThrow('a zip was expected')
  expect(judgeXml(xml)).toEqual(good)
  expect(judgeXml(xml.subarray(0, xml.length - 4)).kind).toBe('again')
  expect(() => judgeXml(zip)).toThrow('XML was expected')
  const apology = '<!DOCTYPE html><html><body>Tjenesten er lukket</body></html>'
  expect(judgeXml(Buffer.from(apology)).kind).toBe('again')
})
