import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { authenticate, KnownKeys } from '../../src/access/authenticate.ts'
import { createKey, revokeKey } from '../../src/access/keys.ts'
import { digestBytes, keyDigest, makeKeyText } from '../../src/access/keyText.ts'
import { findKey, recordEntities, watchAccess } from '../../src/access/queries.ts'
import { LimitGate } from '../../src/limits/gate.ts'
import { takeHits } from '../../src/limits/queries.ts'
import { testDatabase } from '../database.ts'

const database = await testDatabase()
const { sql } = database
afterAll(() => database.close(), 60_000)

let nowMs = Date.parse('2026-07-01T12:00:00Z')
let lookUps = 0
const known = new KnownKeys()
const gate = new LimitGate({
  takeHits: hits => takeHits(sql, hits),
  elapsedMs: () => performance.now(),
  timeoutMs: 5_000,
})
const deps = {
  findKey: (digest: Uint8Array) => {
    lookUps++
    return findKey(sql, digest)
  },
  known,
  gate,
  epochMs: () => nowMs,
}
const unwatch = await watchAccess(sql, () => known.forget())
afterAll(unwatch)

let address = ''
let caller = 0
beforeEach(() => {
  address = `192.0.2.${++caller}`
  lookUps = 0
})
const ask = async (header: string | null) => authenticate(deps, header, address)
const sell = async (change: { expires?: string; licence?: 'personal' | 'evaluation' } = {}) => {
  const email = `k${++caller}@k${caller}.example`
  const terms = { licence: 'personal', quant: false, environment: 'live' } as const
  const key = await createKey({ sql, today: () => '2026-07-01' }, { email, ...terms, ...change })
  // The news of the new key makes what is known stale once more.
  await Bun.sleep(50)
  return key
}

describe('authenticate', () => {
  test('knows the demo key without a look, and counts its users by address', async () => {
    const demo = await ask('Bearer demo')
    expect(demo.principal.licence).toBe('demo')
    expect(demo.subject).toBe(`demo:${address}`)
    expect(lookUps).toBe(0)
  })

  test('asks the database once for a key in use', async () => {
    const { key, prefix } = await sell()
    for (let time = 0; time < 5; time++) expect((await ask(`bearer ${key}`)).name).toBe(prefix)
    expect(lookUps).toBe(1)
  })

  test('tells a missing, a malformed and an unknown key apart', async () => {
    await expect(ask(null)).rejects.toMatchObject({ code: 'key_missing' })
    for (const header of ['', 'Bearer', 'Bearer a b', 'Basic ZGVtbw==', 'Bearer asf_live_x', 'Bearer Demo']) {
      await expect(ask(header)).rejects.toMatchObject({ code: 'key_malformed' })
    }
    expect(lookUps).toBe(0)
    await expect(ask(`Bearer ${makeKeyText('live')}`)).rejects.toMatchObject({ code: 'key_unknown' })
  })

  test('refuses a revoked key at once, on a server that had it in memory', async () => {
    const { key, prefix } = await sell()
    await ask(`Bearer ${key}`)
    await revokeKey({ sql }, prefix.slice(0, 15))
    await Bun.sleep(100)
    await expect(ask(`Bearer ${key}`)).rejects.toMatchObject({ code: 'key_revoked' })
  })

  test('hears of a change within five seconds even when the news is lost', async () => {
    const { key } = await sell()
    await ask(`Bearer ${key}`)
    nowMs += 5_001
    await ask(`Bearer ${key}`)
    expect(lookUps).toBe(2)
  })

  test('does not believe an answer that a change overtook', async () => {
    const { key } = await sell()
    const slow = authenticate(
      { ...deps, findKey: async digest => findKey(sql, digest).finally(() => known.forget()) },
      `Bearer ${key}`,
      address,
    )
    await slow
    await ask(`Bearer ${key}`)
    expect(lookUps).toBe(1)
  })

  test('lets a key work through its last day (UTC) and not a moment longer', async () => {
    const { key } = await sell({ expires: '2026-07-02' })
    nowMs = Date.parse('2026-07-02T23:59:59.999Z')
    expect((await ask(`Bearer ${key}`)).principal.licence).toBe('personal')
    nowMs = Date.parse('2026-07-03T00:00:00Z')
    await expect(ask(`Bearer ${key}`)).rejects.toMatchObject({ code: 'key_expired' })
    nowMs = Date.parse('2026-07-01T12:00:00Z')
  })

  test('limits wrong keys by address, without the database, and leaves good keys in use alone', async () => {
    const { key } = await sell()
    await ask(`Bearer ${key}`)
    for (let guess = 0; guess < 30; guess++) {
      await expect(ask(`Bearer ${makeKeyText('live')}`)).rejects.toMatchObject({ code: 'key_unknown' })
    }
    const wait = await ask(`Bearer ${makeKeyText('live')}`).catch(failure => failure)
    expect(wait.code).toBe('rate_limited_minute')
    expect(wait.details.retryAfterSeconds).toBeGreaterThan(0)
    lookUps = 0
    await expect(ask(`Bearer ${makeKeyText('live')}`)).rejects.toMatchObject({ code: 'rate_limited_minute' })
    expect(lookUps).toBe(0)
    nowMs += 5_001
    expect((await ask(`Bearer ${key}`)).principal.licence).toBe('personal')
  })

  test('prefers, of several grants, one that still runs', async () => {
    const { key } = await sell({ expires: '2026-07-02' })
    const stored = await findKey(sql, digestBytes(keyDigest(key)))
    await sql`
      insert into key_grant (key_id, licence, quant, per_minute, bulk) values (${stored?.keyId ?? 0}, 'commercial', true, 1000, false)`
    nowMs = Date.parse('2026-08-01T00:00:00Z')
    const { principal } = await ask(`Bearer ${key}`)
    expect([principal.licence, principal.quant]).toEqual(['commercial', true])
    nowMs = Date.parse('2026-07-01T12:00:00Z')
  })
})

describe('revoking', () => {
  test('refuses a prefix that names several keys, or none, or too little', async () => {
    await sql`update api_key set prefix = 'asf_test_same1' where key_id = (select min(key_id) from api_key)`
    await sql`update api_key set prefix = 'asf_test_same2' where key_id = (select max(key_id) from api_key)`
    await expect(revokeKey({ sql }, 'asf_test_same')).rejects.toMatchObject({ code: 'conflict' })
    const revoked =
      await sql`select 1 from api_key where prefix like 'asf_test_same%' and revoked_at is not null`
    expect(revoked.length).toBe(0)
    await expect(revokeKey({ sql }, 'asf_live_________')).rejects.toMatchObject({ code: 'key_unknown' })
    for (const prefix of ['', 'asf', 'asf_live_', '%', 'demo']) {
      await expect(revokeKey({ sql }, prefix)).rejects.toMatchObject({ code: 'parameter_invalid' })
    }
  })
})

test('an entity cap holds under parallel requests, and what was seen once stays open', async () => {
  const { prefix } = await sell({ licence: 'evaluation' })
  const [{ key_id }] = await sql<{ key_id: number }[]>`select key_id from api_key where prefix = ${prefix}`
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, id) => recordEntities(sql, key_id, [id], 10)),
  )
  expect(outcomes.filter(Boolean).length).toBe(10)
  const again = await Promise.all(outcomes.map((_, id) => recordEntities(sql, key_id, [id], 10)))
  expect(again).toEqual(outcomes)
})
