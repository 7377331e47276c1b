import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDataVersion } from '../../src/postgres/dataVersion.ts'
import { testDatabase } from '../database.ts'
import { insertEntity } from '../features/companies/fixtures.ts'
import { sellKey } from '../http/callers.ts'
import { runInProcess } from './runInProcess.ts'

setDefaultTimeout(180_000)

const database = await testDatabase()
const { sql } = database
const folder = mkdtempSync(join(tmpdir(), 'asfiled-prices-'))
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await database.close()
})
await insertEntity(sql, { market: 'US', issuerId: '0000320193', ticker: 'AAPL', name: 'Apple Inc.' })

const run = (...words: string[]) => runInProcess(words, { withDatabase: work => work(sql) })

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

test('a set is imported, listed, shown, opened and removed', async () => {
  const path = file(
    'prices.csv',
    'date,symbol,close\n2024-01-02,AAPL,185.64\n2024-01-03,AAPL,184.25\n2024-01-03,NOSUCH,1\n',
  )
  const unstated = await run('prices', 'import', path)
  expect([unstated.code, unstated.error]).toEqual([
    2,
    'asfiled: There is no price set prices yet. Its first import states its currency, for example --currency USD, and what its closes are: --raw, --adjusted splits or --adjusted total.\n',
  ])
  const unresolved = join(folder, 'unresolved.csv')
  const first = await run('prices', 'import', path, '--currency', 'usd', '--raw', '--unresolved', unresolved)
  expect(first.code).toBe(0)
  expect(first.out).toBe(
    '3 rows of 1 company into prices: 3 stored, 0 unchanged, 1 of unknown symbols (stored, not served yet), 2 of symbols that today’s company is only assumed to have had then; data version 1.\n',
  )
  expect(first.error).toContain(
    'NOSUCH: 1 row from 2024-01-03 to 2024-01-03 without a company: NOSUCH is not the ID of a company on record.',
  )
  expect(first.error).toContain('known from 2026-07-01, the day of this import')
  expect(readFileSync(unresolved, 'utf8')).toContain('NOSUCH,,1,2024-01-03,2024-01-03,')
  const packed = file('prices.csv.gz', Bun.gzipSync(readFileSync(path)))
  const again = await run('prices', 'import', packed, '--json')
  expect(JSON.parse(again.out)).toMatchObject({
    stored: 0,
    unchanged: 3,
    data_version: null,
    unresolved_symbols: 1,
  })
  const listed = JSON.parse((await run('prices', 'list', '--json')).out)
  expect(listed).toMatchObject([
    {
      name: 'prices',
      currency: 'USD',
      basis: 'raw',
      access: 'private',
      companies: 1,
      unresolved: 1,
      prices: 3,
      first: '2024-01-02',
      last: '2024-01-03',
    },
  ])
  expect((await run('prices', 'list')).out).toContain('named keys')
  const shown = JSON.parse((await run('prices', 'show', 'prices', '--json')).out)
  expect(shown.securities).toMatchObject([
    { id: null, symbols: ['NOSUCH'] },
    { id: 'AAPL', symbols: ['AAPL'], prices: 2 },
  ])
  expect((await run('prices', 'show', 'prices')).out).toContain('as traded (raw)')
  const key = await sellKey(sql)
  expect((await run('prices', 'rights', 'prices')).out).toBe('prices is shown to nobody but the operator.\n')
  const opened = await run(
    'prices',
    'rights',
    'prices',
    '--licence',
    'personal',
    '--allow',
    'Ana@fund.example',
    '--allow',
    key.slice(0, 17),
  )
  expect(opened.out).toBe(
    `prices is shown to the licences personal and Ana@fund.example, ${key.slice(0, 17)}.\n`.replace(
      'Ana',
      'ana',
    ),
  )
  const closed = await run(
    'prices',
    'rights',
    'prices',
    '--private',
    '--deny',
    'ana@fund.example',
    '--deny',
    key.slice(0, 17),
  )
  expect(closed.out).toBe('prices is shown to nobody but the operator.\n')
  expect((await run('prices', 'rights', 'prices', '--allow', 'asf_nothing')).code).toBe(2)
  expect((await run('prices', 'rights', 'prices', '--licence', 'gold')).code).toBe(2)
  const before = await readDataVersion(sql)
  expect((await run('prices', 'remove', 'prices')).out).toBe('prices is removed.\n')
  expect(await readDataVersion(sql)).toBe(before + 1)
  expect((await run('prices', 'remove', 'prices')).code).toBe(2)
  expect((await run('prices', 'show', 'prices')).code).toBe(2)
})

test('faulty lines are named, and wrong options explained', async () => {
  const path = file('faults.csv', 'date,symbol,close\n2024-01-02,AAPL,x\n2024-01-03,AAPL,1\n')
  const report = await run(
    'prices',
    'import',
    path,
    '--set',
    'faults',
    '--currency',
    'USD',
    '--adjusted',
    'splits',
    '--known',
    'date',
  )
  expect(report.code).toBe(1)
  expect(report.error).toContain(
    `${path}:2: close is "x", but must be a price above 0, or empty if the day has no close.\n`,
  )
  expect(report.out).toContain('1 stored, 0 unchanged, 1 refused')
  for (const wrong of [
    ['--raw', '--adjusted', 'splits'],
    ['--adjusted'],
    ['--known', 'yesterday'],
    ['--currency', 'dollars'],
    ['--set', 'UPPER'],
  ])
    expect([wrong, (await run('prices', 'import', path, ...wrong)).code]).toEqual([wrong, 2])
})

test('symbols without a company are written as CSV that no spreadsheet runs', async () => {
  const path = file('odd.csv', 'date,symbol,close\n2024-01-03,=1+1,1\n2024-01-03,"A""B",1\n')
  const unresolved = join(folder, 'odd-unresolved.csv')
  const { code } = await run(
    ...['prices', 'import', path, '--set', 'odd', '--currency', 'USD', '--raw', '--unresolved', unresolved],
  )
  expect(code).toBe(0)
  const lines = readFileSync(unresolved, 'utf8').split('\r\n')
  expect(lines[0]).toBe('symbol,market,rows,from,to,reason')
  expect(lines.slice(1, 3).map(line => line.split(',')[0])).toEqual(["'=1+1", '"A""B"'])
  expect((await run('prices', 'remove', 'odd')).code).toBe(0)
})
