import type { Command } from 'commander'
import { makeSample } from '../domain/ingest/makeSample.ts'
import { readContributions } from '../domain/ingest/readContributions.ts'
import { usRules } from '../registers/us/concepts.ts'
import type { CliContext } from './context.ts'

export function addDataCommand(program: Command, _context: CliContext): void {
  const command = program.command('data').description('Make files of data.')
  command
    .command('sample')
    .description('Make the shipped sample of filings anew from files of SEC EDGAR. It needs no database.')
    .requiredOption('--from <PATH...>', 'companyfacts, submissions and company_tickers.json')
    .option('--to <FOLDER>', 'where entities.csv and fundamentals.csv.gz go', 'sample')
    .addHelpText(
      'after',
      `
The same files give the same bytes.

Example:
  asfiled data sample --from companyfacts/ submissions/CIK0000320193.json company_tickers.json`,
    )
    .action(async ({ from, to }: { from: string[]; to: string }) => {
      const sample = makeSample(await readContributions(from), usRules)
      await Bun.write(`${to}/entities.csv`, sample.entities)
      await Bun.write(`${to}/fundamentals.csv.gz`, sample.fundamentals)
      console.log(
        `${sample.statements.toLocaleString('en-US')} statements, ${Math.ceil(sample.fundamentals.length / 1000)} kB, in ${to}/`,
      )
    })
}
