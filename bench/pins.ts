import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { importRegister } from '../src/ingest/import/importRegister.ts'
import { usRegister } from '../src/ingest/registers/us/register.ts'
import type { Sql } from '../src/postgres/client.ts'
import { versionedTables } from '../src/postgres/pins/pinQueries.ts'
import { scratchDatabase } from './scratchDatabase.ts'

/* Measures the cost of keeping earlier data versions: `bun bench/pins.ts [copies] [rounds] [days]`. Real companyfacts files
 * are imported as they were every few years, and finally in full, alternately into a database that keeps its versions and
 * into one whose triggers are off. */

const source = resolve(import.meta.dir, '../../shared/registers/us/companyfacts')
const copies = Number(process.argv[2] ?? 8)
const rounds = Number(process.argv[3] ?? 3)

interface Entry {
  readonly filed: string
}

interface CompanyFacts {
  facts: Record<string, Record<string, { units: Record<string, Entry[]> }>>
}

/** The same companyfacts, with only the facts that were filed before a day. */
function before(text: string, day: string): string {
  const file: CompanyFacts = JSON.parse(text)
  for (const taxonomy of Object.values(file.facts))
    for (const { units } of Object.values(taxonomy))
      for (const [unit, entries] of Object.entries(units))
        units[unit] = entries.filter(({ filed }) => filed < day)
  return JSON.stringify(file)
}

async function writeCorpus(folder: string, day: string): Promise<void> {
  for (const path of new Bun.Glob('*.json').scanSync({ cwd: source, absolute: true })) {
    const text = before(await Bun.file(path).text(), day)
    const label = Number(basename(path).slice(3, 13))
    for (let copy = 0; copy < copies; copy++) {
      const cik = String(5_000_000_000 + copy * 10_000_000 + (label % 10_000_000))
      await Bun.write(join(folder, `CIK${cik}.json`), text.replace(/"cik":\s*"?\d+"?/, `"cik":"${cik}"`))
    }
  }
}

async function forgetEverything(sql: Sql): Promise<void> {
  for (const table of versionedTables) {
    const triggers = await sql<{ name: string }[]>`
      select tgname as name from pg_trigger
      where tgrelid = ${table}::regclass and tgname ~ ${`^${table}_(begun|added|stamped|updated|deleted)$`}`
    for (const { name } of triggers) await sql`alter table ${sql(table)} disable trigger ${sql(name)}`
    if (table !== 'fact') await sql`alter table ${sql(table)} alter column since_version set default 0`
  }
}

async function timed(sql: Sql, folder: string): Promise<number> {
  const began = performance.now()
  await importRegister(sql, usRegister, { paths: [folder], observedOn: '2026-01-01' }, () => {})
  return (performance.now() - began) / 1000
}

async function sizes(sql: Sql) {
  const [{ fact, past, amended, filing }] = await sql<
    { fact: number; past: number; amended: number; filing: number }[]
  >`
    select pg_total_relation_size('fact')::float8 as fact,
      (select sum(pg_total_relation_size((name || '_past')::regclass))::float8
       from unnest(${[...versionedTables]}::text[]) name) as past,
      (select 4 * count(amended_version)::float8 from fact) as amended,
      (select 4 * count(*)::float8 from filing) as filing`
  const [{ rows, pastRows }] = await sql<{ rows: number; pastRows: number }[]>`
    select (select count(*)::int from fact) as rows, (select count(*)::int from fact_past) as "pastRows"`
  return { share: (past + amended + filing) / fact, rows, pastRows, factMb: fact / 1e6, pastMb: past / 1e6 }
}

if (!existsSync(source)) throw new Error('../shared is not on this machine')
const days = process.argv[4]?.split(',') ?? [
  '2013-01-01',
  '2017-01-01',
  '2020-01-01',
  '2023-01-01',
  '2024-07-01',
  '2099-01-01',
]
const folder = mkdtempSync(join(tmpdir(), 'asfiled-bench-pins-'))
const best: Record<string, number[]> = {
  remembers: days.map(() => Infinity),
  forgets: days.map(() => Infinity),
}
try {
  for (const day of days) await writeCorpus(join(folder, day), day)
  for (let round = 0; round < rounds; round++)
    for (const kind of round % 2 === 0 ? ['remembers', 'forgets'] : ['forgets', 'remembers'])
      await scratchDatabase(async sql => {
        if (kind === 'forgets') await forgetEverything(sql)
        for (const [i, day] of days.entries())
          best[kind][i] = Math.min(best[kind][i], await timed(sql, join(folder, day)))
        if (round === 0 && kind === 'remembers') console.log(await sizes(sql))
      })
  const total = (kind: string) => best[kind].reduce((sum, one) => sum + one, 0)
  console.log(best)
  console.log(`${((total('remembers') / total('forgets') - 1) * 100).toFixed(1)}% more time`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
