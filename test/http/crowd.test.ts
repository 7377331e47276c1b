import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from '../boot/serverProcess.ts'
import { shippedDatabase } from '../database.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { sellKey } from './callers.ts'

const database = await shippedDatabase()
const tireless = () => sellKey(database.sql, { licence: 'oem', quant: true, perMinute: 100_000 })
const crowdKey = await tireless()
const quietKey = await tireless()
const folder = makeDataDir()
let server: ServerProcess
let port = 0

beforeAll(async () => {
  server = await startServerProcess(folder, {
    DATABASE_URL: database.url,
    BODY_LIMIT_MB: '8',
    MAX_CONNECTIONS: '16000',
  })
  port = Number(new URL(server.address).port)
}, 180_000)

afterAll(async () => {
  server.signal('SIGKILL')
  await server.exited
  removeDataDir(folder)
  await database.close()
}, 180_000)

/** On Linux the crowd comes from two addresses of its own: connections of one address are capped. */
const sourceOf = (index: number) =>
  process.platform === 'linux' ? { localAddress: `127.0.0.${2 + (index % 2)}` } : {}

/** A client that says `bytes` and, where `deaf`, takes nothing of what it is answered. */
function open(index: number, bytes: string, deaf = false): Promise<Socket> {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1', ...sourceOf(index) }, () => {
      socket.write(bytes)
      if (deaf) socket.pause()
      resolve(socket)
    })
    socket.on('error', () => {})
    if (!deaf) socket.on('data', () => {})
  })
}

const crowd = (size: number, bytes: string, deaf = false) =>
  Promise.all(Array.from({ length: size }, (_, index) => open(index, bytes, deaf)))

const leave = async (sockets: readonly Socket[]) => {
  for (const socket of sockets) socket.destroy()
  await Bun.sleep(100)
}

let requests = 0

/** Everything that another client may want, each answered well, and before anything that waits would give up. */
async function expectServed(): Promise<void> {
  for (const path of [
    '/health',
    '/ready',
    `/api/v1/fundamentals?ticker=SNOW&from=2020-01-${10 + (requests++ % 20)}`,
    `/api/v1/signals?limit=${1 + (requests++ % 50)}`,
    '/api/v1/coverage/AAPL',
    '/api/search?q=apple',
  ]) {
    const startMs = performance.now()
    const response = await server.get(path, quietKey)
    await response.text()
    expect([path, response.status]).toEqual([path, 200])
    expect(performance.now() - startMs).toBeLessThan(8_000)
  }
}

/** Megabytes that the server's process holds; null where the system does not tell. */
function residentMb(): number | null {
  const status = `/proc/${server.pid}/status`
  if (!existsSync(status)) return null
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] ?? 0) / 1_024
}

const request = (line: string, headers = '') =>
  `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${crowdKey}\r\n${headers}\r\n`

describe('other clients do not notice', () => {
  test('a thousand connections that say nothing', async () => {
    const silent = await crowd(1_000, '')
    await expectServed()
    await leave(silent)
  }, 30_000)

  test('five hundred that never finish their headers', async () => {
    const half = await crowd(500, 'GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    const drip = setInterval(() => {
      for (const socket of half) socket.write('a')
    }, 200)
    await expectServed()
    clearInterval(drip)
    await leave(half)
  }, 30_000)

  test('sixty that ask for 50,000 signals and read none of them', async () => {
    const deaf = await crowd(60, request('GET /api/v1/signals?limit=50000'), true)
    for (let round = 0; round < 4; round++) {
      await expectServed()
      await Bun.sleep(500)
    }
    const resident = residentMb()
    if (resident !== null) expect(resident).toBeLessThan(700)
    await leave(deaf)
    await expectServed()
  }, 180_000)

  test('sixty that ask for them compressed, and leave at once', async () => {
    for (const encoding of ['zstd', 'gzip']) {
      await leave(
        await crowd(30, request('GET /api/v1/signals?limit=50000', `Accept-Encoding: ${encoding}\r\n`), true),
      )
    }
    await expectServed()
  }, 180_000)

  test('bodies that were announced large and come a byte at a time', async () => {
    const headers = `Content-Type: application/json\r\nContent-Length: ${8 * 1_024 * 1_024}\r\n`
    const slow = await crowd(20, `${request('POST /api/v1/backtest', headers)}{`)
    await Bun.sleep(100)
    const response = await fetch(`${server.address}/api/v1/backtest`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${quietKey}`, 'Content-Type': 'application/json' },
      body: '{"source":{"limit":1000}}',
    })
    expect([response.status, (await response.json()).object]).toEqual([200, 'backtest_result'])
    await expectServed()
    await leave(slow)
  }, 30_000)

  test('clients that ask a hundred things at once and read no answer', async () => {
    const line = request('GET /api/v1/fundamentals?ticker=AAPL')
    const deaf = await crowd(50, line.repeat(100), true)
    await expectServed()
    await leave(deaf)
  }, 30_000)
})

test('three thousand that are refused at the same moment, before their bodies have arrived', async () => {
  const { promise: counting, resolve: count } = Promise.withResolvers<void>()
  // Until it is released, no request is counted, so all wait for one answer of the database.
  const locked = Promise.withResolvers<void>()
  const lock = database.sql.begin(async transaction => {
    await transaction`set local idle_in_transaction_session_timeout = 0`
    await transaction`lock table limit_counter`
    locked.resolve()
    await counting
  })
  await locked.promise
  const headers = 'Content-Type: application/json\r\nContent-Length: 100000\r\n'
  const refused = await crowd(
    3_000,
    `POST /api/v1/backtest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer demo\r\n${headers}\r\n{`,
  )
  await Bun.sleep(1_000)
  count()
  await lock
  await Bun.sleep(1_000)
  await expectServed()
  await leave(refused)
}, 60_000)

/** Sends `megabytes` of blanks after `head` and tells what was answered. */
function flood(head: string, megabytes: number, chunked: boolean): Promise<string> {
  const block = Buffer.alloc(1 << 20, ' ')
  const piece = chunked ? Buffer.concat([Buffer.from('100000\r\n'), block, Buffer.from('\r\n')]) : block
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    let left = megabytes
    const end = () => {
      socket.destroy()
      resolve(answer)
    }
    const pump = () => {
      while (left > 0 && !socket.destroyed) {
        left--
        if (!socket.write(piece)) {
          socket.once('drain', pump)
          return
        }
      }
      setTimeout(end, 200)
    }
    socket.on('data', chunk => {
      answer += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', end)
    socket.write(head)
    pump()
  })
}

describe('300 MB of body', () => {
  const ways = [
    ['announced', `Content-Length: ${300 * 1_024 * 1_024}\r\n`, false],
    ['in chunks', 'Transfer-Encoding: chunked\r\n', true],
  ] as const
  for (const [way, headers, chunked] of ways) {
    for (const [line, status] of [
      ['POST /api/v1/backtest', 413],
      ['POST /health', 405],
      ['POST /nothing', 404],
      ['GET /health', 200],
      ['GET /api/v1/fundamentals?ticker=AAPL&view=latest', 200],
    ] as const) {
      test(`${way}, to ${line}: ${status}, and memory stays where it was`, async () => {
        const before = residentMb() ?? 0
        const all = `${headers}Content-Type: application/json\r\n`
        const answers = await Promise.all([1, 2].map(() => flood(request(line, all), 300, chunked)))
        for (const answer of nonEmpty(answers)) expect(answer).toStartWith(`HTTP/1.1 ${status}`)
        expect((residentMb() ?? 0) - before).toBeLessThan(200)
        await expectServed()
      }, 30_000)
    }
  }

  test('with a wrong key: 401, unread', async () => {
    const head = `POST /api/v1/backtest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nTransfer-Encoding: chunked\r\n\r\n`
    expect(await flood(head, 300, true)).toStartWith('HTTP/1.1 401')
    await expectServed()
  }, 30_000)
})
