import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from '../boot/serverProcess.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { startCrowd } from './crowdClient.ts'

const begun = 'GET /health HTTP/1.1\r\nHost: x\r\nX-A: '
const answered = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'
const perKind = 20

describe.skipIf(process.env.LONG === undefined || process.platform !== 'linux')(
  'a head that does not end (LONG=1, Linux)',
  () => {
    const folder = makeDataDir()
    let server: ServerProcess

    beforeAll(async () => {
      server = await startServerProcess(folder)
    }, 180_000)

    afterAll(async () => {
      server.signal('SIGTERM')
      await server.exited
      removeDataDir(folder)
    }, 180_000)

    for (const [when, bytes, seconds] of [
      ['the first of a connection', begun, 15],
      ['a later one', answered + begun, 36],
    ] as const)
      test(`${when}: cut within ${seconds} s, whether its bytes stop or come one at a time`, async () => {
        const task = { port: Number(new URL(server.address).port), source: '127.0.0.3', connections: perKind }
        const crowds = await Promise.all([
          startCrowd({ ...task, bytes }),
          startCrowd({ ...task, bytes, dripMs: 200 }),
        ])
        await Bun.sleep(seconds * 1_000)
        for (const crowd of nonEmpty(crowds)) {
          const { open, closed, lastClosedAfter } = await crowd.leave()
          console.log(`${when}: ${closed} of ${open} cut, the last after ${lastClosedAfter.toFixed(1)} s`)
          expect([open, closed]).toEqual([perKind, perKind])
        }
      }, 180_000)
  },
)
