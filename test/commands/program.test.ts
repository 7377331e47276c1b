import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { makeContext } from '../../src/commands/context.ts'
import { makeProgram } from '../../src/commands/program.ts'
import { readConfig } from '../../src/config.ts'
import { blankDatabase } from '../database.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { runInProcess } from './runInProcess.ts'

setDefaultTimeout(180_000)

const root = resolve(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-program-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const program = makeProgram({
  config: readConfig({}),
  now: () => new Date('2026-07-01T12:00:00Z'),
  today: () => '2026-07-01',
  withDatabase: () => Promise.reject(new Error('not needed')),
})

function* commandsBelow(command: Command, path: readonly string[] = []): Generator<[string[], Command]> {
  for (const child of command.commands) {
    const own = [...path, child.name()]
    yield [own, child]
    yield* commandsBelow(child, own)
  }
}

// A process of its own, with a test of its own.
const all = [...commandsBelow(program)].filter(([path]) => path[0] !== 'bench-data')
const groups = all.filter(([, command]) => command.commands.length > 0)
/** Command groups that print their list when called without a command. */
const listing = ['grants', 'requests', 'accounts']

describe('wrong usage ends every command with exit code 2', () => {
  test('an unknown option, everywhere', async () => {
    expect(all.length).toBeGreaterThan(25)
    for (const [path] of all) {
      const run = await runInProcess([...path, '--nonsense'])
      expect([path, run]).toEqual([
        path,
        {
          code: 2,
          out: '',
          error: expect.stringMatching(/^asfiled: (?:unknown|required) option '.*\n\(Add --help/),
        },
      ])
    }
  })

  test('an unknown command, and none', async () => {
    for (const [path] of [[[]], ...groups] as const) {
      expect(await runInProcess([...path, 'nonsense'])).toMatchObject({ code: 2, out: '' })
      if (listing.includes(path.join(' '))) continue
      expect(await runInProcess(path)).toMatchObject({
        code: 2,
        out: '',
        error: expect.stringContaining('Usage: ./asfiled'),
      })
    }
  })

  test('a missing argument or option, and a value that is not allowed', async () => {
    const faults: [string, string][] = [
      ['import us', "missing required argument 'path'"],
      [
        'import nz x.json --pulled soon',
        "'--pulled <date>' argument 'soon' is invalid. Write a date as YYYY-MM-DD",
      ],
      ['import nz x.json --pulled 2026-07-02', '--pulled 2026-07-02 is in the future'],
      ['sync us --since 2999-01-01', '--since 2999-01-01 is in the future'],
      ['signals import', "missing required argument 'file'"],
      ['signals import /none/such.csv', '/none/such.csv'],
      ['keys create', "required option '--email <address>' not specified"],
      ['keys create --email a@b.example --licence gold', 'Allowed choices are free, evaluation'],
      ['keys create --email a@b.example --per-day 0', 'A whole number from 1'],
      ['keys revoke', "missing required argument 'prefix'"],
      ['data sample', 'at least one register'],
      ['migrate now', 'too many arguments'],
    ]
    for (const [line, message] of faults) {
      const run = await runInProcess(line.split(' '))
      expect([line, run]).toEqual([line, { code: 2, out: '', error: expect.stringContaining(message) }])
    }
  })
})

test('help and the version end with 0', async () => {
  for (const [path] of nonEmpty(all)) {
    const run = await runInProcess([...path, '--help'])
    expect([path, run.code, run.error]).toEqual([path, 0, ''])
  }
  expect(await runInProcess(['--version'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  })
})

test('help names ./asfiled wherever it shows a command, and starts descriptions with a capital', async () => {
  for (const [path, command] of [[[], program] as const, ...all]) {
    const { out } = await runInProcess([...path, '--help'])
    expect(out).toStartWith(`Usage: ./asfiled${path.map(word => ` ${word}`).join('')}`)
    expect(
      out.match(
        /^ {2}asfiled .*|[^./\w`]asfiled (?:serve|import|sync|keys|signals|backtest|worker|grants|data)\b.*/gm,
      ),
    ).toBeNull()
    const described = [
      command.description(),
      ...command.options.map(option => option.description),
      ...command.registeredArguments.map(argument => argument.description),
    ]
    for (const text of described) expect(text).toMatch(/^[A-Z]/)
    // The files that `import` accepts.
    for (const [, text] of nonEmpty(out.matchAll(/^ {2}\S.*? {2,}(\S.*)$/gm))) expect(text).toMatch(/^[A-Z<]/)
  }
})

describe('the database of a command', () => {
  test('is never created by a command that only uses one: it says where it looked', async () => {
    const dataDir = join(folder, 'none')
    const context = makeContext(readConfig({ DATA_DIR: dataDir, SEC_CONTACT: 'Ana ana@fund.example' }))
    const rows = join(folder, 'rows.csv')
    writeFileSync(rows, 'date,ticker,market,horizon,predicted_pct,actual_pct\n')
    for (const line of [
      'keys list',
      'keys create --email ana@fund.example',
      'keys revoke asf_live_4fT9aB2x',
      'grants',
      `import us ${rows}`,
      `signals import ${rows}`,
      'sync us',
    ])
      expect([line, await runInProcess(line.split(' '), context)]).toEqual([
        line,
        {
          code: 1,
          out: '',
          error: `asfiled: DATA_DIR=${dataDir} contains no database. Start the server first, or set DATABASE_URL.\n`,
        },
      ])
    expect(existsSync(dataDir)).toBe(false)
  })

  test('is migrated if DATABASE_URL names an empty one, and is named without user and password', async () => {
    const server = await blankDatabase()
    try {
      const url = new URL(server.url)
      const context = makeContext(readConfig({ DATABASE_URL: url.href }))
      const named = `Database: PostgreSQL at ${url.host}${url.pathname} (DATABASE_URL)\n`
      expect(await runInProcess(['keys', 'list'], context)).toEqual({
        code: 0,
        out: expect.stringContaining('No keys yet'),
        error: expect.stringMatching(/^Migrated the database \(\d+ steps\)\.\n/),
      })
      expect((await runInProcess(['grants'], context)).error).toBe(named)
    } finally {
      await server.close()
    }
  })
})

describe('./asfiled', () => {
  test('runs from any folder, with its own settings, and adds no line to a command that fails', async () => {
    const dataDir = join(folder, 'none')
    writeFileSync(join(folder, '.env'), 'DATABASE_URL=nonsense\nPORT=none\n')
    // The first call in a new clone checks the dependencies.
    expect(
      await Bun.spawn([join(root, 'asfiled'), '--help'], { stdio: ['ignore', 'ignore', 'ignore'] }).exited,
    ).toBe(0)
    for (const words of [['keys', 'list'], ['worker']]) {
      const run = Bun.spawn([join(root, 'asfiled'), ...words], {
        cwd: folder,
        env: { ...process.env, DATABASE_URL: '', DATA_DIR: dataDir },
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      })
      expect(await new Response(run.stderr).text()).toBe(
        `asfiled: DATA_DIR=${dataDir} contains no database. Start the server first, or set DATABASE_URL.\n`,
      )
      expect(await run.exited).toBe(1)
    }
    expect(existsSync(dataDir)).toBe(false)
  })

  test('a result that cannot be written is a failure', async () => {
    if (!existsSync('/dev/full')) return
    for (const words of [
      ['backtest', join(root, 'test/commands/fixtures/panel.csv')],
      ['backtest', join(root, 'test/commands/fixtures/panel.csv'), '--json', '-'],
    ]) {
      const run = Bun.spawn([join(root, 'asfiled'), ...words], {
        stdin: 'ignore',
        stdout: openSync('/dev/full', 'w'),
        stderr: 'pipe',
      })
      expect([words, await run.exited]).toEqual([words, 1])
      expect(await new Response(run.stderr).text()).toContain('Standard output could not be written')
    }
  })
})
