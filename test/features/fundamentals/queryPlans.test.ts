import { afterAll, beforeAll, expect, test } from 'bun:test'
import { historyRows, latestRows } from '../../../src/features/fundamentals/queries.ts'
import { connect } from '../../../src/postgres/client.ts'
import type { TestDatabase } from '../../database.ts'
import { allYears, recentYear } from '../companies/fixtures.ts'
import { factReads, manyFacts } from '../companies/manyFacts.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await manyFacts()
}, 180_000)
afterAll(() => database.close(), 60_000)

test('one company is read through the index, also once its statements are prepared', async () => {
  const sql = connect({ url: database.url, connections: 1, statementTimeoutMs: 60_000 })
  const before = await factReads(sql)
  for (let entityId = 1; entityId <= 12; entityId++) {
    const scope = {
      entityId,
      asOf: '2018-06-30',
      vintage: 'all',
      metrics: null,
      from: null,
      fps: null,
      checks: null,
      fields: [],
      years: null,
      recentFiscalYearOnly: allYears,
    } as const
    expect((await latestRows(sql, scope)).rows.length).toBe(60)
    expect((await historyRows(sql, scope)).rows.length).toBe(180)
    expect((await latestRows(sql, { ...scope, recentFiscalYearOnly: recentYear })).rows.length).toBe(60)
    expect(
      (await historyRows(sql, { ...scope, metrics: ['metric_7'], from: '2016-01-01' })).rows.length,
    ).toBe(2)
  }
  const after = await factReads(sql)
  await sql.end()
  expect(after.scans).toBe(before.scans)
  expect(after.byIndex).toBeGreaterThan(before.byIndex)
})
