import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { shippedDatabase } from '../database.ts'
import { sellKey } from '../http/callers.ts'
import { startCrowd } from '../http/crowdClient.ts'
import { type ServerProcess, startServerProcess } from './serverProcess.ts'

const requests = 100_000
const clients = 32
const haproxy = Bun.which('haproxy')
if (process.env.LONG !== undefined && haproxy === null)
  console.log('skipped: there is no haproxy (Debian: apt-get install haproxy)')

/** Ports that are free now. */
function freePorts(count: number): number[] {
  const listeners = Array.from({ length: count }, () =>
    Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } }),
  )
  const ports = listeners.map(({ port }) => port)
  for (const listener of listeners) listener.stop(true)
  return ports
}

describe.skipIf(process.env.LONG === undefined || haproxy === null)(
  'a rolling restart of two servers behind deploy/haproxy.cfg (LONG=1, HAProxy)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'asfiled-rolling-'))
    const [front, ...ports] = freePorts(3)
    const servers: ServerProcess[] = []
    const base = `http://127.0.0.1:${front}`
    let key = ''
    let proxy: Bun.Subprocess | undefined
    let database: Awaited<ReturnType<typeof shippedDatabase>> | undefined

    const start = (place: number) =>
      startServerProcess(folder, {
        DATABASE_URL: database?.url ?? '',
        PORT: String(ports[place]),
        TRUSTED_PROXIES: '127.0.0.1',
        DRAIN_DELAY_MS: '3000',
        COMPUTE_THREADS: '1',
        JOB_CONCURRENCY: '0',
      })

    beforeAll(async () => {
      database = await shippedDatabase()
      key = await sellKey(database.sql, { licence: 'oem', quant: true, perMinute: 1_000_000 })
      for (const place of [0, 1]) servers[place] = await start(place)
      // The shipped file, with the ports of this test and the user who runs it.
      const shipped = await Bun.file(resolve(import.meta.dir, '../../deploy/haproxy.cfg')).text()
      const file = join(folder, 'haproxy.cfg')
      await Bun.write(
        file,
        shipped
          .replace('bind :80\n', `bind 127.0.0.1:${front}\n`)
          .replaceAll('127.0.0.1:3001', `127.0.0.1:${ports[0]}`)
          .replaceAll('127.0.0.1:3002', `127.0.0.1:${ports[1]}`)
          .replace(/ {4}(user|group) haproxy\n/g, ''),
      )
      proxy = Bun.spawn(['haproxy', '-db', '-f', file], { stdout: 'ignore', stderr: 'inherit' })
      for (let tries = 0; tries < 100; tries++) {
        if ((await fetch(`${base}/health`).catch(() => null))?.status === 200) return
        await Bun.sleep(100)
      }
      throw new Error('HAProxy did not serve within 10 s')
    }, 120_000)

    afterAll(async () => {
      proxy?.kill()
      await proxy?.exited
      for (const server of servers) {
        server.signal('SIGKILL')
        await server.exited
      }
      await database?.close()
      rmSync(folder, { recursive: true, force: true })
    }, 180_000)

    test(`0 of ${requests.toLocaleString('en')} requests fail`, async () => {
      const statuses: Record<string, number> = {}
      let sent = 0
      let restarts = 0
      const send = async (place: number): Promise<number> => {
        const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
        const [path, init] = requestAt(place)
        const response = await fetch(base + path, { ...init, headers, signal: AbortSignal.timeout(30_000) })
        await response.arrayBuffer()
        return response.status
      }
      const client = async () => {
        while (sent < requests) {
          const status = await send(sent++).catch(error => String(error))
          statuses[status] = (statuses[status] ?? 0) + 1
        }
      }
      const restartUntilDone = async () => {
        while (sent < requests) {
          const place = restarts % 2
          servers[place].signal(restarts % 4 < 2 ? 'SIGTERM' : 'SIGHUP')
          expect(await servers[place].exited).toBe(0)
          servers[place] = await start(place)
          restarts++
          // HAProxy uses it again after two checks.
          await Bun.sleep(2_500)
        }
      }
      const startMs = performance.now()
      await Promise.all([restartUntilDone(), ...Array.from({ length: clients }, client)])
      const seconds = (performance.now() - startMs) / 1_000
      console.log(
        `${sent} requests, statuses ${JSON.stringify(statuses)}, ${restarts} restarts, ${seconds.toFixed(0)} s`,
      )
      expect(statuses).toEqual({ 200: requests })
      expect(restarts).toBeGreaterThanOrEqual(2)
    }, 600_000)

    test.skipIf(process.platform !== 'linux')(
      'the proxy caps the connections of an address, and cuts unfinished headers within 6 s',
      async () => {
        const bytes = 'GET /health HTTP/1.1\r\nHost: x\r\nX-A: '
        const task = { port: front, source: '127.0.0.2', connections: 1_000, bytes, dripMs: 200 }
        const crowd = await startCrowd(task)
        const times: number[] = []
        const end = performance.now() + 6_500
        while (performance.now() < end) {
          const startMs = performance.now()
          expect((await fetch(`${base}/ready`, { headers: { Connection: 'close' } })).status).toBe(200)
          times.push(performance.now() - startMs)
          await Bun.sleep(20)
        }
        times.sort((a, b) => a - b)
        const { open, closed, lastClosedAfter, statuses } = await crowd.leave()
        const slow = times[Math.floor(times.length * 0.99)]
        console.log(
          `${open} of 1000 opened, ${closed} closed, the last after ${lastClosedAfter.toFixed(1)} s; 408 to ${statuses['408']}; others 99% ${slow.toFixed(0)} ms`,
        )
        expect(closed).toBe(1_000)
        expect(statuses).toEqual({ 408: 100 })
        expect(slow).toBeLessThan(200)
      },
      60_000,
    )
  },
)

/** Cached and uncached figures, streams, and backtests, which HAProxy must never send twice. */
function requestAt(place: number): [string, RequestInit] {
  if (place % 100 === 0)
    return [
      '/api/v1/backtest',
      {
        method: 'POST',
        body: JSON.stringify({ source: { market: 'US' }, config: { holdDays: 1 + (place % 7) } }),
      },
    ]
  if (place % 100 === 50) return ['/api/v1/signals?market=US&format=ndjson&limit=2000', {}]
  if (place % 10 === 1) {
    const day = `20${10 + (place % 13)}-0${1 + (place % 9)}-1${place % 10}`
    return [`/api/v1/fundamentals?ticker=AAPL&view=latest&as_of=${day}`, {}]
  }
  return ['/api/v1/fundamentals?ticker=AAPL&view=latest', {}]
}
