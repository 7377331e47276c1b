import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestDatabase, testDatabase } from '../database.ts'
import { runInProcess } from './runInProcess.ts'

let db: TestDatabase
let folder: string

beforeAll(async () => {
  db = await testDatabase()
  folder = mkdtempSync(join(tmpdir(), 'asfiled-cli-'))
}, 180_000)
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await db.close()
}, 180_000)

const header = 'date,ticker,market,horizon,predicted_pct,actual_pct'

const run = (...words: string[]) =>
  runInProcess(words, { today: () => '2026-03-01', withDatabase: work => work(db.sql) })

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
    expect(first.out).toMatch(/^2 lines: 2 added, .* 0 refused; data version \d+\.\n$/)
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
    const { code, error } = await run('signals', 'import', path)
    expect(code).toBe(1)
    expect(error).toContain(`${path}:3: date is "2026-02-30", but must be a valid date`)
  })

  test('exits 2 without a file, and 1 when nothing of it was imported: no header, every line refused', async () => {
    expect(await run('signals', 'import', join(folder, 'absent.csv'))).toMatchObject({ code: 2 })
    expect(await run('signals', 'import', folder)).toMatchObject({ code: 2 })
    expect(await run('signals', 'import', await file('c.csv', 'a,b,c'))).toMatchObject({ code: 1 })
    const line = '2026-01-05,AAPL,US,1d,0.01,0.99'
    const twice = await file('f.csv', header, line, line)
    expect(await run('signals', 'import', twice)).toMatchObject({ code: 1 })
    const refused = await run('signals', 'import', await file('d.csv', header, line))
    expect(refused).toMatchObject({
      code: 1,
      error: expect.stringContaining('--correct replaces it and keeps both'),
    })
  })

  test('reads a pipe, and says of a folder that it is one', async () => {
    const pipe = join(folder, 'pipe')
    await Bun.$`mkfifo ${pipe}`
    const writing = Bun.spawn([
      'sh',
      '-c',
      `printf '%s\n' ${header} 2026-01-07,AAPL,US,1d,0.01,0.02 > ${pipe}`,
    ])
    expect((await run('signals', 'import', pipe)).out).toContain('1 lines: 1 added')
    await writing.exited
    expect((await run('signals', 'import', folder)).error).toContain('is a folder')
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
  const nowhere = join(folder, 'no', '3.csv.gz')
  const refused = await run('signals', 'sample', join(folder, 's.csv'), nowhere)
  expect(refused).toMatchObject({ code: 2, error: expect.stringContaining('there is no folder') })
  const [one, two] = await Promise.all(targets.map(target => Bun.file(target).bytes()))
  expect(one).toEqual(two)
  expect(Buffer.from(Bun.gunzipSync(one)).toString()).toBe(
    `${header}\n2026-01-05,A,US,7d,-0.01,0.02\n2026-01-06,B,US,7d,0.01,0.02\n`,
  )
})
