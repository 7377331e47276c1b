import { type Command, InvalidArgumentError } from 'commander'
import { loadBenchData } from '../../bench/data/loadBenchData.ts'
import { allEntities } from '../../bench/data/marketSizes.ts'
import type { CliContext } from './context.ts'
import { startProgress } from './output.ts'

const help = `
Entities of all eight markets in the proportions of the whole service (${allEntities.toLocaleString('en')} of them), with names
that have the statistics of real ones and filings of their own: years, quarters where the market has them, the year before
beside each year, some restated. Nothing in it is true. The same seed makes the same data; a run that was interrupted goes
on where it stopped.

It goes into the database of the settings and stays there. A database that holds anything else is refused.

Example:
  DATA_DIR=/var/tmp/bench asfiled bench-data --entities 100000`

export function addBenchDataCommand(program: Command, context: CliContext): void {
  program
    .command('bench-data')
    .description('fill an empty database with made entities and filings, to measure with')
    .option('--entities <count>', 'how many, in all markets together', count, allEntities)
    .option('--seed <number>', 'another one makes other data', count, 1)
    .addHelpText('after', help)
    .action(({ entities, seed }: { entities: number; seed: number }) =>
      context.withDatabase(async sql => {
        const began = performance.now()
        const progress = startProgress('Loading', () => performance.now())
        const loaded = await loadBenchData(sql, {
          entities,
          seed,
          onProgress: ({ entities: done, statements }) => {
            const seconds = (performance.now() - began) / 1000
            const rate = Math.round(statements / Math.max(seconds, 0.001)).toLocaleString('en')
            progress.update({ done, total: entities, note: `${rate} statements/s` })
          },
        })
        progress.stop()
        const seconds = (performance.now() - began) / 1000
        const sum = (field: 'factsAdded' | 'repeats' | 'statements') =>
          loaded.summaries.reduce((all, summary) => all + summary[field], 0)
        const each = (value: number) =>
          `${value.toLocaleString('en')} (${Math.round(value / seconds).toLocaleString('en')}/s)`
        console.log(
          `entities    ${loaded.entities.toLocaleString('en')}, ${loaded.known.toLocaleString('en')} of them loaded before`,
        )
        console.log(`statements  ${each(sum('statements'))}`)
        console.log(`facts       ${each(sum('factsAdded'))}`)
        console.log(`repeats     ${each(sum('repeats'))}`)
        console.log(`time        ${seconds.toFixed(1)} s`)
      }),
    )
}

function count(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new InvalidArgumentError('A whole number above 0 is needed.')
}
