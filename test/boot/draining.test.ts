import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { prepareDataDir } from '../database.ts'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from './serverProcess.ts'

const dataDir = makeDataDir()
const delayMs = 3_000
const settings = { DRAIN_DELAY_MS: String(delayMs), LOG_LEVEL: 'silent' }
const path = '/api/v1/fundamentals?ticker=AAPL&view=latest'
let server: ServerProcess

beforeAll(async () => {
  await prepareDataDir(dataDir)
  server = await startServerProcess(dataDir, settings)
}, 180_000)

afterAll(async () => {
  server.signal('SIGKILL')
  await server.exited
  removeDataDir(dataDir)
}, 180_000)

/** The server of the next test. */
async function restart(): Promise<void> {
  await server.exited
  server = await startServerProcess(dataDir, settings)
}

describe('a stopping server', () => {
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    test(`${signal}: for DRAIN_DELAY_MS /ready is 503, all else is served, and each answer closes its connection`, async () => {
      expect((await server.get(path)).headers.get('connection')).not.toBe('close')
      const startMs = performance.now()
      server.signal(signal)
      await Bun.sleep(200)
      const ready = await server.get('/ready')
      expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close'])
      expect(ready.headers.get('retry-after')).not.toBeNull()
      expect((await ready.json()).error.code).toBe('shutting_down')
      expect((await server.get('/health')).status).toBe(200)
      for (const route of [
        path,
        '/docs',
        '/nothing',
        '/api/search?q=apple',
        '/api/v1/signals?format=csv&limit=5',
      ]) {
        const answer = await server.get(route)
        await answer.text()
        expect([route, answer.status, answer.headers.get('connection')]).toEqual([
          route,
          route === '/nothing' ? 404 : 200,
          'close',
        ])
      }
      expect(await server.exited).toBe(0)
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(delayMs)
      expect(server.said()).toContain(signal)
      // PostgreSQL is stopped with it.
      expect(existsSync(join(dataDir, 'database/cluster/postmaster.pid'))).toBe(false)
      await restart()
    }, 180_000)

  test('a second signal ends it at once', async () => {
    server.signal('SIGHUP')
    while ((await server.get('/ready')).status !== 503) await Bun.sleep(10)
    await Bun.sleep(1_100)
    server.signal('SIGTERM')
    expect(await server.exited).toBe(1)
    await restart()
  }, 180_000)

  test('a process that was started with nohup survives the end of its terminal', async () => {
    const child = Bun.spawn(['nohup', 'bun', 'src/main.ts'], {
      env: {
        ...process.env,
        DATA_DIR: dataDir,
        DATABASE_URL: '',
        HOST: '127.0.0.1',
        PORT: '0',
        LOG_LEVEL: 'silent',
      },
      stdout: 'pipe',
      stderr: 'ignore',
    })
    let said = ''
    for await (const chunk of child.stdout) {
      said += new TextDecoder().decode(chunk)
      if (said.includes('is ready at')) break
    }
    child.kill('SIGHUP')
    await Bun.sleep(500)
    expect(child.exitCode).toBeNull()
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  }, 180_000)
})
