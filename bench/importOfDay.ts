import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isoDate } from '../src/dates.ts'
import { registerOf } from '../src/ingest/allRegisters.ts'
import { importFacts } from '../src/ingest/import/importFacts.ts'
import { makeEntity } from './data/makeEntity.ts'
import { marketSizes } from './data/marketSizes.ts'
import type { Figure } from './figure.ts'
import { writeDayOfFilings } from './scale/dayOfFilings.ts'
import { scratchDatabase } from './scratchDatabase.ts'
import { table } from './table.ts'

/** The import of a day: `asfiled import us` of filings of 500 among 1,000 American companies, of which each restates
 * two figures. The companies have ready answers and hundreds of rows each, which decide the time. */

const root = resolve(import.meta.dir, '..')
const companies = 1_000
const filing = 500
const renamed = 50
const days = 5

export async function benchImportOfDay(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-bench-day-'))
  try {
    return await scratchDatabase(async (sql, url) => {
      const [size] = marketSizes
      const parsed = Array.from({ length: companies }, (_, number) => makeEntity(size, number, 1))
      await importFacts(sql, [{ parsed }], { source: 'us', rules: registerOf(size.market).rules })
      await sql`vacuum analyze`
      const [{ rows }] = await sql<{ rows: number }[]>`select count(*)::int as rows from fact`
      console.log(`import of a day: ${filing} of ${companies} companies, ${rows / companies} rows a company`)
      const measured: { readonly seconds: number; readonly processorSeconds: number }[] = []
      const clock = Math.floor(Date.now() / 86_400_000)
      for (let day = 1; day <= days; day++) {
        const today = isoDate(clock - days + day)
        const { paths } = await writeDayOfFilings(sql, {
          folder: join(folder, today),
          today,
          maxCompanies: filing,
          renamed,
          day,
        })
        measured.push(await importDay(url, paths))
      }
      const ofAll = (field: keyof (typeof measured)[number]) => {
        const values = measured.map(one => (one[field] / filing) * 1_000).sort((a, b) => a - b)
        const spread = `${values[0].toFixed(1)} .. ${values[values.length - 1].toFixed(1)}`
        return { value: values[Math.floor(values.length / 2)], spread, unit: 'ms' as const }
      }
      return [
        { name: 'import.day_a_company', ...ofAll('seconds') },
        { name: 'import.day_a_company_processor', ...ofAll('processorSeconds') },
      ]
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The time that the import itself reports, and the processor time of its process. */
async function importDay(url: string, paths: readonly string[]) {
  const child = Bun.spawn(['bun', 'src/cli.ts', 'import', 'us', '--json', ...paths], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: url },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(`asfiled import failed: ${errors.slice(-500)}`)
  const { seconds, facts_added: added } = JSON.parse(output)
  if (added < 2 * filing) throw new Error(`${added} figures were added, which is too few`)
  return { seconds, processorSeconds: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000 }
}

if (import.meta.main) {
  const figures = await benchImportOfDay()
  console.log(table(figures.map(figure => ({ ...figure, failed: false }))))
}
