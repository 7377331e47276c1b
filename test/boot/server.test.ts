import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareDataDir } from '../database.ts'
import { nonEmpty } from '../nonEmpty.ts'
import {
  makeDataDir,
  removeDataDir,
  runCommand,
  type ServerProcess,
  startServerProcess,
} from './serverProcess.ts'

const minute = 60_000
const dataDir = makeDataDir()
const pidFile = join(dataDir, 'database/cluster/postmaster.pid')
const asOf2009 = '/api/v1/fundamentals?ticker=AAPL&metric=revenue&view=latest&as_of=2009-12-31'
const asOf2010 =
  '/api/v1/fundamentals?ticker=AAPL&metric=revenue&from=2009-09-26&view=history&as_of=2010-02-01'
let server: ServerProcess
let ownerKey = ''

beforeAll(async () => {
  await prepareDataDir(dataDir)
  server = await startServerProcess(dataDir)
  ownerKey = /asf_live_\w+/.exec(server.said())?.[0] ?? ''
}, 2 * minute)

afterAll(async () => {
  server.signal('SIGTERM')
  await server.exited
  removeDataDir(dataDir)
}, minute)

async function untilReady(what: ServerProcess): Promise<void> {
  for (let tries = 0; tries < 120; tries++) {
    const answer = await what.get('/ready').catch(() => null)
    if (answer?.status === 200) return
    await Bun.sleep(250)
  }
  throw new Error('not ready within 30 s')
}

// Apple's 10-K of 2009-10-27 (0001193125-09-214859) says 36,537 million; the 10-K/A of 2010-01-25
// (0001193125-10-012091) says 42,905 million for the same year.
describe('the first start', () => {
  test('prints a curl line that works when pasted', async () => {
    const line = /curl .*/.exec(server.said())?.[0] ?? ''
    const shell = Bun.spawn(['sh', '-c', line], { stdout: 'pipe' })
    const answer = await new Response(shell.stdout).json()
    expect(answer.data).toHaveLength(1)
    expect(answer.data[0]).toMatchObject({ m: 'revenue', filed: '2009-10-27', v: 36_537_000_000 })
  })

  test('keeps its port to itself: a second server there says so and ends', async () => {
    const port = new URL(server.address).port
    const second = Bun.spawn(['bun', 'src/main.ts'], {
      env: { ...process.env, DATA_DIR: dataDir, DATABASE_URL: '', HOST: '127.0.0.1', PORT: port },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [said, code] = await Promise.all([new Response(second.stderr).text(), second.exited])
    expect(said).toContain(`Could not listen on 127.0.0.1:${port}`)
    expect(code).not.toBe(0)
    expect((await server.get('/ready')).status).toBe(200)
  })

  test('a first start whose port is taken leaves nothing running, and the next one shows the owner key', async () => {
    const folder = makeDataDir()
    await prepareDataDir(folder)
    const port = new URL(server.address).port
    const first = Bun.spawn(['bun', 'src/main.ts'], {
      env: { ...process.env, DATA_DIR: folder, DATABASE_URL: '', HOST: '127.0.0.1', PORT: port },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    expect(await first.exited).not.toBe(0)
    expect(await new Response(first.stdout).text()).not.toContain('asf_live_')
    expect(existsSync(join(folder, 'database/cluster/postmaster.pid'))).toBe(false)
    const next = await startServerProcess(folder)
    expect(next.said()).toContain('asf_live_')
    next.signal('SIGTERM')
    await next.exited
    removeDataDir(folder)
  }, 180_000)

  test('prints an owner key once, with the quant plan and the redistribution licence', async () => {
    const backtest = await fetch(`${server.address}/api/v1/backtest`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ownerKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ source: { market: 'US', horizon: '1d', from: '2013-01-02', to: '2013-12-31' } }),
    })
    expect(backtest.status).toBe(200)
    expect((await backtest.json()).object).toBe('backtest_result')
    const listed = await runCommand(dataDir, 'keys', 'list', '--json')
    expect(JSON.parse(listed.out)).toMatchObject([{ licence: 'redistribution', quant: true }])
    expect(listed.out).not.toContain(ownerKey)
  })
})

describe('commands next to a running server', () => {
  test(
    'a key works as soon as it is made, and is refused as soon as it is revoked',
    async () => {
      const made = await runCommand(
        dataDir,
        'keys',
        'create',
        '--email',
        'ana@fund.example',
        '--licence',
        'personal',
        '--json',
      )
      expect(made.code).toBe(0)
      const { key, prefix } = JSON.parse(made.out)
      expect((await server.get(asOf2009, key)).status).toBe(200)
      expect((await runCommand(dataDir, 'keys', 'revoke', prefix)).code).toBe(0)
      const refused = await server.get(asOf2009, key)
      expect(refused.status).toBe(403)
      expect((await refused.json()).error.code).toBe('key_revoked')
    },
    minute,
  )

  test(
    'a signal that is imported is served under a new data version',
    async () => {
      const before = (await (await server.get('/api/v1/signals?market=TW', ownerKey)).json()) as {
        count: number
        data_version: number
      }
      const file = join(dataDir, 'new.csv')
      await Bun.write(
        file,
        'date,ticker,market,horizon,predicted_pct,actual_pct\n2024-03-01,2330.TW,TW,1d,0.01,0.02\n',
      )
      const imported = await runCommand(dataDir, 'signals', 'import', file)
      expect(imported.code).toBe(0)
      await Bun.sleep(500)
      const after = (await (await server.get('/api/v1/signals?market=TW', ownerKey)).json()) as {
        count: number
        data_version: number
      }
      expect(after.count).toBe(before.count + 1)
      expect(after.data_version).toBeGreaterThan(before.data_version)
    },
    minute,
  )
})

describe('bad luck', () => {
  test(
    'a database that is killed is back by itself, and every answer meanwhile is a clear 503',
    async () => {
      process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGKILL')
      const statuses = new Set<number>()
      for (let attempt = 0; attempt < 40; attempt++) {
        const answer = await server.get(asOf2009, ownerKey)
        statuses.add(answer.status)
        if (answer.status === 503) expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
        await Bun.sleep(25)
      }
      expect(nonEmpty(statuses).filter(status => status !== 200 && status !== 503)).toEqual([])
      await untilReady(server)
      const answer = await (await server.get(asOf2010, ownerKey)).json()
      const year = answer.data.filter(
        (row: { fp: string; end: string }) => row.fp === 'FY' && row.end === '2009-09-26',
      )
      expect(year.map((row: { v: number }) => row.v)).toEqual([36_537_000_000, 42_905_000_000])
    },
    minute,
  )

  test(
    'a server that is killed leaves nothing to repair: keys and counts are there after the next start',
    async () => {
      const made = await runCommand(
        dataDir,
        'keys',
        'create',
        '--email',
        'ben@fund.example',
        '--licence',
        'personal',
        '--json',
      )
      const { key } = JSON.parse(made.out)
      const first = await server.get(asOf2009, key)
      const left = Number(first.headers.get('x-ratelimit-remaining'))
      server.signal('SIGKILL')
      await server.exited
      server = await startServerProcess(dataDir)
      expect(server.said()).not.toContain('asf_live_')
      const second = await server.get(asOf2009, key)
      expect(second.status).toBe(200)
      const sameMinute = second.headers.get('x-ratelimit-reset') === first.headers.get('x-ratelimit-reset')
      if (sameMinute) expect(Number(second.headers.get('x-ratelimit-remaining'))).toBe(left - 1)
    },
    2 * minute,
  )

  test(
    'SIGTERM lets a request under way finish, then stops the database it started',
    async () => {
      const rows = Array.from({ length: 120_000 }, (_, row) => {
        const day = new Date(Date.UTC(2015, 0, 1 + Math.floor(row / 100))).toISOString().slice(0, 10)
        return {
          date: day,
          asset: `A${row % 100}`,
          score: Math.sin(row),
          forward_return: Math.cos(row * 7) / 100,
        }
      })
      const underWay = fetch(`${server.address}/api/v1/backtest`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${ownerKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ panel: rows, config: { returnDays: 1 } }),
      })
      await Bun.sleep(30)
      server.signal('SIGTERM')
      const answer = await underWay
      expect(answer.status).toBe(200)
      expect((await answer.json()).object).toBe('backtest_result')
      expect(await server.exited).toBe(0)
      expect(existsSync(pidFile)).toBe(false)
      server = await startServerProcess(dataDir)
    },
    2 * minute,
  )
})
