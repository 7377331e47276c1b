import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { Elysia } from 'elysia'
import { BodyReader } from '../../src/http/body.ts'
import type { AnswerBody } from '../../src/http/context.ts'
import { httpPlugin } from '../../src/http/plugin.ts'
import { storedBody } from '../../src/http/sentBody.ts'
import { UnpaidTurns } from '../../src/http/unpaidTurns.ts'
import { testDatabase } from '../database.ts'
import { testServer } from './testServer.ts'

/** On both sides of the sizes at which a body is sent in another way. */
const sizes = [0, 1, 5_119, 15_359, 15_360, 20_254, 262_144, 262_145, 1_000_000]

const kinds: Readonly<Record<string, (bytes: Uint8Array<ArrayBuffer>) => AnswerBody>> = {
  text: bytes => new TextDecoder().decode(bytes),
  bytes: bytes => bytes,
  blob: bytes => new Blob([bytes]),
  stored: storedBody,
}

/** Of two bytes per character, and the last of one if the number is odd. */
function content(size: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode('é'.repeat(size >> 1) + 'x'.repeat(size & 1))
}

const database = await testDatabase()
const server = await testServer(database.sql)
const http = httpPlugin(
  {
    ...server.resources,
    bodies: new BodyReader(1, '/nonexistent'),
    unpaidTurns: new UnpaidTurns(),
    explain: () => null,
    errorPage: () => null,
  },
  () => app,
)
const app = new Elysia().use(http).get(
  '/:kind/:size',
  async ({ params: { kind, size } }) => {
    // A turn of the event loop, as when the database counts a request.
    await new Promise(resolve => setImmediate(resolve))
    const headers = new Headers({ 'Content-Type': 'text/plain; charset=utf-8', ETag: 'W/"1"' })
    return { status: 200, headers, body: kinds[kind](content(Number(size))) }
  },
  { access: 'open' },
)
app.listen({ hostname: '127.0.0.1', port: 0 })
afterAll(async () => {
  await app.server?.stop(true)
  await server.stop()
  await database.close()
}, 180_000)

interface Received {
  readonly head: string
  readonly body: Buffer
  /** How much came at once, before anything else was read. */
  readonly firstBytes: number
}

/** Sends requests one after the other on one connection. */
async function* onOneConnection(requests: readonly string[]): AsyncGenerator<Received> {
  const socket = connect(app.server?.port ?? 0, '127.0.0.1')
  const chunks = socket[Symbol.asyncIterator]()
  for (const request of requests) {
    socket.write(`${request} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    let all = Buffer.alloc(0)
    let firstBytes = 0
    for (;;) {
      const { value, done } = await chunks.next()
      if (done === true) throw new Error(`${request} got only ${all.length} bytes.`)
      all = Buffer.concat([all, value])
      if (firstBytes === 0) firstBytes = all.length
      const end = all.indexOf('\r\n\r\n')
      if (end < 0) continue
      const head = all.toString('latin1', 0, end)
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1])
      const isWhole = request.startsWith('HEAD') || all.length >= end + 4 + length
      if (!isWhole) continue
      yield { head, body: all.subarray(end + 4), firstBytes }
      break
    }
  }
  socket.destroy()
}

for (const kind of Object.keys(kinds)) {
  test(`a response with a body of ${kind} has its bytes, their length and all headers, whatever its size`, async () => {
    const requests = sizes.flatMap(size => [`GET /${kind}/${size}`, `HEAD /${kind}/${size}`])
    let index = 0
    for await (const { head, body } of onOneConnection(requests)) {
      const size = sizes[index >> 1]
      const isHead = index++ % 2 === 1
      expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(head.match(/^content-length: .*$/gim)).toHaveLength(1)
      expect(head).toMatch(new RegExp(`^content-length: ${size}$`, 'im'))
      expect(head).toMatch(/^content-type: text\/plain; ?charset=utf-8$/im)
      expect(head).toMatch(/^etag: W\/"1"$/im)
      expect(head).toMatch(/^x-request-id: \S+$/im)
      expect(head).not.toMatch(/transfer-encoding/i)
      expect(body.equals(isHead ? Buffer.alloc(0) : Buffer.from(content(size)))).toBe(true)
    }
    expect(index).toBe(requests.length)
  })
}

test('the head of a response over 16 KB is sent at once, although the response follows an await', async () => {
  const requests = ['text', 'bytes', 'stored'].flatMap(kind =>
    [15_360, 20_254, 60_000].flatMap(size => Array.from({ length: 5 }, () => `GET /${kind}/${size}`)),
  )
  for await (const { head, firstBytes } of onOneConnection(requests))
    expect(firstBytes).toBeGreaterThan(head.length + 4)
})

test('a reader within the process gets the bytes, too', async () => {
  for (const kind of Object.keys(kinds)) {
    const response = await app.handle(new Request(`http://localhost/${kind}/20254`))
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(content(20_254)))).toBe(true)
  }
})
