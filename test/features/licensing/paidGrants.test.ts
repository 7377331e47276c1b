import { afterAll, describe, expect, test } from 'bun:test'
import { createKey } from '../../../src/access/keys.ts'
import { findKey } from '../../../src/access/queries.ts'
import { connect, type Sql } from '../../../src/postgres/client.ts'
import type { Licence } from '../../../src/rights/licences.ts'
import { runInProcess } from '../../commands/runInProcess.ts'
import { testDatabase } from '../../database.ts'
import { testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { signedIn } from '../account/browser.ts'

const database = await testDatabase()
const { sql } = database
const today = new Date().toISOString().slice(0, 10)
const admin = 'boss@operator.example'
const server = await testServer(sql, { today: () => today }, { ADMIN_EMAILS: admin })
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

const run = (line: string) =>
  runInProcess(line.split(' '), { today: () => today, withDatabase: work => work(sql) })

/** A key of the command line with a paid licence that runs until 2090. */
async function paidKey(licence: Licence = 'commercial') {
  const order = { licence, quant: true, environment: 'live', email: 'paid@firm.example' } as const
  const { key, prefix } = await createKey({ sql, today: () => today }, { ...order, expires: '2040-12-31' })
  const [{ id }] = await sql<{ id: number }[]>`select key_id as id from api_key where prefix = ${prefix}`
  const [{ grant }] = await sql<{ grant: number }[]>`
    select grant_id as grant from key_grant where key_id = ${id}`
  const standing = async () => {
    const [row] = await sql`
      select licence, quant, per_minute, per_day, entity_cap, bulk, expires_at from key_grant where key_id = ${id}
      order by (expires_at is null or expires_at > now()) desc, grant_id desc limit 1`
    return row
  }
  return { id, key, prefix, grant, standing }
}

const columns = 'key_id, licence, quant, per_minute, per_day, entity_cap, bulk, expires_at'

describe('a paid, running grant is never lowered', () => {
  const updates = [
    'per_minute = 999',
    'per_day = 1000000',
    'entity_cap = 1000000',
    'quant = false',
    "licence = 'personal'",
    "licence = 'free'",
    "expires_at = '2035-01-01'",
    'expires_at = now()',
    "starts_at = now() + interval '1 day'",
    'key_id = (select min(key_id) from api_key where root_key_id is null)',
  ]
  for (const change of updates)
    test(`by a statement: update ${change}`, async () => {
      await paidKey()
      const { grant, standing } = await paidKey()
      const before = await standing()
      await expect(
        sql.unsafe(`update key_grant set ${change} where grant_id = ${grant}`).execute(),
      ).rejects.toThrow('never lowered')
      expect(await standing()).toEqual(before)
    })

  const inserts = {
    'fewer requests a minute': "'commercial', true, 999, null, null, false, null",
    'a limit a day': "'commercial', true, 1000, 5000, null, false, null",
    'a cap of companies': "'commercial', true, 1000, null, 100, false, null",
    'no quant plan': "'commercial', false, 1000, null, null, false, null",
    'a lesser licence': "'personal', true, 1000, null, null, false, null",
    'a free licence': "'free', true, 1000, null, null, false, null",
  }
  for (const [what, values] of Object.entries(inserts))
    test(`by a statement: a later grant with ${what}, which authentication would use`, async () => {
      const { id, standing } = await paidKey()
      const before = await standing()
      const insert = sql.unsafe(`insert into key_grant (${columns}) values (${id}, ${values})`)
      await expect(insert.execute()).rejects.toThrow('never lowered')
      expect(await standing()).toEqual(before)
    })

  test('by a statement: delete, truncate, and another root of its key', async () => {
    const { id, grant } = await paidKey()
    const other = await paidKey()
    const owner = connect({ url: database.adminUrl, connections: 1, statementTimeoutMs: 10_000 })
    for (const client of [sql, owner] satisfies Sql[])
      for (const statement of [
        `delete from key_grant where grant_id = ${grant}`,
        'truncate key_grant cascade',
        `update api_key set root_key_id = ${other.id} where key_id = ${id}`,
      ])
        await expect(client.unsafe(statement).execute()).rejects.toThrow(/never (lowered|changes)/)
    await owner.end()
  })

  test('by a command', async () => {
    const { prefix, grant, standing } = await paidKey()
    const before = await standing()
    for (const line of [
      `grants make --key ${prefix} --licence personal`,
      `grants make --key ${prefix} --licence personal --quant`,
      `grants make --key ${prefix} --licence commercial`,
      `grants make --key ${prefix} --licence free --quant`,
      `grants make --key ${prefix} --licence oem --quant --per-minute 999`,
      `grants make --key ${prefix} --licence oem --quant --companies 5`,
    ])
      expect([line, await run(line)]).toEqual([
        line,
        { code: 1, out: '', error: expect.stringContaining('what was sold is never lowered') },
      ])
    const shorter = await run(`grants extend ${grant} --last 2039-01-01`)
    expect([shorter.code, shorter.error]).toEqual([
      2,
      expect.stringContaining('can only be moved to a later one'),
    ])
    expect(await standing()).toEqual(before)
  })

  test('by a page', async () => {
    const holder = await signedIn(server, 'holder@paid.example')
    await holder.post('/account/api-keys')
    const [{ prefix, account }] = await sql<{ prefix: string; account: number }[]>`
      select k.prefix, a.account_id as account from account.account a join account.held_key using (account_id)
      join api_key k using (key_id) where a.email = 'holder@paid.example'`
    expect(
      (await run(`grants make --key ${prefix} --licence commercial --quant --last 2040-12-31`)).code,
    ).toBe(0)
    const browser = await signedIn(server, admin)
    const [{ grant }] = await sql<{ grant: number }[]>`select max(grant_id) as grant from key_grant`
    const fields = { key: prefix, first: today, last: '', after: String(grant) }
    for (const terms of [
      { licence: 'personal', quant: 'yes' },
      { licence: 'commercial' },
      { licence: 'oem', quant: 'yes', 'per-minute': '10' },
    ]) {
      const answer = await browser.post(`/admin/accounts/${account}/grant`, { ...fields, ...terms })
      expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining('is never lowered')])
    }
    const shorter = await browser.post(`/admin/grants/${grant}/extend`, { last: '2039-01-01' })
    expect([shorter.status, await shorter.text()]).toEqual([400, expect.stringContaining('later one')])
    expect(await sql`select count(*)::int as n from key_grant where grant_id > ${grant}`).toMatchObject([
      { n: 0 },
    ])
  })

  test('by many at once: of a raise and a lesser grant at once the key ends with no less than either promised', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, prefix } = await paidKey('personal')
      await Promise.allSettled([
        sql
          .unsafe(
            `insert into key_grant (${columns}) values (${id}, 'commercial', true, 1000, null, null, false, null)`,
          )
          .execute(),
        sql
          .unsafe(
            `insert into key_grant (${columns}) values (${id}, 'personal', true, 300, null, null, false, null)`,
          )
          .execute(),
        sql
          .unsafe(
            `insert into key_grant (${columns}) values (${id}, 'commercial', true, 1500, null, null, false, null)`,
          )
          .execute(),
      ])
      const grants = await sql<{ minute: number }[]>`
        select per_minute as minute from key_grant where key_id = ${id} order by grant_id`
      const minutes = grants.map(({ minute }) => minute)
      expect([prefix, minutes]).toEqual([prefix, minutes.toSorted((a, b) => a - b)])
    }
  })
})

describe('what lowers nothing is granted', () => {
  test('more; the same for later days; less once the paid days are over; and free keys are as before', async () => {
    const { id, prefix, key } = await paidKey()
    const lines = [
      `grants make --key ${prefix} --licence personal --first ${today} --last ${today}`,
      `grants make --key ${prefix} --licence redistribution --quant`,
    ]
    expect((await run(lines[0])).code).toBe(1)
    expect((await run(lines[1])).code).toBe(0)
    const digest = new Uint8Array(new Bun.CryptoHasher('sha256').update(key).digest())
    expect(await findKey(sql, digest)).toMatchObject({
      keyId: id,
      licence: 'redistribution',
      perMinute: 3000,
      bulk: true,
    })
    const free = await createKey(
      { sql, today: () => today },
      { email: 'free@firm.example', licence: 'free', quant: false, environment: 'live' },
    )
    await sql`update key_grant set per_minute = 1 where key_id = (select key_id from api_key where prefix = ${free.prefix})`
  })

  test('a grant of a later day is not used before, and one that ends leaves the one below it', async () => {
    const { key, prefix } = await createKey(
      { sql, today: () => today },
      { email: 'base@firm.example', licence: 'free', quant: false, environment: 'live' },
    )
    const digest = new Uint8Array(new Bun.CryptoHasher('sha256').update(key).digest())
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    expect((await run(`grants make --key ${prefix} --licence commercial --first ${tomorrow}`)).code).toBe(0)
    expect(await findKey(sql, digest)).toMatchObject({ licence: 'free', perMinute: 120 })
    const [upcoming] = JSON.parse((await run('grants --json')).out).slice(-1)
    expect(upcoming).toMatchObject({ state: 'upcoming', starts: tomorrow })
    await sql`update key_grant set starts_at = now() - interval '1 hour' where grant_id = ${upcoming.grant}`
    expect(await findKey(sql, digest)).toMatchObject({ licence: 'commercial', perMinute: 1000 })
  })
})

test('a key whose grant ends is looked up anew at that instant: the next grant serves without a refusal', async () => {
  const order = { email: 'turn@firm.example', licence: 'free', quant: false, environment: 'live' } as const
  const { key, prefix } = await createKey({ sql, today: () => today }, order)
  await sql`
    insert into key_grant (key_id, licence, quant, per_minute, bulk, expires_at)
    select key_id, 'commercial', false, 1000, false, now() + interval '1.5 seconds' from api_key where prefix = ${prefix}`
  await Bun.sleep(100)
  const statuses = new Set<number>()
  const licences = new Set<string>()
  for (const end = performance.now() + 3_000; performance.now() < end; await Bun.sleep(60)) {
    const answer = await fetch(`${server.url}/api/v1/coverage/AAPL`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    statuses.add(answer.status)
    licences.add(answer.headers.get('ratelimit-policy') ?? '')
    await answer.text()
  }
  expect(nonEmpty(statuses).filter(status => status === 403)).toEqual([])
  expect([...licences]).toEqual(['"minute";q=1000;w=60', '"minute";q=120;w=60, "day";q=5000;w=86400'])
})
