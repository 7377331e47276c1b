import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type RunningServer, startServer } from '../../../src/boot/startServer.ts'
import { readConfig } from '../../../src/config.ts'
import { shorten } from '../../../src/features/agentTools/tools/shortResult.ts'
import { noise } from '../../backtest/factors/anyRegression.ts'
import { shippedDatabase, type TestDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import {
  connectTools,
  type Structured,
  type ToolClient,
  type ToolReply,
  type Way,
  ways,
} from './toolClient.ts'

setDefaultTimeout(120_000)

let database: TestDatabase
let server: RunningServer
let key: string
const clients = new Map<Way, ToolClient>()
const toolsOf = (way: Way) => clients.get(way) ?? expect.unreachable()
const auto = () => toolsOf('http auto')

beforeAll(async () => {
  database = await shippedDatabase()
  const settings = { DATABASE_URL: database.url, PORT: '0', COMPUTE_THREADS: '2', LOG_LEVEL: 'silent' }
  server = await startServer(
    readConfig(settings),
    () => '2026-07-01',
    () => {},
  )
  key = await sellKey(database.sql, { licence: 'oem', quant: true, perMinute: 1_000_000 })
  for (const way of ways) {
    const tools = await connectTools(way, { url: server.address, key })
    await tools.client.listTools()
    clients.set(way, tools)
  }
})
afterAll(async () => {
  for (const tools of clients.values()) await tools.close()
  await server.stop()
  await database.close()
})

async function api(path: string, body?: object): Promise<Structured> {
  const response = await fetch(server.address + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return Object(await response.json())
}

/** Takes many seconds. */
const long = {
  source: { market: 'US' },
  sweep: {
    quantile: Array.from({ length: 40 }, (_, i) => (i + 10) / 100),
    holdDays: Array.from({ length: 25 }, (_, i) => i + 1),
  },
  config: { drift: true },
}

const states = async () => {
  const { data } = await api('/api/v1/backtests?limit=100')
  return new Map<string, string>(data.map(({ id, state }: Structured) => [id, state]))
}

/** The state of the job, once it is no longer running. */
async function ended(id: string): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    const { state } = await api(`/api/v1/backtests/${id}`)
    if (state !== 'queued' && state !== 'running') return state
    await Bun.sleep(50)
  }
  return 'not ended'
}

const isShort = (reply: ToolReply) => {
  expect([reply.isError, reply.isError ? reply.text : '']).toEqual([false, ''])
  expect(reply.characters).toBeLessThan(8_000)
}

describe('a backtest', () => {
  test('has the figures of the API to the last digit, and says what it leaves out', async () => {
    const body = { source: { horizon: '1d' }, config: { quantile: 0.1, holdDays: 5 }, include: ['ic'] }
    const whole = await api('/api/v1/backtest', body)
    for (const way of nonEmpty(ways)) {
      const reply = await toolsOf(way).call('run_backtest', body)
      isShort(reply)
      const { state, result, left_out } = reply.structured
      expect([way, state, result.metrics, result.ic]).toEqual([way, 'succeeded', whole.metrics, whole.ic])
      expect(result.equity.at(0)).toEqual({ date: whole.equity_dates[0], value: whole.equity_curve[0] })
      expect(result.equity.at(-1)).toEqual({
        date: whole.equity_dates.at(-1),
        value: whole.equity_curve.at(-1),
      })
      expect(left_out).toContain(`${whole.equity_curve.length} points of the equity curve are shown as 13`)
      expect(left_out).toContain('Call again with max_characters up to 40,000')
      expect(reply.text).toContain(`Sharpe ratio ${whole.metrics.sharpe}`)
      for (const { code } of nonEmpty<{ code: string }>(whole.warnings))
        expect(reply.text).toContain(`Warning ${code}`)
    }
  })

  test('with everything included is as short, and names what has no room', async () => {
    const include = [
      'ic',
      'quantiles',
      'monthly',
      'positions',
      'curves',
      'spa',
      'interval',
      'track_record',
      'performance',
      'ic_decay',
    ]
    const reply = await auto().call('run_backtest', { source: { horizon: '7d' }, include })
    isShort(reply)
    expect(reply.structured.left_out).toContain('left out: ')
    const more = await auto().call('run_backtest', {
      source: { horizon: '7d' },
      include,
      max_characters: 30_000,
    })
    expect(Object.keys(more.structured.result).length).toBeGreaterThan(
      Object.keys(reply.structured.result).length,
    )
  })

  test('begins with its verdict and the reasons, which have room before anything else', async () => {
    const whole = await api('/api/v1/backtest', { source: { horizon: '7d' } })
    const reasons = [{ code: 'one_configuration', message: 'Send config.holdDays or a sweep.' }]
    const verdict = { level: 'weak', benchmark: 'universe', reasons }
    const { short, text } = shorten(Object({ ...whole, verdict }), '', 3_000, new Map())
    expect(text.split('\n')[0]).toBe(
      'Verdict: weak, judged against universe. Send config.hold_days or a sweep.',
    )
    expect(short.verdict).toMatchObject({ level: 'weak' })
  })

  test('is explained by factors, with the figures of the API', async () => {
    const source = { market: 'US', horizon: '1d' }
    const { equity_dates } = await api('/api/v1/backtest', { source })
    const random = noise(5)
    const returns = {
      Mkt: equity_dates.map(() => 0.01 * random()),
      SMB: equity_dates.map(() => 0.01 * random()),
    }
    const factors = { date: equity_dates, returns, lags: 3, window: 60, frequency: 'daily' }
    const whole = await api('/api/v1/backtest', { source, factors })
    const { rolling, ...expected } = whole.factors
    expect(rolling.dates.length).toBeGreaterThan(0)
    for (const way of ways) {
      const args = { source, factors, max_characters: 12_000 }
      const { structured, text } = await toolsOf(way).call('run_backtest', args)
      expect(structured.result.factors).toEqual(expected)
      expect(structured.left_out).toContain('factors without its rolling regressions')
      expect(text).toContain(`alpha a year ${expected.alpha.annual} (t ${expected.alpha.t}); betas Mkt`)
      expect(text).toContain(`What remains is ${expected.residual.verdict.level}.`)
    }
    const wrong = await auto().call('run_backtest', { source, factors: { date: equity_dates } })
    expect(wrong.isError).toBe(true)
    expect(wrong.text).toContain('factors')
  })

  test('that cannot be is refused in the words of the API', async () => {
    const cases: [object, string][] = [
      [{ source: { market: 'FR' } }, 'code: '],
      [{ config: { quantile: 3 } }, 'config.quantile cannot be 3'],
      // An argument without an example was followed by "For example undefined.".
      [{ panel: 'x' }, 'instead of source). (code'],
      [{ panel: '00000000-0000-4000-8000-000000000000' }, 'code: entity_unknown'],
      [{ job_id: '019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55' }, 'code: entity_unknown'],
      [
        { job_id: '019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55', sweep: true },
        'job_id can be combined only with wait_seconds',
      ],
    ]
    for (const [args, message] of cases) {
      const reply = await auto().call('run_backtest', args)
      expect([args, reply.isError, reply.text]).toEqual([args, true, expect.stringContaining(message)])
    }
  })
})

describe('a sweep', () => {
  for (const way of ways) {
    test(`is a job that reports progress and has the winner of the API: ${way}`, async () => {
      const seen: number[] = []
      const body = { source: { market: 'US', horizon: '7d' }, sweep: true }
      const reply = await toolsOf(way).call('run_backtest', body, {
        onprogress: ({ progress, total }) => {
          seen.push(progress)
          if (total !== undefined) expect(total).toBe(48)
        },
      })
      isShort(reply)
      const { result, job_id } = reply.structured
      const whole = (await api(`/api/v1/backtests/${job_id}`)).result
      const { holdDays, returnDays, costBps, borrowBps, ...config } = whole.best.config
      const spelled = { hold_days: holdDays, return_days: returnDays, borrow_bps: borrowBps }
      expect(result.best).toMatchObject({ ...whole.best, config: { ...config, ...spelled } })
      expect(result.deflated_sharpe).toEqual(whole.deflated_sharpe)
      expect(result.best_trials[0].sharpe).toBe(
        Math.max(...whole.trials.map(({ sharpe }: Structured) => sharpe)),
      )
      expect(seen.length).toBeGreaterThan(0)
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    })
  }

  test('that takes longer than the call waits goes on, and the next call waits for it', async () => {
    const { sql } = database
    // A sweep succeeds only once this lock is free: how fast the machine is does not matter.
    await sql.unsafe(`
      create function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(20261122); return new; end $$;
      create trigger wait_for_test before update on job
      for each row when (new.state = 'succeeded') execute function wait_for_test()`)
    const holder = await sql.reserve()
    await holder`select pg_advisory_lock(20261122)`
    const longer = { source: { market: 'US', horizon: '7d' }, sweep: true, wait_seconds: 1 }
    const first = await auto().call('run_backtest', longer)
    await holder`select pg_advisory_unlock(20261122)`
    holder.release()
    const { state, job_id, left_out } = first.structured
    expect(['queued', 'running']).toContain(state)
    expect(left_out).toContain(`Call run_backtest with job_id ${job_id}`)
    const second = await auto().call('run_backtest', { job_id, wait_seconds: 60 })
    isShort(second)
    expect(second.structured).toMatchObject({ state: 'succeeded', job_id })
    await sql`drop trigger wait_for_test on job`
  })

  // A client of 2025 over HTTP cancels by a message of its own, which a server without sessions cannot relate to the call: it ends with
  // its connection, as below.
  for (const way of nonEmpty(ways.filter(one => one !== 'http 2025-11-25'))) {
    test(`is cancelled when the caller cancels: ${way}`, async () => {
      const before = await states()
      const controller = new AbortController()
      const call = toolsOf(way).call('run_backtest', long, {
        signal: controller.signal,
        onprogress: () => controller.abort(),
      })
      await expect(call).rejects.toThrow()
      let id: string | undefined
      for (let tries = 0; tries < 100 && id === undefined; tries++) {
        id = [...(await states()).keys()].find(one => !before.has(one))
        if (id === undefined) await Bun.sleep(20)
      }
      expect([way, await ended(id ?? '')]).toEqual([way, 'cancelled'])
    })
  }

  test('ends with the connection of the caller', async () => {
    const before = await states()
    const controller = new AbortController()
    const response = await fetch(`${server.address}/mcp`, {
      method: 'POST',
      signal: controller.signal,
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'run_backtest', arguments: long, _meta: { progressToken: 1 } },
      }),
    })
    await response.body?.getReader().read()
    controller.abort()
    const id = [...(await states()).keys()].find(one => !before.has(one))
    expect(await ended(id ?? '')).toBe('cancelled')
  })
})
