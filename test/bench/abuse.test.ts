import { expect, test } from 'bun:test'
import { runAbuse } from '../../bench/abuse/abuse.ts'
import { runInnocents } from '../../bench/abuse/innocents.ts'
import { kindNames, kinds } from '../../bench/abuse/kinds/all.ts'
import { parquetBomb } from '../../bench/abuse/kinds/joins.ts'
import { abuseReport, faultsOf, joinWindows, judge, quantile } from '../../bench/abuse/report.ts'
import { readJoinBody } from '../../src/backtest/asOf/joinBody.ts'
import { registerFormats } from '../../src/dates.ts'
import { nonEmpty } from '../nonEmpty.ts'

const timesOf = (times: number[], errors: string[] = []) => ({ latest: { times, errors } })
const windowOf = (times: number[], errors: string[] = []) => ({
  name: 'flood',
  about: 'a flood',
  abuse: { 401: 7 },
  innocents: timesOf(times, errors),
})

test('a quantile is the time that a share of the requests did not exceed', () => {
  const times = Array.from({ length: 100 }, (_, i) => 100 - i)
  expect([quantile(times, 0.5), quantile(times, 0.99), quantile([7], 0.99)]).toEqual([50, 99, 7])
})

test('a window misses its bar by one error, by its median and by its p99, and not by what nobody notices', () => {
  const idle = timesOf([100, 100, 100])
  const isMet = (times: number[], errors?: string[]) => judge(windowOf(times, errors), idle).isMet
  expect(isMet([300, 300, 300])).toBe(true)
  expect(isMet([100, 100, 100], ['503 busy'])).toBe(false)
  expect(isMet([301, 301, 301])).toBe(false)
  expect(isMet([100, 100, 301])).toBe(false)
  expect(judge(windowOf([49, 50]), timesOf([1, 1])).isMet).toBe(true)
  expect(judge(windowOf([49, 51]), timesOf([1, 1])).isMet).toBe(false)
})

test('the report names what missed its bar, and its first error', () => {
  const idle = joinWindows(windowOf([100]), windowOf([120]))
  expect(idle.innocents.latest.times).toEqual([100, 120])
  const outcomes = [
    judge(windowOf([900, 900]), idle.innocents),
    judge(windowOf([100], ['503 busy']), idle.innocents),
  ]
  expect(outcomes.flatMap(faultsOf)).toEqual([
    'flood, latest: p50 900 ms, p99 900 ms',
    'flood, latest: 1 errors',
  ])
  const report = abuseReport(judge(idle, idle.innocents), outcomes, 'Two cores.')
  expect(report).toContain('**Failed**: flood, latest: p50 900 ms, p99 900 ms; flood, latest: 1 errors.')
  expect(report).toContain('| latest | 2 | 0 | 900 ms | 900 ms | 9.0 | 7.5 | **missed** |')
  expect(report).toContain('The first error of latest: `503 busy`')
  expect(report).toContain('The abusers got: 401 × 7.')
})

test('an innocent is not kept from sending by a server that does not answer, and each wait counts in full', async () => {
  let open = 0
  let most = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async () => {
      most = Math.max(most, ++open)
      await Bun.sleep(300)
      open--
      return new Response('ok')
    },
  })
  try {
    const person = { name: 'reader', everyMs: 50, request: () => ({ path: '/' }) }
    const { reader } = await runInnocents(server.port ?? 0, [person], 500)
    expect([reader.times.length, reader.errors]).toEqual([10, []])
    expect(most).toBeGreaterThan(2)
    expect(Math.min(...reader.times)).toBeGreaterThanOrEqual(290)
  } finally {
    server.stop(true)
  }
})

test('a small Parquet file of the abuse is a valid one of many rows', async () => {
  registerFormats()
  const body = parquetBomb(1_000, 50, 'AAPL')
  expect(body.length).toBeLessThan(20_000)
  const query = { metrics: ['revenue'] }
  const { rows } = await readJoinBody({ body, format: 'parquet', query, today: '2026-01-01' })
  expect(rows.count).toBe(50_000)
})

test('every kind of abuse sends something and ends by itself', async () => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('no', { status: 401 }),
  })
  try {
    for (const name of nonEmpty(kindNames)) {
      const outcomes = await runAbuse(kinds[name].prepare(), server.port ?? 0, 300)
      expect({ name, isSent: Object.keys(outcomes).length > 0 }).toEqual({ name, isSent: true })
    }
  } finally {
    server.stop(true)
  }
}, 120_000)
