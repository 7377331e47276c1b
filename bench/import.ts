import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { deriveFacts } from '../src/facts/deriveFacts.ts'
import { importRegister } from '../src/ingest/import/importRegister.ts'
import { parseCompanyfacts } from '../src/ingest/registers/us/companyfacts.ts'
import { usRegister } from '../src/ingest/registers/us/register.ts'
import type { Sql } from '../src/postgres/client.ts'
import type { Figure } from './figure.ts'
import { scratchDatabase } from './scratchDatabase.ts'
import { table } from './table.ts'

const source = resolve(import.meta.dir, '../../shared/registers/us/companyfacts')
const naiveRows = 50_000

/** Imports real companyfacts files, each under many CIKs, into an empty database with all indexes. First proves parity: each
 * copy must have exactly the facts of its file imported alone. Returns no figures if this machine does not have the real
 * files. */
export async function benchImport({ short = false } = {}): Promise<Figure[]> {
  if (!existsSync(source)) {
    console.warn('import: skipped, ../shared is not on this machine')
    return []
  }
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-bench-import-'))
  try {
    const corpus = await writeCorpus(folder, short ? 8 : 40)
    return await scratchDatabase(async sql => {
      let peak = 0
      const began = performance.now()
      const { read, written } = await importRegister(
        sql,
        usRegister,
        { paths: [folder], observedOn: '2026-01-01' },
        () => {
          peak = Math.max(peak, process.memoryUsage.rss())
        },
      )
      const seconds = (performance.now() - began) / 1000
      await proveParity(sql, corpus.factsByFile)
      const stored = written.factsAdded + written.repeats
      const naive = await storeNaively(sql)
      const again = performance.now()
      await importRegister(sql, usRegister, { paths: [folder], observedOn: '2026-01-01' }, () => {})
      const figure = (name: string, value: number, unit: Figure['unit']): Figure => ({
        name: `import.${name}`,
        value,
        unit,
      })
      return [
        figure('figures_read', read.figuresRead / seconds, 'facts/s'),
        figure('statements_mapped', written.reportedFacts / seconds, 'facts/s'),
        figure('fact_rows_stored', written.factsAdded / seconds, 'rows/s'),
        figure('rows_stored', stored / seconds, 'rows/s'),
        figure('naive_ratio', stored / seconds / naive, 'times'),
        figure('second_run', (performance.now() - again) / 1000, 's'),
        figure('peak_memory', peak / 1e6, 'MB'),
      ]
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes copies of the real files, each under its own CIK. Returns the number of facts that each must give. */
async function writeCorpus(folder: string, copies: number) {
  const factsByFile: number[] = []
  for (const path of new Bun.Glob('*.json').scanSync({ cwd: source, absolute: true })) {
    const text = await Bun.file(path).text()
    const { reportedFacts } = parseCompanyfacts(JSON.parse(text))
    const { facts } = deriveFacts(reportedFacts, { rules: usRegister.rules, fiscalYearEnd: null })
    const label = Number(basename(path).slice(3, 13))
    for (let copy = 0; copy < copies; copy++) {
      const cik = String(5_000_000_000 + copy * 10_000_000 + (label % 10_000_000))
      await Bun.write(join(folder, `CIK${cik}.json`), text.replace(/"cik":\s*"?\d+"?/, `"cik":"${cik}"`))
      factsByFile.push(facts.length)
    }
  }
  return { factsByFile }
}

async function proveParity(sql: Sql, expected: readonly number[]): Promise<void> {
  const rows = await sql<{ count: number }[]>`select count(*)::int as count from fact group by entity_id`
  const ascending = (a: number, b: number) => a - b
  const found = rows.map(row => row.count).sort(ascending)
  if (found.join() !== [...expected].sort(ascending).join()) {
    throw new Error('an imported copy has other facts than its file gives alone')
  }
}

/** Rows per second of a naive importer: the same derived rows into the same table by INSERT, a thousand per statement. */
async function storeNaively(sql: Sql): Promise<number> {
  await sql`create table naive_fact (like fact including all)`
  const rows = await sql`select * from fact limit ${naiveRows}`
  const began = performance.now()
  for (let at = 0; at < rows.length; at += 1_000) {
    await sql`insert into naive_fact ${sql(rows.slice(at, at + 1_000))}`
  }
  return rows.length / ((performance.now() - began) / 1000)
}

if (import.meta.main) {
  const figures = await benchImport({ short: process.argv.includes('--short') })
  console.log(table(figures.map(figure => ({ ...figure, failed: false }))))
}
