import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mountDisk } from '../../bench/soak/disk.ts'
import { connect } from '../../src/postgres/client.ts'
import { makeEmptyDatabase } from '../database.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { runCommand, type ServerProcess, startServerProcess } from './serverProcess.ts'

setDefaultTimeout(120_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-disk-'))
const disk = mountDisk(folder, 320)
if (disk === null) console.warn('skipped: this account may not mount a small disk')

const dataDir = join(folder, 'data')
let server: ServerProcess
let key = ''

beforeAll(async () => {
  if (disk === null) return
  await makeEmptyDatabase({ DATA_DIR: dataDir })
  server = await startServerProcess(dataDir, { COMPUTE_THREADS: '1', JOB_CONCURRENCY: '1' })
  key = /asf_live_\w+/.exec(server.said())?.[0] ?? ''
}, 120_000)

afterAll(async () => {
  if (disk !== null) {
    disk.free()
    server.signal('SIGTERM')
    await server.exited
    disk.unmount()
  }
  rmSync(folder, { recursive: true, force: true })
}, 180_000)

/** A panel that differs from all others: it is stored anew. */
function panel(seed: number, days: number): string {
  const rows = Array.from({ length: days * 10 }, (_, n) => ({
    date: new Date(Date.UTC(2000, 0, 1 + Math.floor(n / 10))).toISOString().slice(0, 10),
    asset: `A${n % 10}`,
    score: Math.sin(seed + n),
    forward_return: Math.cos(seed * n) / 10,
  }))
  return JSON.stringify({ panel: rows })
}

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(server.address + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    body,
  })

async function storedPanels(): Promise<string[]> {
  const answer = await (await server.get('/api/v1/panels', key)).json()
  return answer.data.map(({ id }: { id: string }) => id)
}

async function until(path: string, status: number): Promise<Response> {
  const deadline = performance.now() + 60_000
  for (;;) {
    const answer = await server.get(path, key).catch(() => null)
    if (answer?.status === status) return answer
    if (performance.now() > deadline) throw new Error(`${path} is ${answer?.status} after a minute`)
    await Bun.sleep(200)
  }
}

describe.skipIf(disk === null)('a full disk', () => {
  const acknowledged: string[] = []
  const refusals: { status: number; retryAfter: string | null; message: string }[] = []
  let job = ''

  async function store(seed: number): Promise<void> {
    const answer = await post('/api/v1/panels', panel(seed, 2_000))
    const body = await answer.json()
    if (answer.ok) acknowledged.push(body.id)
    else
      refusals.push({
        status: answer.status,
        retryAfter: answer.headers.get('retry-after'),
        message: body.error.message,
      })
  }

  test('refuses what has to be stored with 503 and Retry-After, never with 500', async () => {
    await store(1)
    expect(acknowledged).toHaveLength(1)
    const submitted = await post('/api/v1/backtest', panel(0.5, 200), { Prefer: 'respond-async' })
    job = (await submitted.json()).id
    disk?.fill(2 * 2 ** 20)
    for (let seed = 2; seed < 40 && refusals.length < 5; seed++) {
      await store(seed)
      disk?.fill()
    }
    expect(refusals).toHaveLength(5)
    for (const { status, retryAfter, message } of refusals)
      expect([status, retryAfter, message]).toEqual([
        503,
        '30',
        expect.stringContaining('disk of this service is full'),
      ])
  })

  test('is what /ready says, and a command says it in a sentence', async () => {
    const ready = await server.get('/ready')
    expect(ready.status).toBe(503)
    expect(Number(ready.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await ready.json()).error.message).toBe('Not ready: the disk of the database is full.')
    const backfill = join(tmpdir(), `asfiled-full-${process.pid}.csv`)
    const lines = Array.from({ length: 60_000 }, (_, n) => {
      const day = new Date(Date.UTC(1990, 0, 1 + (n >> 2))).toISOString().slice(0, 10)
      return `${day},T${n % 4}X,US,1,1.${(n % 89) + 10},0.5`
    })
    await Bun.write(backfill, `date,ticker,market,horizon,predicted_pct,actual_pct\n${lines.join('\n')}\n`)
    const run = await runCommand(dataDir, 'signals', 'import', backfill)
    rmSync(backfill)
    expect(run.code).toBe(1)
    expect(run.err).toMatch(/disk .*is full/)
    expect(run.err).not.toMatch(/\n\s+at /)
  })

  test('is over when there is room: the same process is ready, and all that it acknowledged is there', async () => {
    disk?.free()
    await until('/ready', 200)
    const before = acknowledged.length
    await store(100)
    expect(acknowledged).toHaveLength(before + 1)
    const stored = await storedPanels()
    expect(nonEmpty(acknowledged).filter(id => !stored.includes(id))).toEqual([])
    const deadline = performance.now() + 60_000
    let state = ''
    while (state !== 'succeeded' && performance.now() < deadline) {
      state = (await (await server.get(`/api/v1/backtests/${job}`, key)).json()).state
      await Bun.sleep(200)
    }
    expect(state).toBe('succeeded')
  })

  test('on which PostgreSQL stops, for want of room for its log, is over as well', async () => {
    const cluster = join(dataDir, 'database/cluster')
    const port = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[3]
    const password = readFileSync(join(dataDir, 'database/password'), 'utf8').trim()
    const url = `postgres://asfiled:${password}@127.0.0.1:${port}/asfiled`
    const sql = connect({ url, connections: 1, statementTimeoutMs: 30_000 })
    disk?.fill()
    // Each takes a new segment of the log; those that were made in advance are soon used up.
    const stopped = async () => {
      for (let n = 0; n < 100; n++) {
        await sql`select pg_logical_emit_message(true, 'test', repeat('x', 100))`
        await sql`select pg_switch_wal()`
      }
    }
    await expect(stopped()).rejects.toThrow()
    await sql.end({ timeout: 0 })
    const during = await server.get('/api/v1/panels', key)
    expect([200, 503]).toContain(during.status)
    if (during.status === 503)
      expect([during.headers.get('retry-after'), (await during.json()).error.message]).toEqual([
        '30',
        expect.stringContaining('disk of this service is full'),
      ])
    const ready = await server.get('/ready')
    expect(ready.status).toBe(503)
    expect((await ready.json()).error.message).toBe('Not ready: the disk of the database is full.')
    const run = await runCommand(dataDir, 'keys', 'list')
    if (run.code !== 0) {
      expect(run.err).toContain('disk')
      expect(run.err).not.toMatch(/\n\s+at /)
    }
    disk?.free()
    await until('/ready', 200)
    const stored = await storedPanels()
    expect(nonEmpty(acknowledged).filter(id => !stored.includes(id))).toEqual([])
  })
})
