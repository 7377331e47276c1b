import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type Connection, connectionsOverCaps } from '../../src/http/connections.ts'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from '../boot/serverProcess.ts'
import { emptyServerDatabase } from '../database.ts'
import { type CrowdTask, startCrowd } from './crowdClient.ts'

describe('which connections are over the caps', () => {
  const from = (address: string, ...fds: number[]): Connection[] => fds.map(fd => ({ fd, address }))
  const over = (connections: Connection[], total: number, perAddress: number) =>
    connectionsOverCaps(connections, { total, perAddress })
      .map(({ fd }) => fd)
      .sort((a, b) => a - b)

  test('the newest of an address with too many, and no one else', () => {
    expect(over([...from('a', 10, 11, 12, 13), ...from('b', 14, 15)], 100, 3)).toEqual([13])
    expect(over(from('a', 10, 11, 12), 100, 3)).toEqual([])
  })

  test('in total: those of the address with the largest number, so that a crowd cannot push out a single client', () => {
    expect(
      over([...from('crowd', 10, 12, 14, 16), ...from('late', 17), ...from('b', 11, 13)], 5, 100),
    ).toEqual([14, 16])
    const distinct = Array.from({ length: 10 }, (_, fd) => ({ fd, address: String(fd) }))
    expect(over(distinct, 8, 100)).toEqual([8, 9])
  })
})

const database = await emptyServerDatabase()
const folder = makeDataDir()
let server: ServerProcess
let port = 0
const proxy = '127.0.0.9'

async function start(settings: Record<string, string>): Promise<void> {
  server = await startServerProcess(folder, {
    DATABASE_URL: database.url,
    TRUSTED_PROXIES: proxy,
    ...settings,
  })
  port = Number(new URL(server.address).port)
}

async function stop(): Promise<void> {
  server.signal('SIGKILL')
  await server.exited
}

afterAll(async () => {
  removeDataDir(folder)
  await database.close()
}, 180_000)

const crowd = (source: string, connections: number, change: Partial<CrowdTask> = {}) =>
  startCrowd({ port, source, connections, bytes: '', ...change })

const residentMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1_024

let peakMb = 0

/** Requests of an innocent client for `ms`, each on a new connection: how long they took, ascending. */
async function innocentTimes(ms: number): Promise<number[]> {
  const times: number[] = []
  peakMb = 0
  const end = performance.now() + ms
  while (performance.now() < end) {
    const startMs = performance.now()
    // It reads from the database, and no limit counts it.
    const response = await fetch(`${server.address}/ready`, { headers: { Connection: 'close' } })
    await response.text()
    expect(response.status).toBe(200)
    times.push(performance.now() - startMs)
    peakMb = Math.max(peakMb, residentMb())
    await Bun.sleep(20)
  }
  return times.sort((a, b) => a - b)
}

// The addresses 127.0.0.2 and so on, and /proc, are of Linux.
describe.skipIf(process.platform !== 'linux')('a thousand connections of one client', () => {
  beforeAll(() => start({ MAX_CONNECTIONS: '16000' }), 60_000)
  afterAll(stop)
  const head = 'GET /health HTTP/1.1\r\nHost: x\r\nX-A: '

  for (const [what, padding, dripMs] of [
    ['2 MB of headers that never end', 2 * 1_024 * 1_024 - 4_096, null],
    ['headers just below the limit that never end, a byte at a time', 32 * 1_024 - 600, 100],
  ] as const)
    test(`${what}: under 150 MB, and others are answered`, async () => {
      await innocentTimes(500)
      const before = residentMb()
      const open = crowd('127.0.0.2', 1_000, { bytes: head, padding, ...(dripMs === null ? {} : { dripMs }) })
      const times = await innocentTimes(3_000)
      const grownMb = peakMb - before
      const { open: connected, statuses } = await (await open).leave()
      console.log(
        `${what}: ${connected} connections, ${grownMb.toFixed(0)} MB; others ${times.length} times: median ${times[times.length >> 1].toFixed(1)} ms, 99% ${times[Math.floor(times.length * 0.99)].toFixed(0)} ms`,
      )
      expect(connected).toBe(1_000)
      expect(grownMb).toBeLessThan(150)
      expect(times.length).toBeGreaterThan(10)
      expect(Object.keys(statuses).filter(status => status !== '431')).toEqual([])
    }, 40_000)
})

describe.skipIf(process.platform !== 'linux')('caps on connections', () => {
  /** Of one address: an eighth of all. */
  const cap = 50
  beforeAll(() => start({ MAX_CONNECTIONS: String(8 * cap) }), 60_000)
  afterAll(stop)
  /** Two looks at the sockets, and time to close them. */
  const settleMs = 1_500

  /** Waits until the server has so many connections from 127.0.0.`last`, at three looks in a row: on the way up it may have them, too. */
  async function settled(count: number, ...last: number[]): Promise<void> {
    const connected = () => last.reduce((sum, one) => sum + connectedFrom(one), 0)
    for (let tries = 0, seen = 0; tries < 200 && seen < 3; tries++) {
      seen = connected() === count ? seen + 1 : 0
      await Bun.sleep(100)
    }
  }

  /** Connections that the server has from 127.0.0.`last`, as the kernel counts them. */
  const connectedFrom = (last: number) => {
    const there = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
    const rows = ['tcp', 'tcp6'].flatMap(name =>
      readFileSync(`/proc/net/${name}`, 'utf8').split('\n').slice(1),
    )
    const sockets = rows.map(row => row.trim().split(/\s+/))
    // Addresses are in hexadecimal, backwards. 01: established.
    return sockets.filter(
      ([, local = '', remote = '', state]) =>
        local.endsWith(there) &&
        remote.includes(`${last.toString(16).toUpperCase().padStart(2, '0')}00007F:`) &&
        state === '01',
    ).length
  }

  test('an address gets no more than its cap, and others connect', async () => {
    const many = await crowd('127.0.0.4', 500)
    await settled(cap, 4)
    expect((await innocentTimes(300)).length).toBeGreaterThan(2)
    expect((await many.leave()).closed).toBe(500 - cap)
  }, 30_000)

  test('over the total the largest crowds lose connections first', async () => {
    const few = await crowd('127.0.0.5', 20)
    const large = [20, 21, 22, 23, 24, 25, 26, 27]
    const many = await startCrowd({
      port,
      source: large.map(last => `127.0.0.${last}`),
      connections: 8 * cap,
      bytes: '',
    })
    await settled(8 * cap, 5, ...large)
    expect((await few.leave()).closed).toBe(0)
    expect((await many.leave()).closed).toBeGreaterThanOrEqual(20)
  }, 30_000)

  test('trusted proxies are exempt', async () => {
    const many = await crowd(proxy, 500)
    await Bun.sleep(settleMs)
    expect((await many.leave()).closed).toBe(0)
  }, 30_000)

  test('what is being answered to a client below its cap is not cut', async () => {
    const many = await crowd('127.0.0.8', 400)
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await server.get('/openapi.json')
        return (await response.text()).length > 1_000 && response.status
      }),
    )
    await many.leave()
    expect(new Set(answers)).toEqual(new Set([200]))
  }, 30_000)
})
