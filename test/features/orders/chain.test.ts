import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { recordDigest } from '../../../src/features/orders/chain.ts'
import { listOrders } from '../../../src/features/orders/orderQueries.ts'
import { connect } from '../../../src/postgres/client.ts'
import { runInProcess } from '../../commands/runInProcess.ts'
import { testDatabase } from '../../database.ts'
import { testServer } from '../../http/testServer.ts'
import { operator, signedBrowser } from './signing.ts'

const database = await testDatabase()
const { sql } = database
const server = await testServer(sql, {}, operator)
/** A superuser, who can switch triggers off. */
const superuser = connect({ url: database.adminUrl, connections: 1, statementTimeoutMs: 10_000 })
afterAll(async () => {
  await server.stop()
  await superuser.end()
  await database.close()
}, 180_000)

for (let i = 1; i <= 5; i++) await signedBrowser(server, `ana@company${i}.example`)
await superuser`create schema saved`
for (const table of ['signed_order', 'order_chain', 'audit'])
  await superuser.unsafe(`create table saved.${table} as select * from account.${table}`)

const run = (...words: string[]) => runInProcess(words, { withDatabase: work => work(sql) })

/** Runs a statement as someone who has switched the triggers off. */
async function tamper(statement: string): Promise<void> {
  await superuser.begin(async transaction => {
    await transaction`set local session_replication_role = replica`
    await transaction.unsafe(statement)
  })
}

async function verify(...words: string[]): Promise<string[]> {
  const { code, out } = await run('orders', 'verify', ...words)
  const lines = out.trim().split('\n')
  expect([lines, code]).toEqual([lines, /nothing changed/.test(out) ? 0 : 1])
  return lines
}

beforeEach(async () => {
  for (const table of ['signed_order', 'order_chain', 'audit'])
    await tamper(
      `delete from account.${table}; insert into account.${table} overriding system value select * from saved.${table}`,
    )
})

describe('orders verify', () => {
  test('says that nothing changed, and names the end of the chain', async () => {
    const [last] = await listOrders(sql, null, 1)
    expect(await verify()).toEqual([`5 orders, nothing changed. The last one is 5, sha256 ${last.digest}`])
    expect(await verify('--contains', last.digest.toUpperCase())).toHaveLength(1)
    expect(await verify('--contains', 'ab'.repeat(32))).toEqual([
      `No order has the SHA-256 ${'ab'.repeat(32)}.`,
    ])
  })

  test('names the order whose document was changed, by a single byte', async () => {
    await tamper(`update account.signed_order set document = set_byte(document, 100, 65) where order_id = 3`)
    expect(await verify()).toEqual(['Order 3: its document is not the one that was signed.'])
    await tamper(`update account.signed_order set document_sha256 = sha256(document) where order_id = 3`)
    expect(await verify()).toEqual(['Order 3: its fields are not those that were signed.'])
  })

  test('names the order of which any field was changed', async () => {
    const columns = await sql<{ name: string; type: string }[]>`
      select column_name as name, data_type as type from information_schema.columns
      where table_schema = 'account' and table_name = 'signed_order' and column_name not in ('order_id', 'document')`
    expect(columns.length).toBe(22)
    for (const { name, type } of columns) {
      const changed =
        type === 'text'
          ? `${name} || ' '`
          : type === 'bytea'
            ? `set_byte(${name}, 0, (get_byte(${name}, 0) + 1) % 256)`
            : type === 'timestamp with time zone'
              ? `${name} + interval '1 microsecond'`
              : `${name} + 1`
      await tamper(`update account.signed_order set ${name} = ${changed} where order_id = 2`)
      expect([name, (await verify())[0]]).toEqual([name, expect.stringMatching(/^Order 2: /)])
      await tamper(
        `delete from account.signed_order; insert into account.signed_order select * from saved.signed_order`,
      )
    }
    expect(await verify()).toHaveLength(1)
  })

  test('names orders that were removed, at the start, within, and at the end', async () => {
    const cases: [string, string[]][] = [
      ['order_id = 1', ['Order 1 is missing.']],
      ['order_id in (2, 3)', ['Orders 2 to 3 are missing.']],
      ['order_id = 5', ['Order 5 is missing.']],
      ['true', ['Orders 1 to 5 are missing.']],
    ]
    for (const [which, said] of cases) {
      await tamper(`delete from account.signed_order where ${which}`)
      expect([which, await verify()]).toEqual([which, said])
      await tamper(
        `delete from account.signed_order; insert into account.signed_order select * from saved.signed_order`,
      )
    }
  })

  test('misses the last order also where the recorded end was set back: the audit log has its line', async () => {
    await tamper(`
      delete from account.signed_order where order_id = 5;
      update account.order_chain set order_id = 4, digest = (select digest from account.signed_order where order_id = 4)`)
    expect(await verify()).toEqual(['Order 5 is missing.'])
    await tamper(`delete from account.order_chain`)
    expect(await verify()).toContain('The chain is recorded to end with order 0, and there are later ones.')
  })

  test('names the next order where one was replaced by another with a right digest of its own', async () => {
    const [, order] = (await listOrders(sql, null, 5)).toReversed()
    const digest = recordDigest({ ...order, company: 'Another Ltd' })
    await tamper(
      `update account.signed_order set company = 'Another Ltd', digest = decode('${digest}', 'hex') where order_id = 2`,
    )
    expect(await verify()).toEqual([
      'Order 2: the audit log has another digest.',
      'Order 3: it does not follow order 2 as that one is now.',
    ])
  })

  test('finds a whole new chain by the audit log, and by a SHA-256 that was noted elsewhere', async () => {
    const orders = (await listOrders(sql, null, 5)).toReversed()
    const noted = orders[2].digest
    let previous = orders[0].digest
    for (const order of orders.slice(1)) {
      const digest = recordDigest({ ...order, company: 'New Ltd', previous })
      await tamper(`
        update account.signed_order set company = 'New Ltd', previous = decode('${previous}', 'hex'), digest = decode('${digest}', 'hex')
        where order_id = ${order.orderId};
        update account.order_chain set digest = decode('${digest}', 'hex')`)
      previous = digest
    }
    expect(await verify()).toEqual([2, 3, 4, 5].map(id => `Order ${id}: the audit log has another digest.`))
    // The log takes more lines: those of the new chain do not replace the first ones.
    await sql`
      insert into account.audit (actor, act, about, detail, address)
      select 'operator', 'order_signed', 'order ' || order_id, encode(digest, 'hex'), '' from account.signed_order`
    expect(await verify()).toEqual([
      ...[2, 3, 4, 5].map(id => `Order ${id}: the audit log has two digests of it.`),
      ...[2, 3, 4, 5].map(id => `Order ${id}: the audit log has another digest.`),
    ])
    await tamper(`
      update account.audit set detail = (select encode(digest, 'hex') from account.signed_order where 'order ' || order_id = about)
      where act = 'order_signed'`)
    expect((await verify())[0]).toContain('nothing changed')
    expect(await verify('--contains', noted)).toEqual([`No order has the SHA-256 ${noted}.`])
  })
})

test('signed orders and their chain refuse every change, to the owner and the superuser', async () => {
  for (const client of [sql, superuser])
    for (const statement of [
      `update account.signed_order set company = 'x'`,
      `delete from account.signed_order`,
      `truncate account.signed_order`,
      `delete from account.order_chain`,
      `truncate account.order_chain`,
      `insert into account.order_chain values (false, 1, sha256('x'))`,
      `update account.order_chain set order_id = 4`,
      `update account.order_chain set digest = sha256('x')`,
    ])
      await expect(client.unsafe(statement)).rejects.toMatchObject({ code: '42501' })
  expect(await verify()).toHaveLength(1)
})

test('orders list and show have every order, its proof and its document byte for byte', async () => {
  const { out } = await run('orders', 'list')
  for (let i = 1; i <= 5; i++) expect(out).toContain(`ana@company${i}.example`)
  const orders = JSON.parse((await run('orders', 'list', '--json')).out)
  expect(orders.map(({ orderId }: { orderId: number }) => orderId)).toEqual([5, 4, 3, 2, 1])
  const shown = (await run('orders', 'show', '3')).out
  for (const word of [
    'Ana Álvarez, Head of Research',
    'Fund <任天堂> Ltd',
    orders[2].digest,
    orders[2].documentSha256,
    orders[3].digest,
  ])
    expect(shown).toContain(word)
  expect(await run('orders', 'show', '99')).toMatchObject({
    code: 1,
    error: expect.stringContaining('no order 99'),
  })
})
