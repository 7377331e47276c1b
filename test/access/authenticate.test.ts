import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { authenticate, KeyCache } from '../../src/access/authenticate.ts'
import { createKey, revokeKey } from '../../src/access/keys.ts'
import { digestBytes, keyDigest, makeKeyText } from '../../src/access/keyText.ts'
import { findKey, findKeys, watchAccess } from '../../src/access/queries.ts'
import { SharedLookup } from '../../src/access/sharedLookup.ts'
import { takeHits } from '../../src/limits/queries.ts'
import { RateLimiter } from '../../src/limits/rateLimiter.ts'
import { recordEntities } from '../../src/rights/queries.ts'
import { rightsFor } from '../../src/rights/rights.ts'
import { testDatabase } from '../database.ts'

const database = await testDatabase()
const { sql } = database
afterAll(() => database.close(), 60_000)

let nowMs = Date.parse('2026-07-01T12:00:00Z')
let queries = 0
const keyCache = new KeyCache()
const rateLimiter = new RateLimiter({
  takeHits: hits => takeHits(sql, hits),
  elapsedMs: () => performance.now(),
  timeoutMs: 5_000,
})
const deps = {
  rightsOf: rightsFor({ flagshipTickers: [] }),
  findKey: (digest: Uint8Array) => {
    queries++
    return findKey(sql, digest)
  },
  suspectKeys: new SharedLookup({
    findAll: digests => {
      queries++
      return findKeys(sql, digests)
    },
    pauseMs: 20,
  }),
  keyCache,
  rateLimiter,
  epochMs: () => nowMs,
}
const unwatch = await watchAccess(sql, () => keyCache.invalidate())
afterAll(unwatch)

let address = ''
let caller = 0
beforeEach(() => {
  address = `192.0.2.${++caller}`
  queries = 0
})
const authenticateHeader = async (header: string | null, more: Record<string, string> = {}) =>
  authenticate(deps, new Headers(header === null ? more : { ...more, Authorization: header }), address)
const newKey = async (change: { expires?: string; licence?: 'personal' | 'evaluation' } = {}) => {
  const email = `k${++caller}@k${caller}.example`
  const terms = { licence: 'personal', quant: false, environment: 'live' } as const
  const key = await createKey({ sql, today: () => '2026-07-01' }, { email, ...terms, ...change })
  // Waits for the notification about the new key, which invalidates the cache.
  await Bun.sleep(50)
  return key
}

describe('authenticate', () => {
  test('accepts the demo key without a query, and counts its users by address', async () => {
    const demo = await authenticateHeader('Bearer demo')
    expect(demo.rights.licence).toBe('demo')
    expect(demo.subject).toBe(`demo:${address}`)
    expect(queries).toBe(0)
  })

  test('queries the database once for a key in use', async () => {
    const { key, prefix } = await newKey()
    for (let time = 0; time < 5; time++) expect((await authenticateHeader(`bearer ${key}`)).name).toBe(prefix)
    expect(queries).toBe(1)
  })

  test('distinguishes missing, malformed and unknown keys', async () => {
    await expect(authenticateHeader(null)).rejects.toMatchObject({ code: 'key_missing' })
    for (const header of ['', 'Bearer', 'Bearer a b', 'Basic ZGVtbw==', 'Bearer asf_live_x', 'Bearer Demo']) {
      await expect(authenticateHeader(header)).rejects.toMatchObject({ code: 'key_malformed' })
    }
    expect(queries).toBe(0)
    await expect(authenticateHeader(`Bearer ${makeKeyText('live')}`)).rejects.toMatchObject({
      code: 'key_unknown',
    })
  })

  test('says where a key belongs that was sent elsewhere', async () => {
    for (const name of ['X-API-Key', 'Api-Key']) {
      await expect(authenticateHeader(null, { [name]: makeKeyText('live') })).rejects.toMatchObject({
        code: 'key_missing',
        message: `The key was sent as ${name}, which is not supported. Send Authorization: Bearer <key>.`,
        details: { param: name },
      })
    }
    for (const [header, scheme] of [
      ['Basic ZGVtbzpkZW1v', 'Basic'],
      ['basic Og==', 'Basic'],
      ['Token abc', 'Token'],
    ]) {
      await expect(authenticateHeader(header)).rejects.toMatchObject({
        code: 'key_malformed',
        message: `The key was sent as ${scheme} authorization, which is not supported. Send Authorization: Bearer <key>.`,
      })
    }
    // Another scheme may be the key itself: it is not shown.
    const bare = makeKeyText('live')
    for (const header of [bare, `${bare} x`]) {
      const failure = await authenticateHeader(header).catch(error => error)
      expect(failure.message).toContain('must be "Bearer <key>"')
      expect(failure.message).not.toContain(bare)
    }
  })

  test('calls an unset variable an empty key, and says how to set it', async () => {
    const mend = 'Set the variable, export KEY=<key>, and use double quotes'
    for (const header of ['', 'Bearer', 'Bearer ', 'bearer   ']) {
      const { code, message } = await authenticateHeader(header).catch(failure => failure)
      expect([code, message]).toEqual([
        'key_malformed',
        expect.stringContaining('The key is empty: nothing was sent'),
      ])
      expect(message).toContain(mend)
    }
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what a shell did not replace
    for (const sent of ['$KEY', '${KEY}', '$env:KEY', '%KEY%', '<API_KEY>', '{{key}}', 'undefined', 'None']) {
      const { code, message } = await authenticateHeader(`Bearer ${sent}`).catch(failure => failure)
      expect([code, message]).toEqual([
        'key_malformed',
        expect.stringContaining(`The key is empty: ${sent} was sent in its place.`),
      ])
      expect(message).toContain(mend)
    }
    expect(queries).toBe(0)
  })

  test('refuses a revoked key at once on a server that has it in its cache', async () => {
    const { key, prefix } = await newKey()
    await authenticateHeader(`Bearer ${key}`)
    await revokeKey({ sql }, prefix.slice(0, 15))
    await Bun.sleep(100)
    await expect(authenticateHeader(`Bearer ${key}`)).rejects.toMatchObject({ code: 'key_revoked' })
  })

  test('notices a change within five seconds even if its notification is lost', async () => {
    const { key } = await newKey()
    await authenticateHeader(`Bearer ${key}`)
    nowMs += 5_001
    await authenticateHeader(`Bearer ${key}`)
    expect(queries).toBe(2)
  })

  test('does not cache the result of a query that a change overtook', async () => {
    const { key } = await newKey()
    const slow = authenticate(
      { ...deps, findKey: async digest => findKey(sql, digest).finally(() => keyCache.invalidate()) },
      new Headers({ Authorization: `Bearer ${key}` }),
      address,
    )
    await slow
    await authenticateHeader(`Bearer ${key}`)
    expect(queries).toBe(1)
  })

  test('accepts a key through its last day (UTC) and no longer', async () => {
    const { key } = await newKey({ expires: '2026-07-02' })
    nowMs = Date.parse('2026-07-02T23:59:59.999Z')
    expect((await authenticateHeader(`Bearer ${key}`)).rights.licence).toBe('personal')
    nowMs = Date.parse('2026-07-03T00:00:00Z')
    await expect(authenticateHeader(`Bearer ${key}`)).rejects.toMatchObject({
      code: 'key_expired',
      message: expect.stringContaining('valid until 2026-07-02 (UTC, inclusive)'),
    })
    nowMs = Date.parse('2026-07-01T12:00:00Z')
  })

  test('accepts a replaced key until its last millisecond and no longer', async () => {
    const { key } = await newKey()
    const caller = await authenticateHeader(`Bearer ${key}`)
    const cached = { caller, revoked: false, retiresAtMs: nowMs + 1_000, expiresAtMs: null }
    keyCache.store(keyDigest(key), cached, nowMs, keyCache.generation)
    nowMs += 999
    expect((await authenticateHeader(`Bearer ${key}`)).name).toBe(caller.name)
    nowMs += 1
    await expect(authenticateHeader(`Bearer ${key}`)).rejects.toMatchObject({
      code: 'key_revoked',
      message: expect.stringContaining('was replaced by rotation'),
    })
    nowMs -= 1_000
  })

  test('asks the database again at the instant in which a grant ends, since another may begin then', async () => {
    const { key } = await newKey()
    const caller = await authenticateHeader(`Bearer ${key}`)
    const cache = new KeyCache()
    const expiresAtMs = nowMs + 1_000
    cache.store('a', { caller, revoked: false, retiresAtMs: null, expiresAtMs }, nowMs, cache.generation)
    expect(cache.find('a', expiresAtMs - 1)?.caller).toBe(caller)
    expect(cache.find('a', expiresAtMs)).toBeNull()
  })

  test('a key in use does not wait with the guesses of its address', async () => {
    const { key } = await newKey()
    await authenticateHeader(`Bearer ${key}`)
    for (let guess = 0; guess < 31; guess++)
      await authenticateHeader(`Bearer ${makeKeyText('live')}`).catch(() => {})
    expect(rateLimiter.isRefused(`auth:${address}`, { perMinute: 30, perDay: null })).toBe(true)
    nowMs += 5_001
    const suspects: string[] = []
    const watched = {
      ...deps,
      suspectKeys: new SharedLookup({
        findAll: digests => {
          suspects.push(...digests)
          return findKeys(sql, digests)
        },
        pauseMs: 20,
      }),
    }
    await authenticate(watched, new Headers({ Authorization: `Bearer ${key}` }), address)
    expect(suspects).toEqual([])
    const unseen = await newKey()
    await authenticate(watched, new Headers({ Authorization: `Bearer ${unseen.key}` }), address)
    expect(suspects).toEqual([keyDigest(unseen.key)])
  })

  test('limits invalid keys by address, whose look-ups share few queries, and still accepts every valid key', async () => {
    const { key } = await newKey()
    await authenticateHeader(`Bearer ${key}`)
    for (let guess = 0; guess < 30; guess++) {
      await expect(authenticateHeader(`Bearer ${makeKeyText('live')}`)).rejects.toMatchObject({
        code: 'key_unknown',
      })
    }
    const wait = await authenticateHeader(`Bearer ${makeKeyText('live')}`).catch(failure => failure)
    expect(wait.code).toBe('rate_limited_minute')
    expect(wait.details.retryAfterSeconds).toBeGreaterThan(0)
    queries = 0
    const unseen = await newKey()
    const guesses = Array.from({ length: 3_000 }, () =>
      authenticateHeader(`Bearer ${makeKeyText('live')}`).catch(failure => failure.code),
    )
    const accepted = await authenticateHeader(`Bearer ${unseen.key}`)
    expect([accepted.name, accepted.rights.licence]).toEqual([unseen.prefix, 'personal'])
    expect(new Set(await Promise.all(guesses))).toEqual(new Set(['rate_limited_minute']))
    expect(queries).toBeLessThan(10)
    nowMs += 5_001
    expect((await authenticateHeader(`Bearer ${key}`)).rights.licence).toBe('personal')
  })

  test('the same query finds revoked and expired keys, and the grant that still runs', async () => {
    const [good, revoked, expired] = [await newKey(), await newKey(), await newKey({ expires: '2026-07-02' })]
    await revokeKey({ sql }, revoked.prefix)
    const digests = [good, revoked, expired].map(({ key }) => keyDigest(key))
    const found = await findKeys(sql, [...digests, keyDigest(makeKeyText('live'))])
    expect(found.size).toBe(3)
    for (const digest of digests)
      expect(found.get(digest) ?? null).toEqual(await findKey(sql, digestBytes(digest)))
  })

  test('uses a grant that still runs if there are several', async () => {
    const { key } = await newKey({ expires: '2026-07-02' })
    const stored = await findKey(sql, digestBytes(keyDigest(key)))
    await sql`
      insert into key_grant (key_id, licence, quant, per_minute, bulk) values (${stored?.keyId ?? 0}, 'commercial', true, 1000, false)`
    nowMs = Date.parse('2026-08-01T00:00:00Z')
    const { rights } = await authenticateHeader(`Bearer ${key}`)
    expect([rights.licence, rights.quant]).toEqual(['commercial', true])
    nowMs = Date.parse('2026-07-01T12:00:00Z')
  })
})

describe('revoking', () => {
  test('refuses a prefix that matches several keys or none, or is too short', async () => {
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

test('an entity cap holds under parallel requests, and entities seen before stay available', async () => {
  const { prefix } = await newKey({ licence: 'evaluation' })
  const [{ key_id }] = await sql<{ key_id: number }[]>`select key_id from api_key where prefix = ${prefix}`
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, id) => recordEntities(sql, key_id, [id], 10)),
  )
  expect(outcomes.filter(Boolean).length).toBe(10)
  const again = await Promise.all(outcomes.map((_, id) => recordEntities(sql, key_id, [id], 10)))
  expect(again).toEqual(outcomes)
})
