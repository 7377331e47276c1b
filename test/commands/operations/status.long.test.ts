import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readShipped } from '../../../src/postgres/history.ts'
import { makeDataDir, removeDataDir, runCommand, startServerProcess } from '../../boot/serverProcess.ts'

setDefaultTimeout(300_000)

if (process.env.LONG === undefined)
  console.log('skipped: the status of a server that is killed runs with LONG=1')

describe.skipIf(process.env.LONG === undefined)('status (LONG=1)', () => {
  test('of an embedded database: its server, its backup, its kill, and a stopped one that stops again', async () => {
    const dataDir = makeDataDir()
    try {
      const process = await startServerProcess(dataDir, { COMPUTE_THREADS: '1' })
      expect((await runCommand(dataDir, 'backup', join(dataDir, 'a.tar.zst'))).code).toBe(0)
      const alive = await runCommand(dataDir, 'status', '--json')
      const read = JSON.parse(alive.out)
      expect(read).toMatchObject({ healthy: true, backup: { file: join(dataDir, 'a.tar.zst') } })
      expect(read.schema.number).toBe(Number((await readShipped()).at(-1)?.name.slice(0, 4)))
      expect(read.processes).toMatchObject([{ role: 'server', pid: process.pid, alive: true }])
      expect(alive.code).toBe(0)
      process.signal('SIGKILL')
      await process.exited
      await Bun.sleep(6_000)
      const killed = await runCommand(dataDir, 'status')
      expect(killed).toMatchObject({ code: 1, out: expect.stringContaining('No server is running') })
      // That one was the last to use PostgreSQL, so it has stopped it; the next starts it and stops it again.
      expect(existsSync(join(dataDir, 'database/cluster/postmaster.pid'))).toBe(false)
      const stopped = await runCommand(dataDir, 'status')
      expect(stopped).toMatchObject({ code: 1, out: expect.stringContaining('up to date') })
      expect(existsSync(join(dataDir, 'database/cluster/postmaster.pid'))).toBe(false)
    } finally {
      removeDataDir(dataDir)
    }
  })
})
