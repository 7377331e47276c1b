import { loadSignalsSample } from '../src/features/signals/import/sample.ts'
import { planSignals } from '../src/features/signals/plan.ts'
import type { SignalList } from '../src/features/signals/schema.ts'
import { openSignals } from '../src/features/signals/stream.ts'
import type { Sql } from '../src/postgres/client.ts'
import { Rights } from '../src/rights/rights.ts'
import { testCursors } from '../test/cursors.ts'
import type { Figure } from './figure.ts'
import { scratchDatabase } from './scratchDatabase.ts'
import { table } from './table.ts'

const rows = 50_000
const quant = new Rights({ keyId: 1, licence: 'personal', quant: true, entityCap: null, bulk: false })
const plan = planSignals({ today: () => '2026-01-01', cursors: testCursors }, quant, { limit: rows })

/** Measures the largest request of signals in a process of its own, because what earlier benchmarks have left in memory is collected
 * during the runs or not, and would count as growth. */
export async function benchSignals({ short = false } = {}): Promise<Figure[]> {
  const child = Bun.spawn(['bun', import.meta.path, '--json', ...(short ? ['--short'] : [])], {
    stdout: 'pipe',
  })
  const [text, exitCode] = await Promise.all([new Response(child.stdout).text(), child.exited])
  if (exitCode !== 0) throw new Error(`The benchmark of signals ended with exit code ${exitCode}.`)
  return JSON.parse(text)
}

/** Measures the time of the largest signals request, from the database to the last byte, and the growth of the process's
 * memory. First proves parity of both formats with the rows as the database driver reads them. */
function measure(short: boolean): Promise<Figure[]> {
  const runs = short ? 7 : 20
  return scratchDatabase(async sql => {
    const loading = performance.now()
    await loadSignalsSample(sql)
    const loadMs = performance.now() - loading
    await proveParity(sql)
    const figures: Figure[] = [{ name: 'signals.sample_load', value: loadMs, unit: 'ms' }]
    const medians: Record<string, number> = {}
    for (const format of ['json', 'csv'] as const) {
      const run = await repeat(runs, () => drain(sql, format))
      medians[format] = run.median
      figures.push(
        { name: `signals.${format}_50k`, value: run.median, unit: 'ms', spread: run.spread },
        { name: `signals.${format}_50k_memory`, value: run.growthMb, unit: 'MB' },
      )
    }
    const naive = await repeat(Math.min(runs, 10), () => readNaively(sql))
    figures.push(
      { name: 'signals.naive_ratio', value: naive.median / medians.json, unit: 'times' },
      { name: 'signals.csv_naive_ratio', value: naive.median / medians.csv, unit: 'times' },
      { name: 'signals.naive_50k_memory', value: naive.growthMb, unit: 'MB' },
    )
    return figures
  })
}

async function drain(sql: Sql, format: 'json' | 'csv'): Promise<void> {
  let bytes = 0
  for await (const chunk of (await openSignals({ sql, cursors: testCursors }, plan, format)).body) {
    bytes += chunk.length
    watchMemory()
  }
  if (bytes < 50 * rows) throw new Error(`${bytes} bytes are too few for ${rows} rows`)
}

/** Does what a naive server would do: reads all rows as objects and writes them as one JSON text. */
async function readNaively(sql: Sql): Promise<void> {
  const text = JSON.stringify({ data: await readRows(sql) })
  watchMemory()
  if (text.length < 50 * rows) throw new Error('too few rows')
}

const readRows = (sql: Sql) => sql`
  select date, ticker, market, horizon || 'd' as horizon, predicted as predicted_pct, actual as actual_pct,
         status, source
  from signal where actual is not null
  order by date desc, ticker, horizon, market limit ${rows}`

async function proveParity(sql: Sql): Promise<void> {
  const expected = JSON.stringify([...(await readRows(sql))])
  const list = (await new Response(
    (
      await openSignals({ sql, cursors: testCursors }, plan, 'json')
    ).body,
  ).json()) as SignalList
  const csv = await new Response((await openSignals({ sql, cursors: testCursors }, plan, 'csv')).body).text()
  const [head, ...lines] = csv.trimEnd().split('\r\n')
  const names = head.split(',')
  const read = lines.map(line =>
    Object.fromEntries(
      line.split(',').map((cell, i) => [names[i], names[i].endsWith('_pct') ? Number(cell) : cell]),
    ),
  )
  if (list.count !== rows || JSON.stringify(list.data) !== expected || JSON.stringify(read) !== expected) {
    throw new Error('the formats differ from the rows in the database')
  }
}

let peak = 0
function watchMemory(): void {
  peak = Math.max(peak, process.memoryUsage.rss())
}

/** Growth is the highest resident size during the runs minus the size before them, measured after one warm-up run. */
async function repeat(runs: number, work: () => Promise<void>) {
  await work()
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  peak = before
  const times: number[] = []
  for (let i = 0; i < runs; i++) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
  }
  times.sort((a, b) => a - b)
  const spread = `${times[0].toFixed(1)} .. ${(times.at(-1) ?? 0).toFixed(1)}`
  return { median: times[times.length >> 1], spread, growthMb: (peak - before) / 1_048_576 }
}

if (import.meta.main) {
  const figures = await measure(process.argv.includes('--short'))
  const asJson = process.argv.includes('--json')
  console.log(asJson ? JSON.stringify(figures) : table(figures.map(figure => ({ ...figure, failed: false }))))
}
