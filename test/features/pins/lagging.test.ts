import { afterAll, beforeAll, expect, test } from 'bun:test'
import { advanceDataVersion, readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { callers, sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { testServer } from '../../http/testServer.ts'

let real: RealServer
let keys: Awaited<ReturnType<typeof callers>>

beforeAll(async () => {
  real = await realServer()
  keys = await callers(real.sql)
}, 180_000)
afterAll(() => real.stop(), 60_000)

test('a pinned answer never comes from what a server that has not yet seen an import rendered for the present', async () => {
  const { sql } = real
  const version = await readDataVersion(sql)
  const server = await testServer(sql, { dataVersion: () => version })
  const get = async (query: string) => {
    const headers = { Authorization: keys.redistribution ?? '' }
    const answer = await fetch(`${server.url}/api/v1/companies/AAPL?as_of=2010-06-30${query}`, { headers })
    return { status: answer.status, body: await answer.json() }
  }
  try {
    await sql.begin(async transaction => {
      await transaction`update fact set value = value * 2`
      await transaction`update filing set figures = figures + 1`
      await advanceDataVersion(transaction, { source: 'us', entities: 0, factsAdded: 0 })
    })
    const now = await get('')
    expect([now.status, now.body.data_version]).toEqual([200, version + 1])
    const pinned = await get(`&data_version=${version}`)
    expect([pinned.status, pinned.body.data_version]).toEqual([200, version])
  } finally {
    await server.stop()
  }
}, 180_000)

test('a panel scored by a server that has not yet seen an import has companies and figures of one version', async () => {
  const { sql } = real
  const version = await readDataVersion(sql)
  const server = await testServer(sql, { dataVersion: () => version })
  const key = await sellKey(sql, { licence: 'commercial', quant: true })
  const dates = ['2012-01-03', '2012-01-10', '2012-01-17']
  const panel = dates.flatMap((date, week) =>
    ['AAPL', 'MSFT', 'INTC'].map((asset, i) => ({
      date,
      asset,
      forward_return: (i - 1) * (week + 1) * 0.01,
    })),
  )
  const run = async () => {
    const answer = await fetch(`${server.url}/api/v1/backtest`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ panel, score: { asOf: 'roe' } }),
    })
    return answer.json()
  }
  try {
    expect((await run()).data_version).toBe(version)
    await sql.begin(async transaction => {
      await transaction`
        update entity_ticker t set entity_id = o.entity_id from entity_ticker o
        where (t.ticker, o.ticker) in (('AAPL', 'INTC'), ('INTC', 'AAPL'))`
      await advanceDataVersion(transaction, { source: 'us', entities: 0, factsAdded: 0 })
    })
    expect((await run()).data_version).toBe(version + 1)
  } finally {
    await server.stop()
  }
}, 180_000)
