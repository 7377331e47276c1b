import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareDataDir } from '../database.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from './serverProcess.ts'

const minute = 60_000
const dataDir = makeDataDir()
const pidFile = join(dataDir, 'database/cluster/postmaster.pid')
let server: ServerProcess
let key = ''

beforeAll(async () => {
  await prepareDataDir(dataDir)
  server = await startServerProcess(dataDir)
  key = /asf_live_\w+/.exec(server.said())?.[0] ?? ''
}, 2 * minute)
afterAll(async () => {
  server.signal('SIGTERM')
  await server.exited
  removeDataDir(dataDir)
}, minute)

const send = (path: string, type: string, body: string, more: Record<string, string> = {}) =>
  fetch(server.address + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': type, ...more },
    body,
  })

function rowsOf(seed: number): string {
  const lines = ['date,asset,score,forward_return']
  for (let day = 0; day < 60; day++) {
    const date = new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10)
    for (let i = 0; i < 200; i++) {
      lines.push(`${date},A${i},${Math.sin(i * seed + day)},${Math.cos(i * 7 + day * seed) / 50}`)
    }
  }
  return lines.join('\n')
}

async function untilReady(): Promise<void> {
  for (let tries = 0; tries < 120; tries++) {
    const answer = await server.get('/ready').catch(() => null)
    if (answer?.status === 200) return
    await Bun.sleep(250)
  }
  throw new Error('not ready within 30 s')
}

test(
  'nothing that was acknowledged is lost when server and database are killed while panels are stored',
  async () => {
    const acknowledged: { id: string; seed: number }[] = []
    let down = false
    const storing = async () => {
      for (let seed = 1; !down && seed < 60; seed++) {
        const answer = await send('/api/v1/panels', 'text/csv', rowsOf(seed)).catch(() => null)
        if (answer?.status !== 201) continue
        acknowledged.push({ id: (await answer.json()).id, seed })
      }
    }
    const stored = storing()
    while (acknowledged.length < 5) await Bun.sleep(5)
    process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGKILL')
    server.signal('SIGKILL')
    down = true
    await stored
    await server.exited
    server = await startServerProcess(dataDir)
    await untilReady()
    const list = await (await server.get('/api/v1/panels', key)).json()
    const ids = new Set(list.data.map((panel: { id: string }) => panel.id))
    expect(acknowledged.filter(({ id }) => !ids.has(id))).toEqual([])
    for (const { id, seed } of nonEmpty(acknowledged.slice(-2))) {
      const named = await send('/api/v1/backtest', 'application/json', JSON.stringify({ panel: id }))
      const sent = await send('/api/v1/backtest', 'text/csv', rowsOf(seed))
      expect(named.status).toBe(200)
      // Only the echo of the request differs, because it names the panel.
      const { request, ...result } = await named.json()
      const { request: sentRequest, ...sentResult } = await sent.json()
      expect(request).toEqual({ ...sentRequest, panel: id })
      expect(JSON.stringify(result)).toBe(JSON.stringify(sentResult))
    }
  },
  3 * minute,
)

test(
  'a sweep of a stored panel that is run when there is time gives the bits of one that is waited for',
  async () => {
    const { id } = await (await send('/api/v1/panels', 'text/csv', rowsOf(3))).json()
    const request = JSON.stringify({ panel: id, sweep: { quantile: [0.1, 0.2], holdDays: [1, 2] } })
    const waited = await send('/api/v1/backtest', 'application/json', request)
    const job = await (
      await send('/api/v1/backtest', 'application/json', request, { Prefer: 'respond-async' })
    ).json()
    let state = job
    for (let tries = 0; tries < 200 && state.finished_at === null; tries++) {
      await Bun.sleep(50)
      state = await (await server.get(job.url, key)).json()
    }
    expect(state.state).toBe('succeeded')
    expect(JSON.stringify(state.result)).toBe(await waited.text())
  },
  minute,
)
