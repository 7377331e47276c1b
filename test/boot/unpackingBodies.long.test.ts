import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { parquetBombs } from '../backtest/panelFile/parquetBombs.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from './serverProcess.ts'

const bodiesAtOnce = 64
const maxGrowthMb = 100
/** Files of millions of rows are refused before any is unpacked: the demo key may not join so many. */
const tooManyRows = /rows has 5,000,000 rows; the demo key and free keys may join 100,000 a minute/
/** Larger bodies are memory themselves, 64 at once. */
const maxBodyBytes = 300_000

interface Reply {
  readonly status: number
  readonly text: string
}

/** Sends a body from an address of its own: the demo key counts requests, and bytes on their way, by address. */
function send(server: ServerProcess, body: Uint8Array, localAddress: string): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const { hostname, port } = new URL(server.address)
  const headers = {
    Authorization: 'Bearer demo',
    'Content-Type': 'application/vnd.apache.parquet',
    'Content-Length': body.length,
  }
  const path = '/api/v1/as-of?metrics=revenue'
  const sent = request({ hostname, port, path, method: 'POST', headers, localAddress }, answer => {
    let text = ''
    answer.setEncoding('utf8')
    answer.on('data', chunk => {
      text += chunk
    })
    answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}

function memoryMb({ pid }: ServerProcess, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024
}

let burst = 1

/** Sends 64 bodies at once, one after the other of `bodies`. The kernel keeps the peak of the server's memory. */
async function sendAtOnce(server: ServerProcess, bodies: readonly Uint8Array[]) {
  // Sets VmHWM back to what is resident now.
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
  const beforeMb = memoryMb(server, 'VmRSS')
  burst++
  const replies = await Promise.all(
    Array.from({ length: bodiesAtOnce }, (_, i) =>
      send(server, bodies[i % bodies.length], `127.0.${burst}.${1 + i}`),
    ),
  )
  return { replies, beforeMb, growthMb: memoryMb(server, 'VmHWM') - beforeMb }
}

describe.skipIf(process.env.LONG === undefined || process.platform !== 'linux')(
  'bodies that would unpack to gigabytes, 64 at once with the demo key (LONG=1)',
  () => {
    const dataDir = makeDataDir()
    const bombs = parquetBombs(200).filter(({ bytes }) => bytes.length <= maxBodyBytes)
    let server: ServerProcess

    beforeAll(async () => {
      // A queue with a place for each of them: a request that is refused as one too many is not unpacked.
      server = await startServerProcess(dataDir, { COMPUTE_QUEUE: String(4 * bodiesAtOnce) })
      // Memory for code that the first requests load and compile is not counted as growth caused by a body.
      for (let round = 0; round < 3; round++)
        await sendAtOnce(server, [new TextEncoder().encode('PAR1....PAR1')])
    }, 300_000)

    afterAll(async () => {
      server.signal('SIGTERM')
      await server.exited
      removeDataDir(dataDir)
    }, 180_000)

    for (const { name, bytes, reason } of nonEmpty(bombs)) {
      test(`${name} (${bytes.length} bytes): 413, and the server grows by less than ${maxGrowthMb} MB`, async () => {
        const { replies, beforeMb, growthMb } = await sendAtOnce(server, [bytes])
        console.log(
          `${name}: ${bytes.length} bytes, from ${beforeMb.toFixed(0)} MB by ${growthMb.toFixed(1)} MB`,
        )
        expect(replies.map(({ status }) => status)).toEqual(new Array<number>(bodiesAtOnce).fill(413))
        for (const { text } of replies)
          expect(text).toMatch(new RegExp(`${reason.source}|${tooManyRows.source}`))
        expect(growthMb).toBeLessThan(maxGrowthMb)
      }, 600_000)
    }

    test('all kinds together, and the server still answers', async () => {
      const { replies, beforeMb, growthMb } = await sendAtOnce(
        server,
        bombs.map(({ bytes }) => bytes),
      )
      console.log(`all kinds at once: from ${beforeMb.toFixed(0)} MB by ${growthMb.toFixed(1)} MB`)
      expect(replies.map(({ status }) => status)).toEqual(new Array<number>(bodiesAtOnce).fill(413))
      expect(growthMb).toBeLessThan(maxGrowthMb)
      expect((await server.get('/api/v1/fundamentals')).status).toBe(200)
    }, 600_000)
  },
)
