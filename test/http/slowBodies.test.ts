import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { sellKey } from './callers.ts'
import { type RealServer, realServer } from './realServer.ts'

setDefaultTimeout(180_000)

const megabyte = 1_024 * 1_024
const limitMb = 8

let server: RealServer
let paid: string
let free: string
beforeAll(async () => {
  server = await realServer({ settings: { BODY_LIMIT_MB: String(limitMb) } })
  paid = `Bearer ${await sellKey(server.sql, { licence: 'personal', quant: true })}`
  free = `Bearer ${await sellKey(server.sql, { licence: 'free' })}`
})
afterAll(() => server.stop())

interface Sender {
  readonly socket: Socket
  /** What came back until now. */
  answer(): string
  isClosed(): boolean
}

interface Upload {
  readonly path: string
  readonly from: string
  readonly announced: number
  readonly authorization?: string
  readonly type?: string
}

/** A client that announces a body and leaves its bytes to the test. */
function sender({
  path,
  from,
  announced,
  authorization,
  type = 'application/json',
}: Upload): Promise<Sender> {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    `X-Forwarded-For: ${from}`,
    'Accept: application/json, text/event-stream',
    `Content-Type: ${type}`,
    `Content-Length: ${announced}`,
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
  ]
  return new Promise(resolve => {
    let text = ''
    let closed = false
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      resolve({ socket, answer: () => text, isClosed: () => closed })
    })
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      closed = true
    })
  })
}

/** Sends `bytes` to each every `everyMs`. Returns the function that stops it. */
function drip(senders: readonly Sender[], bytes: number, everyMs: number): () => void {
  const piece = Buffer.alloc(bytes, ' ')
  const send = () => {
    for (const { socket } of senders) if (socket.writable) socket.write(piece)
  }
  send()
  const timer = setInterval(send, everyMs)
  return () => clearInterval(timer)
}

async function until(isSo: () => boolean, seconds: number): Promise<void> {
  for (let waited = 0; waited < seconds * 1_000 && !isSo(); waited += 50) await Bun.sleep(50)
}

const leave = (senders: readonly Sender[]) => {
  for (const { socket } of senders) socket.destroy()
}

/** An ordinary message to the agent tools, of a few kilobytes. */
async function listTools(from: string): Promise<number> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { padding: 'a'.repeat(4_000) } }
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'X-Forwarded-For': from,
    },
    body: JSON.stringify(message),
  })
  await response.text()
  return response.status
}

/** A panel of so many bytes, nearly. */
function panelOf(size: number): string {
  const lines = ['date,asset,score,forward_return']
  for (let length = 100; length < size; length += lines.at(-1)?.length ?? 0)
    lines.push(
      `2024-01-0${2 + (lines.length % 2)},${`${lines.length}`.padStart(40, 'A')},${lines.length},0.01`,
    )
  return `${lines.join('\n')}\n`
}

/** Stores a panel; `stored` if that went well, else the error. */
async function upload(authorization: string, from: string, size: number): Promise<string> {
  const headers = { Authorization: authorization, 'Content-Type': 'text/csv', 'X-Forwarded-For': from }
  const response = await fetch(`${server.url}/api/v1/panels`, {
    method: 'POST',
    headers,
    body: panelOf(size),
  })
  return response.status === 201 ? 'stored' : response.text()
}

const slowMcp = (from: string) => sender({ path: '/mcp', from, announced: megabyte })
const full = (from: string, announced = megabyte) => ({ path: '/mcp', from, announced })

describe('messages to the agent tools while others send theirs a byte at a time', () => {
  test('are answered, to another address and to the same one', async () => {
    const slow = await Promise.all(Array.from({ length: 150 }, () => slowMcp('10.1.0.1')))
    const stop = drip(slow, 1, 200)
    await Bun.sleep(300)
    expect([await listTools('10.1.0.2'), await listTools('10.1.0.1')]).toEqual([200, 200])
    // One address may keep 128 of them waiting; the others are told so.
    await until(() => slow.filter(one => one.isClosed()).length >= 22, 4)
    expect(slow.filter(one => one.answer().startsWith('HTTP/1.1 503')).length).toBe(22)
    expect(await listTools('10.1.0.1')).toBe(200)
    stop()
    leave(slow)
  })

  test('a byte at a time is cut after five seconds, and its connection closed', async () => {
    const slow = await slowMcp('10.1.0.3')
    const stop = drip([slow], 1, 100)
    await until(slow.isClosed, 12)
    stop()
    expect(slow.isClosed()).toBe(true)
    expect(slow.answer()).toStartWith('HTTP/1.1 400')
    expect(slow.answer()).toContain('The body arrived too slowly')
    leave([slow])
  })

  test('four that send all of a megabyte but its end do not stop a fifth', async () => {
    const held = await Promise.all(['10.1.1.1', '10.1.1.2', '10.1.1.3', '10.1.1.4'].map(slowMcp))
    for (const { socket } of held) socket.write(Buffer.alloc(megabyte - 1, ' '))
    await Bun.sleep(500)
    expect([await listTools('10.1.1.5'), await listTools('10.1.1.1')]).toEqual([200, 200])
    leave(held)
  })

  test('a small body of an address that holds its megabyte cuts the large one', async () => {
    const large = await slowMcp('10.1.2.1')
    large.socket.write(Buffer.alloc(megabyte - 1, ' '))
    await Bun.sleep(300)
    expect(await listTools('10.1.2.1')).toBe(200)
    await until(large.isClosed, 3)
    expect(large.answer()).toStartWith('HTTP/1.1 503')
    expect(large.answer()).toContain('A demo or free caller may have 1 MB of request bodies in flight')
    leave([large])
  })
})

describe('uploads', () => {
  test('a demo or free caller is refused more than 1 MB at once, without a byte of it', async () => {
    for (const authorization of ['Bearer demo', free]) {
      const large = await sender({
        path: '/api/v1/as-of',
        from: '10.2.0.1',
        announced: megabyte + 1,
        authorization,
      })
      await until(() => large.answer() !== '', 5)
      expect(large.answer()).toStartWith('HTTP/1.1 413')
      expect(large.answer()).toContain('for demo and free keys is 1 MB')
      leave([large])
    }
  })

  test('that are not announced, either', async () => {
    const block = new Uint8Array(256 * 1_024).fill(32)
    const body = new ReadableStream({
      async start(controller) {
        for (let sent = 0; sent < 6; sent++) controller.enqueue(block)
        controller.close()
      },
    })
    const headers = {
      Authorization: 'Bearer demo',
      'Content-Type': 'text/csv',
      'X-Forwarded-For': '10.2.0.2',
    }
    const response = await fetch(`${server.url}/api/v1/as-of`, { method: 'POST', headers, body })
    expect([response.status, (await response.json()).error.code]).toEqual([413, 'body_too_large'])
  })

  test('demo callers fill their part of the memory, and a paid upload passes; a further demo call too', async () => {
    const crowd = await Promise.all(
      Array.from({ length: 2 * limitMb }, (_, i) => sender(full(`10.3.0.${i + 1}`))),
    )
    for (const { socket } of crowd) socket.write(Buffer.alloc(megabyte - 1, ' '))
    const stop = drip(crowd, 0, 1_000)
    const open = () => crowd.filter(one => !one.isClosed()).length
    // No more than their part: the others are cut.
    await until(() => open() <= limitMb, 20)
    expect(open()).toBeWithin(1, limitMb + 1)
    expect(await upload(paid, '10.3.1.1', (limitMb - 1) * megabyte)).toBe('stored')
    expect(await listTools('10.3.1.2')).toBe(200)
    stop()
    leave(crowd)
  })

  test('announced large by paid keys and sent slowly, they leave room for another key', async () => {
    const other = `Bearer ${await sellKey(server.sql, { licence: 'personal', quant: true })}`
    const slow = await Promise.all(
      Array.from({ length: 8 }, () =>
        sender({
          path: '/api/v1/panels',
          from: '10.4.0.1',
          announced: limitMb * megabyte,
          authorization: paid,
          type: 'text/csv',
        }),
      ),
    )
    const stop = drip(slow, 20 * 1_024, 1_000)
    await Bun.sleep(1_000)
    expect(await upload(other, '10.4.0.1', 4 * megabyte)).toBe('stored')
    stop()
    leave(slow)
  })
})
