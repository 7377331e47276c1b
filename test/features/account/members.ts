import { createKey, type KeyOrder } from '../../../src/access/keys.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import type { TestServer } from '../../http/testServer.ts'
import { signedIn, type TestBrowser } from './browser.ts'

/** A person with an account and a key. */
export interface Member {
  readonly email: string
  readonly browser: TestBrowser
  readonly key: string
  readonly keyId: number
  /** As readers of pages send it. */
  readonly cookie: string
}

let people = 0

/** Signs a new person in. */
export async function newMember(
  server: Pick<TestServer, 'url' | 'terminal'>,
): Promise<Pick<Member, 'email' | 'browser' | 'cookie'>> {
  const email = `member${++people}@house${people}.example`
  const browser = await signedIn(server, email)
  return { email, browser, cookie: cookieOf(browser) }
}

export const cookieOf = ({ cookies }: TestBrowser): string =>
  [...cookies].map(pair => pair.join('=')).join('; ')

/** Gives an account a key, as the operator does. */
export async function giveKey(
  sql: Sql,
  email: string,
  change: Partial<KeyOrder> = {},
): Promise<{ key: string; keyId: number }> {
  const order = { email, licence: 'personal', quant: false, environment: 'live', ...change } as const
  const { key } = await createKey({ sql, today: () => '2020-01-01' }, order)
  const [{ keyId }] = await sql<{ keyId: number }[]>`
    insert into account.held_key (key_id, account_id, name)
    select key_id, (select account_id from account.account where email = ${email}), 'Granted'
    from api_key where prefix = ${key.slice(0, 17)} returning key_id as "keyId"`
  return { key, keyId }
}

/** A person whose account has a key of a licence. Its limits of requests are lifted: they have tests of their own. */
export async function memberWith(
  server: Pick<TestServer, 'url' | 'terminal'>,
  sql: Sql,
  change: Partial<KeyOrder> = {},
): Promise<Member> {
  const member = await newMember(server)
  const given = await giveKey(sql, member.email, change)
  await sql`update key_grant set per_minute = 100000, per_day = null where key_id = ${given.keyId}`
  return { ...member, ...given }
}

/** Ends the grants of a key, as time does: no statement may end a paid one. */
export async function endGrants(sql: Sql, keyId: number): Promise<void> {
  await sql.begin(async transaction => {
    await transaction`alter table key_grant disable trigger key_grant_paid`
    await transaction`update key_grant set expires_at = now() where key_id = ${keyId}`
    await transaction`alter table key_grant enable trigger key_grant_paid`
  })
}

/** An evaluation that runs. */
export const evaluation = { licence: 'evaluation', expires: '2099-01-01' } as const
