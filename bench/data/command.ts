import { InvalidArgumentError } from 'commander'
import { type CliContext, makeContext, newProgram, runProgram } from '../../src/commands/context.ts'
import { grouped, startProgress } from '../../src/commands/output.ts'
import { readConfig } from '../../src/config.ts'
import type { Sql } from '../../src/postgres/client.ts'
import { loadBenchData, source } from './loadBenchData.ts'
import { loadReportedFilings } from './loadReportedFilings.ts'
import { allEntities } from './marketSizes.ts'

// `asfiled bench-data`: src/commands/benchData.ts starts this file as a process of its own.

const help = `
Entities of all eight markets in the proportions of the whole service (${grouped(allEntities)} of them). Their names have the
statistics of real ones, and each has filings of its own: fiscal years, quarters in markets that have them,
the year before repeated with each year, some of it restated. None of it is true. The same seed makes the same data; an
interrupted run continues where it stopped.

--figures adds companies of the United States that report in full: quarterly filings with their statements, in the likeness of
real ones of ../shared, whose sizes and tags they have. 500000000 figures are 1.3 million filings of 25,000 companies.

The data goes into the configured database and stays there. A database that holds anything else is refused.

Example:
  DATA_DIR=/var/tmp/bench ./asfiled bench-data --entities 100000 --figures 10000000`

interface BenchDataFlags {
  readonly entities: number
  readonly figures: number
  readonly seed: number
}

async function run(context: CliContext, { entities, figures, seed }: BenchDataFlags): Promise<void> {
  await context.withDatabase(async sql => {
    const startedAt = performance.now()
    const secondsSoFar = () => (performance.now() - startedAt) / 1000
    const progress = startProgress('Loading')
    const loaded = await loadBenchData(sql, {
      entities,
      seed,
      onProgress: ({ entities: done, statements }) => {
        const rate = Math.round(statements / Math.max(secondsSoFar(), 0.001))
        progress.update({ done, total: entities, note: `${grouped(rate)} statements/s` })
      },
    })
    progress.stop()
    const seconds = secondsSoFar()
    const sum = (field: 'factsAdded' | 'repeats' | 'reportedFacts') =>
      loaded.summaries.reduce((total, summary) => total + summary[field], 0)
    const withRate = (value: number) => `${grouped(value)} (${grouped(Math.round(value / seconds))}/s)`
    console.log(`entities    ${grouped(loaded.entities)}, ${grouped(loaded.known)} of them loaded before`)
    console.log(`statements  ${withRate(sum('reportedFacts'))}`)
    console.log(`facts       ${withRate(sum('factsAdded'))}`)
    console.log(`repeats     ${withRate(sum('repeats'))}`)
    console.log(`time        ${seconds.toFixed(1)} s`)
    if (figures > 0) await loadReported(sql, figures, seed)
  }, 'create')
}

async function loadReported(sql: Sql, wanted: number, seed: number): Promise<void> {
  const startedAt = performance.now()
  const secondsSoFar = () => (performance.now() - startedAt) / 1000
  const progress = startProgress('Loading figures')
  const loaded = await loadReportedFilings(sql, {
    figures: wanted,
    seed,
    source,
    onProgress: ({ figures, made }) => {
      const rate = Math.round(made / Math.max(secondsSoFar(), 0.001))
      progress.update({ done: Math.min(figures, wanted), total: wanted, note: `${grouped(rate)} figures/s` })
    },
  })
  progress.stop()
  const seconds = secondsSoFar()
  const made = loaded.figures - loaded.known
  console.log(`companies   ${grouped(loaded.companies)} that report in full`)
  console.log(`filings     ${grouped(loaded.filings)}`)
  console.log(`figures     ${grouped(loaded.figures)}, ${grouped(loaded.known)} of them loaded before`)
  console.log(`time        ${seconds.toFixed(1)} s, ${grouped(Math.round(made / seconds))} figures/s`)
}

function parseCount(text: string): number {
  return text === '0' ? 0 : parsePositive(text)
}

function parsePositive(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new InvalidArgumentError('A whole number above 0 is required.')
}

await runProgram(() => {
  const context = makeContext(readConfig(process.env))
  return newProgram('./asfiled bench-data')
    .description('Fill an empty database with made-up entities and filings for benchmarks')
    .option('--entities <count>', 'Number of entities in all markets together', parsePositive, allEntities)
    .option('--figures <count>', 'Number of figures in whole filings', parseCount, 0)
    .option('--seed <number>', 'Seed; another one makes other data', parsePositive, 1)
    .addHelpText('after', help)
    .action((flags: BenchDataFlags) => run(context, flags))
})
