import { afterAll, beforeAll, expect, test } from 'bun:test'
import { vintageBytes } from '../../../src/backtest/asOf/packedVintages.ts'
import { findListed, readVintages } from '../../../src/features/asOfJoins/queries.ts'
import { connect } from '../../../src/postgres/client.ts'
import type { TestDatabase } from '../../database.ts'
import { factReads, manyFacts } from '../companies/manyFacts.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await manyFacts()
}, 180_000)
afterAll(() => database.close(), 60_000)

test('the scores of a market are read through the index, also once their statement is prepared', async () => {
  await database.sql`
    insert into entity (entity_id, market, issuer_id, ticker) overriding system value
    select i, 'US', i::text, 'T' || i from generate_series(1, 400) i`
  await database.sql`insert into entity_ticker (ticker, entity_id) select ticker, entity_id from entity`
  await database.sql`analyze entity, entity_ticker`
  const sql = connect({ url: database.url, connections: 1, statementTimeoutMs: 60_000 })
  const before = await factReads(sql)
  const names = Array.from({ length: 400 }, (_, i) => `T${i + 1}`).join('\n')
  for (let metric = 1; metric <= 8; metric++) {
    expect((await findListed(sql, names, 'US')).length).toBe(400)
    for (const fp of ['FY', 'Q', 'TTM', 'latest'] as const) {
      const rows = await readVintages(sql, { metric: `metric_${metric}`, fp, firstEntity: 0 })
      expect(rows.length / vintageBytes).toBe(fp === 'Q' ? 0 : 2_000)
    }
  }
  const after = await factReads(sql)
  await sql.end()
  expect(after.scans).toBe(before.scans)
})
