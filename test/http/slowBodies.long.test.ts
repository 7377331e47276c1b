import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from '../boot/serverProcess.ts'
import { shippedDatabase } from '../database.ts'
import { sellKey } from './callers.ts'
import { startCrowd } from './crowdClient.ts'

/** LONG=1 bun test test/http/slowBodies.long.test.ts
 *
 * How much longer an innocent client waits while thousands of connections send bodies a byte at a time. The addresses are of Linux. */

const connections = 4_000
const addresses = Array.from({ length: 40 }, (_, i) => `127.0.1.${i + 1}`)
const rounds = 5
const roundMs = 8_000
const maxRatio = 1.5

const head = [
  'POST /mcp HTTP/1.1',
  'Host: localhost',
  'Accept: application/json, text/event-stream',
  'Content-Type: application/json',
  `Content-Length: ${1_024 * 1_024}`,
].join('\r\n')

const medianOf = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]

describe.skipIf(process.env.LONG === undefined || process.platform !== 'linux')(
  'an innocent client beside 4,000 connections with slow bodies (LONG=1, Linux)',
  () => {
    const folder = makeDataDir()
    let server: ServerProcess
    let key = ''
    let closeDatabase = async () => {}

    beforeAll(async () => {
      const database = await shippedDatabase()
      closeDatabase = database.close
      key = await sellKey(database.sql, { licence: 'oem', quant: true, perMinute: 1_000_000 })
      server = await startServerProcess(folder, { DATABASE_URL: database.url })
    }, 120_000)

    afterAll(async () => {
      server.signal('SIGKILL')
      await server.exited
      removeDataDir(folder)
      await closeDatabase()
    }, 180_000)

    let asked = 0

    const listTools = () =>
      fetch(`${server.address}/mcp`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          Accept: 'application/json, text/event-stream',
          'Content-Type': 'application/json',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: ++asked,
          method: 'tools/list',
          params: { padding: 'a'.repeat(4_000) },
        }),
      })

    const readFigures = () =>
      server.get(`/api/v1/fundamentals?ticker=SNOW&from=20${10 + (++asked % 15)}-01-01`, key)

    /** Requests one after the other for `ms`: the time within which 99 of 100 were answered. */
    async function p99(ms: number): Promise<number> {
      const times: number[] = []
      const end = performance.now() + ms
      while (performance.now() < end) {
        const startMs = performance.now()
        const response = await (times.length % 2 === 0 ? listTools() : readFigures())
        await response.text()
        expect(response.status).toBe(200)
        times.push(performance.now() - startMs)
        await Bun.sleep(2)
      }
      times.sort((a, b) => a - b)
      return times[Math.floor(times.length * 0.99)]
    }

    const dripMs = Number(process.env.DRIP_MS ?? 1_000)

    test(
      `its slowest request of a hundred takes at most ${maxRatio} times as long`,
      async () => {
        const port = Number(new URL(server.address).port)
        await p99(roundMs)
        const ratios: number[] = []
        for (let round = 0; round < rounds; round++) {
          const alone = await p99(roundMs)
          const crowd = await startCrowd({
            port,
            connections,
            source: addresses,
            bytes: `${head}\r\n\r\n{`,
            dripMs,
            reopenMs: 1_000,
          })
          // They have connected; the burst of requests is over, too.
          await Bun.sleep(2_000)
          const beside = await p99(roundMs)
          const { open, closed, statuses } = await crowd.leave()
          ratios.push(beside / alone)
          console.log(
            `round ${round + 1}: p99 ${alone.toFixed(1)} ms alone, ${beside.toFixed(1)} ms beside; ${open} opened, ${closed} closed, ${JSON.stringify(statuses)}`,
          )
          expect(open).toBeGreaterThanOrEqual(connections)
          await Bun.sleep(1_000)
        }
        console.log(`ratios ${ratios.map(ratio => ratio.toFixed(2)).join(', ')}`)
        expect(medianOf(ratios)).toBeLessThanOrEqual(maxRatio)
      },
      rounds * (2 * roundMs + 60_000),
    )
  },
)
