import { afterAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { Command } from 'commander'
import { addGrantsCommand } from '../../src/commands/grants.ts'
import { addKeysCommand } from '../../src/commands/keys.ts'
import { readConfig } from '../../src/config.ts'
import { testDatabase } from '../database.ts'

const database = await testDatabase()
afterAll(() => database.close(), 60_000)

const printed: string[] = []
const log = spyOn(console, 'log').mockImplementation((line: string) => {
  printed.push(line)
})
afterAll(() => log.mockRestore())
beforeEach(() => {
  printed.length = 0
})

async function run(...words: string[]): Promise<string> {
  const program = new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: text => printed.push(text) })
  const context = {
    config: readConfig({}),
    today: () => '2026-07-01',
    withDatabase: <T>(work: (sql: typeof database.sql) => Promise<T>) => work(database.sql),
  }
  addKeysCommand(program, context)
  addGrantsCommand(program, context)
  for (const command of program.commands.flatMap(group => group.commands)) command.exitOverride()
  await program.parseAsync(words, { from: 'user' })
  return printed.join('\n')
}

describe('asfiled keys', () => {
  test('an empty list shows how to make the first key', async () => {
    expect(await run('keys', 'list')).toContain('asfiled keys create --email')
  })

  test('create prints the key once; list, grants and revoke name it by its prefix', async () => {
    const out = await run(
      'keys',
      'create',
      '--email',
      'ana@fund.example',
      '--licence',
      'commercial',
      '--quant',
      '--expires',
      '2030-12-31',
    )
    const key = out.split('\n')[0]
    expect(key).toMatch(/^asf_live_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/)
    expect(out).toContain('commercial + quant key of ana@fund.example')
    expect(out).toContain('works until 2030-12-31')
    printed.length = 0
    const list = await run('keys', 'list')
    expect(list).toContain(key.slice(0, 17))
    expect(list).not.toContain(key)
    printed.length = 0
    const grants = JSON.parse(await run('grants', '--json'))
    expect(grants[0]).toMatchObject({
      key: key.slice(0, 17),
      licence: 'commercial',
      quant: true,
      per_minute: 1000,
      per_day: null,
      state: 'running',
    })
    printed.length = 0
    expect(await run('keys', 'revoke', key.slice(0, 14))).toBe(
      `Revoked ${key.slice(0, 17)} of ana@fund.example.`,
    )
    printed.length = 0
    expect(await run('keys', 'revoke', key.slice(0, 17))).toContain('was already revoked')
    printed.length = 0
    expect(JSON.parse(await run('grants', '--json'))[0].state).toBe('revoked')
  })

  test('create --json prints one object with the key and its limits', async () => {
    const key = JSON.parse(
      await run(
        'keys',
        'create',
        '--email',
        'o@oem.example',
        '--licence',
        'oem',
        '--per-minute',
        '9000',
        '--bulk',
        '--env',
        'test',
        '--json',
      ),
    )
    expect(key.key).toStartWith('asf_test_')
    expect(key).toMatchObject({ licence: 'oem', per_minute: 9000, per_day: null, bulk: true, expires: null })
  })

  test('invalid options are reported before anything is made', async () => {
    await expect(run('keys', 'create')).rejects.toThrow('--email')
    await expect(run('keys', 'create', '--email', 'a@b.example', '--licence', 'gold')).rejects.toThrow(
      'Allowed choices are free, evaluation',
    )
    await expect(
      run('keys', 'create', '--email', 'a@b.example', '--licence', 'oem', '--per-minute', '-1'),
    ).rejects.toThrow('whole number')
    await expect(run('keys', 'create', '--email', 'a@b.example', '--licence', 'demo')).rejects.toThrow()
  })

  test('help shows examples that can be copied', async () => {
    await run('keys', 'create', '--help').catch(() => {})
    expect(printed.join('\n')).toContain('asfiled keys create --email ana@fund.example --licence personal')
  })
})
