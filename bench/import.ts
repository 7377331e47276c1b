import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { deriveFacts } from '../src/facts/deriveFacts.ts'
import { importRegister } from '../src/ingest/import/importRegister.ts'
import { parseCompanyfacts } from '../src/ingest/registers/us/companyfacts.ts'
import { usRules } from '../src/ingest/registers/us/concepts.ts'
import { us } from '../src/ingest/registers/us/register.ts'
import type { Sql } from '../src/postgres/client.ts'
import type { Figure } from './figure.ts'
import { scratchDatabase } from './scratchDatabase.ts'
import { table } from './table.ts'

const source = resolve(import.meta.dir, '../../shared/registers/us/companyfacts')
const naiveRows = 50_000

/** Imports real companyfacts files, each under many CIKs, into an empty database of its own, indexes and all.
 * Parity first: each copy has exactly the facts that its file gives on its own. No figures where the real files
 * are not at hand. */
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
        us,
        { paths: [folder], pulledOn: '2026-01-01' },
        () => {
          peak = Math.max(peak, process.memoryUsage.rss())
        },
      )
      const seconds = (performance.now() - began) / 1000
      await proveParity(sql, corpus.factsByFile)
      const stored = written.factsAdded + written.repeats
      const naive = await storeNaively(sql)
      const again = performance.now()
      await importRegister(sql, us, { paths: [folder], pulledOn: '2026-01-01' }, () => {})
      const figure = (name: string, value: number, unit: Figure['unit']): Figure => ({
        name: `import.${name}`,
        value,
        unit,
      })
      return [
        figure('figures_read', read.figuresRead / seconds, 'facts/s'),
        figure('statements_mapped', written.statements / seconds, 'facts/s'),
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

/** Copies of the real files under CIKs of their own, and how many facts each must give. */
async function writeCorpus(folder: string, copies: number) {
  const factsByFile: number[] = []
  for (const path of new Bun.Glob('*.json').scanSync({ cwd: source, absolute: true })) {
    const text = await Bun.file(path).text()
    const { statements } = parseCompanyfacts(JSON.parse(text))
    const { facts } = deriveFacts(statements, { rules: usRules, fiscalYearEnd: null })
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
    throw new Error('an imported copy has other facts than its file gives on its own')
  }
}

/** Rows a second when the same rows, already derived, go to a table of the same make by INSERT, a thousand at a
 * time: what most importers do. */
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
