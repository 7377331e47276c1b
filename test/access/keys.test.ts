import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { createKey, type KeyOrder } from '../../src/access/keys.ts'
import { checkKeyText, digestBytes, keyDigest, makeKeyText } from '../../src/access/keyText.ts'
import { listGrants, listKeys } from '../../src/access/queries.ts'
import { testDatabase } from '../database.ts'

const database = await testDatabase()
const { sql } = database
afterAll(() => database.close(), 60_000)

const deps = { sql, today: () => '2026-07-01' }
const order = (change: Partial<KeyOrder>) => ({
  email: 'ana@fund.example',
  licence: 'personal' as const,
  quant: false,
  environment: 'live' as const,
  ...change,
})

describe('a key', () => {
  test('is asf_live_, 32 characters and a checksum, which detects every single mistyped character', async () => {
    const { key } = await createKey(deps, order({}))
    expect(key).toMatch(/^asf_live_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/)
    expect(() => checkKeyText(key)).not.toThrow()
    for (let place = 9; place < key.length; place++) {
      if (key[place] === '_') continue
      const wrong = key.slice(0, place) + (key[place] === 'a' ? 'b' : 'a') + key.slice(place + 1)
      expect(() => checkKeyText(wrong)).toThrow('checksum')
    }
  })

  test('has each character equally likely: bytes beyond the last multiple of 62 are drawn again', () => {
    const draws = [248, 255, 61]
    const drawn = spyOn(crypto, 'getRandomValues').mockImplementation(bytes => {
      if (bytes instanceof Uint8Array) bytes.fill(draws.shift() ?? 0)
      return bytes
    })
    const text = makeKeyText('live')
    drawn.mockRestore()
    expect(text).toStartWith(`asf_live_${'z'.repeat(32)}_`)
  })

  test('is stored only as its SHA-256, its prefix and its last four characters', async () => {
    const { key } = await createKey(deps, order({ email: 'stored@fund.example' }))
    const [row] = await sql`select digest, prefix, last_four from api_key where email = 'stored@fund.example'`
    expect(Buffer.from(row.digest)).toEqual(Buffer.from(digestBytes(keyDigest(key))))
    expect(key.startsWith(row.prefix)).toBe(true)
    expect(row.prefix.length).toBe(17)
    expect(row.last_four).toBe(key.slice(-4))
    const dump = JSON.stringify([await sql`select * from api_key`, await sql`select * from key_grant`])
    expect(dump).not.toContain(key.slice(17, 41))
    expect(JSON.stringify(await listKeys(sql))).not.toContain(key.slice(17, 41))
  })
})

describe('a licence has the limits of decisions section 3', () => {
  const table: [KeyOrder['licence'], boolean, number, number | null, number | null, boolean][] = [
    ['free', false, 120, 5_000, null, false],
    ['evaluation', false, 120, 2_000, 1_000, false],
    ['personal', false, 300, null, null, false],
    ['commercial', false, 1_000, null, null, false],
    ['redistribution', false, 3_000, null, null, true],
    ['oem', false, 3_000, null, null, false],
    ['free', true, 300, null, null, false],
    ['personal', true, 300, null, null, false],
    ['commercial', true, 1_000, null, null, false],
  ]
  for (const [licence, quant, perMinute, perDay, cap, bulk] of table) {
    test(`${licence}${quant ? ' + quant' : ''}`, async () => {
      const key = await createKey(deps, order({ licence, quant, email: `x@${licence}${quant}.example` }))
      expect([key.per_minute, key.per_day, key.entity_cap, key.bulk]).toEqual([perMinute, perDay, cap, bulk])
    })
  }

  test('only an OEM order form can have its own limits', async () => {
    const key = await createKey(deps, order({ licence: 'oem', perMinute: 10_000, perDay: 9, bulk: true }))
    expect([key.per_minute, key.per_day, key.bulk]).toEqual([10_000, 9, true])
    await expect(createKey(deps, order({ perMinute: 10_000 }))).rejects.toThrow('OEM order form')
  })

  test('an existing grant does not change with the table of limits', async () => {
    await createKey(deps, order({ email: 'old@fund.example' }))
    await sql`update key_grant set per_minute = 4000 where key_id = (select key_id from api_key where email = 'old@fund.example')`
    const grant = (await listGrants(sql)).find(row => row.email === 'old@fund.example')
    expect(grant?.per_minute).toBe(4_000)
  })
})

describe('an evaluation', () => {
  test('runs 30 days, once per e-mail domain, also for simultaneous orders', async () => {
    const orders = ['a', 'b', 'c'].map(name =>
      createKey(deps, order({ licence: 'evaluation', email: `${name}@Once.example` })),
    )
    const outcomes = await Promise.allSettled(orders)
    const created = outcomes.filter(outcome => outcome.status === 'fulfilled')
    expect(created.length).toBe(1)
    expect(created[0].value.expires).toBe('2026-07-31')
    const left = await sql`select 1 from api_key where email like '%@Once.example'`
    expect(left.length).toBe(1)
    await expect(
      createKey(deps, order({ licence: 'evaluation', email: 'd@once.example' })),
    ).rejects.toMatchObject({ code: 'conflict' })
  })

  test('is refused for free-mail addresses, with a hint at the free key', async () => {
    for (const email of [
      'a@gmail.com',
      'a@yahoo.co.uk',
      'a@Hotmail.FR',
      'a@mail.proton.me',
      'a@outlook.com',
    ]) {
      await expect(createKey(deps, order({ licence: 'evaluation', email }))).rejects.toThrow('--licence free')
    }
    await expect(
      createKey(deps, order({ licence: 'evaluation', email: 'a@outlookfunds.com' })),
    ).resolves.toBeDefined()
  })
})

test('refuses invalid orders', async () => {
  for (const change of [
    { email: 'ana' },
    { email: 'a b@fund.example' },
    { email: 'a@localhost' },
    { expires: '2024-02-30' },
    { expires: '2026-06-30' },
    { licence: 'demo' as const },
  ]) {
    await expect(createKey(deps, order(change))).rejects.toMatchObject({ code: 'parameter_invalid' })
  }
})
