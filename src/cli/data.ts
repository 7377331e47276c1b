import { type Command, Option } from 'commander'
import { makeSample } from '../domain/ingest/makeSample.ts'
import { readContributions } from '../domain/ingest/readContributions.ts'
import { Failure } from '../errors.ts'
import type { Contribution } from '../model/statement.ts'
import { registers } from '../registers/registers.ts'
import type { CliContext } from './context.ts'

const help = `
The same files give the same bytes.

Example:
  asfiled data sample --us companyfacts/ submissions/CIK0000320193.json company_tickers.json`

export function addDataCommand(program: Command, _context: CliContext): void {
  const command = program.command('data').description('Make files of data.')
  const sample = command
    .command('sample')
    .description("Make the shipped sample of filings anew from the registers' files. It needs no database.")
    .option('--to <FOLDER>', 'where entities.csv and fundamentals.csv.gz go', 'sample')
    .addHelpText('after', help)
  for (const { market, name } of registers.values())
    sample.addOption(new Option(`--${market.toLowerCase()} <PATH...>`, `files of ${name}`))
  sample.action(async ({ to, ...paths }: { to: string } & Record<string, string[]>) => {
    const contributions: Contribution[] = []
    for (const [market, register] of registers) {
      const from = paths[market.toLowerCase()]
      if (from !== undefined) contributions.push(...(await readContributions(register, from)))
    }
    if (contributions.length === 0)
      throw new Failure('parameter_invalid', 'Name the files of at least one register, for example --us.')
    const { entities, fundamentals, statements } = makeSample(contributions)
    await Bun.write(`${to}/entities.csv`, entities)
    await Bun.write(`${to}/fundamentals.csv.gz`, fundamentals)
    console.log(
      `${statements.toLocaleString('en-US')} statements, ${Math.ceil(fundamentals.length / 1000)} kB, in ${to}/`,
    )
  })
}
