import { createKey, type KeyOrder } from '../../src/access/keys.ts'
import { makeKeyText } from '../../src/access/keyText.ts'
import type { Sql } from '../../src/postgres/client.ts'

/** Every way to come with a key, or without one. */
export const callerNames = [
  'keyless',
  'basic',
  'malformed',
  'mistyped',
  'unknown',
  'revoked',
  'expired',
  'demo',
  'free',
  'evaluation',
  'personal',
  'commercial',
  'redistribution',
  'oem',
  'quant',
] as const
export type CallerName = (typeof callerNames)[number]

let sold = 0

export async function sellKey(sql: Sql, change: Partial<KeyOrder> = {}): Promise<string> {
  const email = `someone@company${++sold}.example`
  const order = { email, licence: 'personal', quant: false, environment: 'live', ...change } as const
  return (await createKey({ sql, today: () => '2020-01-01' }, order)).key
}

/** The Authorization header of each; null: none. */
export async function callers(sql: Sql): Promise<Record<CallerName, string | null>> {
  const bearer = async (change: Partial<KeyOrder>) => `Bearer ${await sellKey(sql, change)}`
  const revoked = await sellKey(sql)
  await sql`update api_key set revoked_at = now() where prefix = ${revoked.slice(0, 17)}`
  const good = await sellKey(sql)
  return {
    keyless: null,
    basic: 'Basic ZGVtbzpkZW1v',
    malformed: 'Bearer asf_live_short',
    mistyped: `Bearer ${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`,
    unknown: `Bearer ${makeKeyText('live')}`,
    revoked: `Bearer ${revoked}`,
    expired: await bearer({ expires: '2020-01-02' }),
    demo: 'Bearer demo',
    free: await bearer({ licence: 'free' }),
    evaluation: await bearer({ licence: 'evaluation', expires: '2099-01-01' }),
    personal: `Bearer ${good}`,
    commercial: await bearer({ licence: 'commercial' }),
    redistribution: await bearer({ licence: 'redistribution' }),
    oem: await bearer({ licence: 'oem' }),
    quant: await bearer({ quant: true }),
  }
}
