import { afterAll, describe, expect, test } from 'bun:test'
import { testDatabase } from '../database.ts'
import { runInProcess } from './runInProcess.ts'

const database = await testDatabase()
afterAll(() => database.close(), 60_000)

const run = (line: string) =>
  runInProcess(line.split(' '), { today: () => '2026-07-01', withDatabase: work => work(database.sql) })

/** The output of a command that succeeds. */
async function outputOf(line: string): Promise<string> {
  const { code, out, error } = await run(line)
  expect([line, code, error]).toEqual([line, 0, ''])
  return out
}

describe('asfiled keys', () => {
  test('an empty list shows how to make the first key', async () => {
    expect(await outputOf('keys list')).toContain('./asfiled keys create --email')
  })

  test('create prints the key once; list, grants and revoke name it by its prefix', async () => {
    const order = '--email ana@fund.example --licence commercial --quant --expires 2030-12-31'
    const out = await outputOf(`keys create ${order}`)
    const key = out.split('\n')[0]
    expect(key).toMatch(/^asf_live_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/)
    expect(out).toContain('commercial + quant key of ana@fund.example')
    expect(out).toContain('valid until 2030-12-31')
    expect(out).toContain(`./asfiled keys revoke ${key.slice(0, 17)}`)
    const list = await outputOf('keys list')
    expect(list).toContain(key.slice(0, 17))
    expect(list).not.toContain(key)
    const grants = JSON.parse(await outputOf('grants --json'))
    expect(grants[0]).toMatchObject({
      key: key.slice(0, 17),
      licence: 'commercial',
      quant: true,
      per_minute: 1000,
      per_day: null,
      state: 'running',
    })
    expect(await outputOf(`keys revoke ${key.slice(0, 14)}`)).toBe(
      `Revoked ${key.slice(0, 17)} of ana@fund.example.\n`,
    )
    expect(await outputOf(`keys revoke ${key.slice(0, 17)}`)).toContain('was already revoked')
    expect(JSON.parse(await outputOf('grants --json'))[0].state).toBe('revoked')
  })

  test('create --json prints one object with the key and its limits', async () => {
    const order = '--email o@oem.example --licence oem --per-minute 9000 --bulk --env test --json'
    const key = JSON.parse(await outputOf(`keys create ${order}`))
    expect(key.key).toStartWith('asf_test_')
    expect(key).toMatchObject({ licence: 'oem', per_minute: 9000, per_day: null, bulk: true, expires: null })
  })

  test('every command names the same last day of a key, which it is valid on', async () => {
    const order = '--email day@fund.example --licence personal --expires 2031-02-28'
    const { prefix, expires } = JSON.parse(await outputOf(`keys create ${order} --json`))
    expect(expires).toBe('2031-02-28')
    const listed = JSON.parse(await outputOf('keys list --json'))
    expect(listed.find((key: { prefix: string }) => key.prefix === prefix)).toMatchObject({ expires })
    expect(await outputOf('keys list')).toMatch(new RegExp(`^${prefix} .* 2031-02-28 .*day@fund`, 'm'))
    const grants = JSON.parse(await outputOf('grants --json'))
    expect(grants.find((grant: { key: string }) => grant.key === prefix)).toMatchObject({ expires })
    expect(await outputOf('grants')).toMatch(new RegExp(` ${prefix} .* 2031-02-28 .*day@fund`, 'm'))
    const [stored] = await database.sql`
      select expires_at = '2031-03-01T00:00:00Z' as is_midnight_after
      from key_grant join api_key using (key_id) where prefix = ${prefix}`
    expect(stored).toEqual({ is_midnight_after: true })
  })

  test('an evaluation names its thirtieth day', async () => {
    const out = await outputOf('keys create --email eva@evaluation.example --licence evaluation')
    expect(out).toContain('valid until 2026-07-31')
    expect(await outputOf('keys list')).toMatch(/ 2026-07-31 .*eva@evaluation\.example$/m)
  })

  test('invalid options are reported before anything is made', async () => {
    const { length } = JSON.parse(await outputOf('keys list --json'))
    const faults = {
      'keys create --email a@b.example --licence oem --per-minute -1': 'whole number',
      'keys create --email a@b.example --licence demo': 'Allowed choices',
      'keys create --email a@b.example --expires 2026-06-30': 'is in the past',
      'keys create --email a@b.example --expires 2031-02-29': 'is not a valid date',
      'keys create --email ana': 'is not an e-mail address',
    }
    for (const [line, message] of Object.entries(faults))
      expect([line, await run(line)]).toEqual([
        line,
        { code: 2, out: '', error: expect.stringContaining(message) },
      ])
    expect(JSON.parse(await outputOf('keys list --json'))).toHaveLength(length)
  })

  test('help shows examples that can be copied', async () => {
    expect(await outputOf('keys create --help')).toContain(
      './asfiled keys create --email ana@fund.example --licence personal',
    )
  })
})
