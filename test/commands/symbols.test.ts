import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDatabase } from '../database.ts'
import { zipped } from '../zipped.ts'
import { runInProcess } from './runInProcess.ts'

setDefaultTimeout(180_000)

const database = await testDatabase()
const folder = mkdtempSync(join(tmpdir(), 'asfiled-lists-'))
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await database.close()
})

const run = (...words: string[]) =>
  runInProcess(words, { today: () => '2026-07-01', withDatabase: work => work(database.sql) })

/** Writes a list and returns its path. */
function list(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, content)
  return path
}

const meta = '20120518,fb,Q\n20220608,fb,Q\n20501231,meta,Q\n'

test('symbols import takes CSV, a folder and a zip of map files, and names what it refuses', async () => {
  const table = list(
    'symbols.csv',
    'symbol,id,from,to\nFB,1326801,2012-05-18,2022-06-08\nFB,1326801,nonsense,\n',
  )
  list('maps/twx.csv', '20030918,twx,N\n20180614,twx,N\n')
  const zip = list('maps.zip', zipped([{ name: 'map_files/meta.csv', content: Buffer.from(meta) }]))
  const first = await run('symbols', 'import', table, join(folder, 'maps'), zip)
  expect([first.code, first.error]).toEqual([
    1,
    `${table}:3: from is "NONSENSE", but must be a day as YYYY-MM-DD.\n`,
  ])
  expect(first.out).toBe(
    '3 files, 4 spells: 4 added, 0 with a new end, 0 unchanged, 1 refused; data version 1. The companies of 2 map files are not identified, so their symbols find no company on their days.\n',
  )
  const again = await run('symbols', 'import', '--json', join(folder, 'maps'), zip)
  expect(JSON.parse(again.out)).toEqual({
    files: 2,
    spells: 3,
    added: 0,
    extended: 0,
    removed: 0,
    unidentified: 2,
    faults: [],
    data_version: null,
  })
  expect(again.code).toBe(0)
  const replaced = await run('symbols', 'import', '--replace', zip)
  expect(replaced.out).toContain('4 removed, 2 added')
  const rows = await database.sql`select symbol, holder, to_day from symbol_spell order by from_day`
  expect(rows.map(row => ({ ...row }))).toEqual([
    { symbol: 'FB', holder: 'META', to_day: '2022-06-08' },
    { symbol: 'META', holder: 'META', to_day: null },
  ])
})

test('symbols import reports a damaged zip and a file of another kind, and a path that does not exist is wrong usage', async () => {
  const zip = list('broken.zip', 'PK no zip')
  const other = list('other.csv', 'a,b\n1,2\n')
  const { code, error } = await run('symbols', 'import', zip, other)
  expect(code).toBe(1)
  expect(error).toContain(`${zip}: The zip cannot be read`)
  expect(error).toContain(
    `${other}: The first line is neither a header of this list nor a line of a map file.`,
  )
  await expect(run('symbols', 'import', join(folder, 'nowhere.csv'))).resolves.toMatchObject({ code: 2 })
})

test('successors import takes CSV, once', async () => {
  const path = list(
    'successors.csv',
    'predecessor,successor,from,document\nCIK0000034088,2115436,2026-07-01,\n',
  )
  const first = await run('successors', 'import', path)
  expect([first.code, first.out]).toEqual([
    0,
    '1 file, 1 succession: 1 added or changed, 0 unchanged, 0 refused; data version 3.\n',
  ])
  expect((await run('successors', 'import', path)).out).toContain(
    '0 added or changed, 1 unchanged, 0 refused; nothing changed.',
  )
})
