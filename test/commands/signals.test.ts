import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { addSignalsCommand } from '../../src/commands/signals.ts'
import { readConfig } from '../../src/config.ts'
import { type TestDatabase, testDatabase } from '../database.ts'

let db: TestDatabase
let folder: string
const printed: string[] = []
const spies = [spyOn(console, 'log'), spyOn(console, 'error')]

beforeAll(async () => {
  db = await testDatabase()
  folder = mkdtempSync(join(tmpdir(), 'asfiled-cli-'))
  for (const spy of spies) spy.mockImplementation((line: string) => void printed.push(line))
}, 60_000)
afterAll(async () => {
  for (const spy of spies) spy.mockRestore()
  rmSync(folder, { recursive: true, force: true })
  process.exitCode = 0
  await db.close()
}, 60_000)
beforeEach(() => {
  printed.length = 0
})

const header = 'date,ticker,market,horizon,predicted_pct,actual_pct'

async function run(...words: string[]): Promise<{ code: number; out: string }> {
  const program = new Command().exitOverride()
  addSignalsCommand(program, {
    config: readConfig({}),
    today: () => '2026-03-01',
    withDatabase: work => work(db.sql),
  })
  process.exitCode = 0
  await program.parseAsync(words, { from: 'user' })
  const code = Number(process.exitCode)
  process.exitCode = 0
  return { code, out: printed.join('\n') }
}

async function file(name: string, ...lines: string[]): Promise<string> {
  const path = join(folder, name)
  const text = Buffer.from(`${lines.join('\n')}\n`)
  await Bun.write(path, name.endsWith('.gz') ? Bun.gzipSync(text) : text)
  return path
}

describe('asfiled signals import', () => {
  test('exits 0 when all lines are in, a second time too, CSV or CSV.gz', async () => {
    const lines = [header, '2026-01-05,AAPL,US,1d,0.01,0.02', '2026-01-05,MSFT,US,1d,0.01,']
    const first = await run('signals', 'import', await file('a.csv', ...lines))
    expect(first.code).toBe(0)
    expect(first.out).toMatch(/^2 lines: 2 added, .* 0 refused; data version \d+\.$/)
    printed.length = 0
    const second = await run('signals', 'import', await file('a.csv.gz', ...lines))
    expect(second.code).toBe(0)
    expect(second.out).toContain('2 unchanged, 0 repeated, 0 refused; nothing changed.')
  })

  test('exits 1 when some lines were refused and names each with file and line', async () => {
    const path = await file(
      'b.csv',
      header,
      '2026-01-06,AAPL,US,1d,0.01,0.02',
      '2026-02-30,AAPL,US,1d,0.01,0.02',
    )
    const { code, out } = await run('signals', 'import', path)
    expect(code).toBe(1)
    expect(out).toContain(`${path}:3: date "2026-02-30": a day that exists is needed`)
  })

  test('exits 2 when nothing was imported: no file, no header, every line refused', async () => {
    expect(await run('signals', 'import', join(folder, 'absent.csv'))).toMatchObject({ code: 2 })
    expect(await run('signals', 'import', folder)).toMatchObject({ code: 2 })
    expect(await run('signals', 'import', await file('c.csv', 'a,b,c'))).toMatchObject({ code: 2 })
    const line = '2026-01-05,AAPL,US,1d,0.01,0.99'
    const twice = await file('f.csv', header, line, line)
    expect(await run('signals', 'import', twice)).toMatchObject({ code: 2 })
    const refused = await file('d.csv', header, line)
    expect(await run('signals', 'import', refused)).toMatchObject({ code: 2 })
    expect(printed.join('\n')).toContain('--correct replaces it and keeps both')
  })

  test('--correct changes a resolved row; --json prints the report as one object', async () => {
    const path = await file('e.csv', header, '2026-01-05,AAPL,US,1d,0.01,0.99')
    const { code, out } = await run('signals', 'import', path, '--correct', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ lines: 1, corrected: 1, refused: 0, faults: [] })
  })
})

test('asfiled signals sample writes the same bytes every time: resolved 1d and 7d rows', async () => {
  const lines = [
    '2026-01-06,B,US,7d,0.010,0.02',
    '2026-01-05,A,US,3d,0.01,0.02',
    '2026-01-05,A,US,1d,0.01,',
    '2026-01-05,A,US,7d,-0.0100,0.02',
  ]
  const targets = [join(folder, '1.csv.gz'), join(folder, '2.csv.gz')]
  await run('signals', 'sample', await file('s.csv', header, ...lines), targets[0])
  await run('signals', 'sample', await file('t.csv', header, ...lines.toReversed()), targets[1])
  const [one, two] = await Promise.all(targets.map(target => Bun.file(target).bytes()))
  expect(one).toEqual(two)
  expect(Buffer.from(Bun.gunzipSync(one)).toString()).toBe(
    `${header}\n2026-01-05,A,US,7d,-0.01,0.02\n2026-01-06,B,US,7d,0.01,0.02\n`,
  )
})
