import { afterAll, expect, test } from 'bun:test'
import { isEvaluationUsed } from '../../src/access/evaluationQueries.ts'
import { listGrants } from '../../src/access/queries.ts'
import { rotateHeldKey } from '../../src/features/account/keyQueries.ts'
import { lockGrant } from '../../src/features/licensing/grantQueries.ts'
import { connect } from '../../src/postgres/client.ts'
import { testDatabase } from '../database.ts'

const database = await testDatabase()
// One connection, whose counts of rows that were read are written when it is told to.
const sql = connect({ url: database.url, connections: 1, statementTimeoutMs: 60_000 })
afterAll(async () => {
  await sql.end()
  await database.close()
}, 180_000)

const keys = 5_000

async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  const total = async () => {
    await sql`select pg_stat_force_next_flush()`
    const [{ rows }] = await sql<{ rows: number }[]>`
      select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_user_tables
      where relname in ('api_key', 'key_grant')`
    return rows
  }
  const before = await total()
  await work()
  return (await total()) - before
}

test('what is done with the keys of one account reads those alone, however many others there are', async () => {
  await sql`
    insert into account.account (email, domain) select n || '@many.example', 'many.example' from generate_series(1, ${keys}::int) n`
  await sql`
    insert into api_key (digest, prefix, last_four, email)
    select sha256(n::text::bytea), 'asf_live_' || lpad(n::text, 8, '0'), 'abcd', n || '@many.example'
    from generate_series(1, ${keys}::int) n`
  await sql`insert into account.held_key (key_id, account_id, name) select key_id, key_id, 'Key' from api_key`
  await sql`
    insert into key_grant (key_id, licence, quant, per_minute, bulk)
    select key_id, 'personal', false, 300, false from api_key`
  await sql`update api_key set revoked_at = now() where key_id = 2`
  await sql`analyze`
  const digest = crypto.getRandomValues(new Uint8Array(32))
  const key = { digest, prefix: 'asf_live_nextnext', lastFour: 'abcd', email: '1@many.example' }
  const actor = { email: key.email, accountId: 1, address: '' }
  const works = {
    rotate: () => rotateHeldKey(sql, actor, { keyId: 1, key, overlapHours: 24 }),
    list: () => listGrants(sql, [1, 2]),
    lock: () => sql.begin(transaction => lockGrant(transaction, 2)),
    evaluation: () => isEvaluationUsed(sql, 'fund.example'),
  }
  for (const [name, work] of Object.entries(works))
    expect([name, (await rowsRead(work)) < 100]).toEqual([name, true])
  expect((await listGrants(sql, [1, 2])).map(grant => [grant.key, grant.state])).toEqual([
    ['asf_live_nextnext', 'running'],
    ['asf_live_00000002', 'revoked'],
  ])
})
