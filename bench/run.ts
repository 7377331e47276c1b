import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { benchAsOfJoin } from './asOfJoin.ts'
import { benchBacktest } from './backtest.ts'
import { benchBodies } from './bodies.ts'
import budget from './budget.json'
import { benchCrossSection } from './crossSection.ts'
import { benchEvidence } from './evidence.ts'
import type { Figure } from './figure.ts'
import { benchFilingBlocks } from './filingBlocks.ts'
import { benchHttp, httpFigures } from './http.ts'
import { benchImport } from './import.ts'
import { benchManyWorkers } from './manyWorkers.ts'
import { benchMetrics, metricsFigures } from './metrics.ts'
import { benchNeighbours } from './neighbours.ts'
import { benchPanelSize } from './panelSize.ts'
import { benchPrices } from './prices.ts'
import { benchSearch } from './search.ts'
import { benchService } from './service.ts'
import { benchSignals } from './signals.ts'
import { table } from './table.ts'

const help = `Usage: bun run bench [--short] [NAME...]

Proves parity, then measures, and compares the figures with bench/budget.json.

  NAME      as_of_join, backtest, bodies, cross_section, evidence, filing_blocks, http, import, many_workers, metrics, neighbours, panel_size, prices, search, service, signals; default: all,
            with --short those that have a budget and take no minutes
  --short   fewer and smaller runs, as in CI

Prints a table, writes bench/out/results.json, and after full runs appends a line to bench/history.jsonl.
A benchmark that misses a budget runs once more. Exit code 1: a figure misses its budget twice.`

const benches: Record<string, (options: { short: boolean }) => Promise<readonly Figure[]>> = {
  as_of_join: benchAsOfJoin,
  backtest: benchBacktest,
  bodies: benchBodies,
  cross_section: benchCrossSection,
  evidence: benchEvidence,
  filing_blocks: benchFilingBlocks,
  http: options => benchHttp(options).then(httpFigures),
  import: benchImport,
  many_workers: benchManyWorkers,
  prices: benchPrices,
  metrics: ({ short }) => benchMetrics(short ? 200 : 1_500).then(metricsFigures),
  neighbours: ({ short }) => benchNeighbours([], short ? 1 : 5, 2),
  panel_size: benchPanelSize,
  search: benchSearch,
  service: benchService,
  signals: benchSignals,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const unknown = positionals.filter(name => !(name in benches))
if (values.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `There is no benchmark named ${unknown.join(', ')}.\n\n${help}` : help)
  process.exit(values.help ? 0 : 2)
}

const { short } = values
const hasBudget = (name: string) => Object.keys(budget).some(figure => figure.startsWith(`${name}.`))
/** Their parts wait for processor time by turns, which takes minutes however little they do. */
const isSlow = (name: string) => name === 'many_workers'
const names =
  positionals.length > 0
    ? positionals
    : Object.keys(benches).filter(name => !short || (hasBudget(name) && !isSlow(name)))
const judged: Judged[] = []
for (const name of names) {
  console.error(`bench: ${name} ...`)
  const startedAt = performance.now()
  judged.push(...(await runTwiceIfMissed(name)))
  console.error(`bench: ${name}: ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`)
}
console.log(table(judged))

const out = resolve(import.meta.dir, 'out')
mkdirSync(out, { recursive: true })
const record = {
  at: new Date().toISOString(),
  short,
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  bun: Bun.version,
  figures: judged.map(({ bound, failed, ...figure }) => figure),
}
writeFileSync(resolve(out, 'results.json'), `${JSON.stringify(record, null, 2)}\n`)
if (!short && !process.env.CI)
  appendFileSync(resolve(import.meta.dir, 'history.jsonl'), `${JSON.stringify(record)}\n`)

const failed = judged.filter(figure => figure.failed)
for (const figure of failed) console.error(miss(figure))
process.exit(failed.length > 0 ? 1 : 0)

interface Judged extends Figure {
  readonly bound: { readonly min?: number; readonly max?: number } | undefined
  readonly failed: boolean
}

/** A single miss may be caused by other work on a shared machine. A second run shows whether the code is slow. */
async function runTwiceIfMissed(name: string): Promise<Judged[]> {
  const first = (await benches[name]({ short })).map(judge)
  const missed = first.filter(figure => figure.failed)
  if (missed.length === 0) return first
  for (const figure of missed) console.error(miss(figure))
  console.error(`bench: ${name}, once more ...`)
  const again = (await benches[name]({ short })).map(judge)
  const missedBefore = new Set(missed.map(figure => figure.name))
  return again.map(figure => ({ ...figure, failed: figure.failed && missedBefore.has(figure.name) }))
}

function judge(figure: Figure): Judged {
  const bound = (budget as Record<string, Judged['bound']>)[figure.name]
  const failed =
    bound !== undefined && ((bound.min ?? -Infinity) > figure.value || (bound.max ?? Infinity) < figure.value)
  return { ...figure, bound, failed }
}

function miss({ name, value, bound }: Judged): string {
  return `budget missed: ${name} is ${value.toPrecision(3)}, the budget is ${JSON.stringify(bound)}`
}
