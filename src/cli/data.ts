import { type Command, Option } from 'commander'
import { makeSample } from '../domain/ingest/makeSample.ts'
import { readContributions } from '../domain/ingest/readContributions.ts'
import { Failure } from '../errors.ts'
import type { Contribution } from '../model/statement.ts'
import { registers } from '../registers/registers.ts'
import type { CliContext } from './context.ts'
import { readSampleCompanies } from './readSampleCompanies.ts'

const help = `
Files of several registers make one sample. --companies names whom it is of, a market and the register's own number a
line; a company of which no figure has a filing day is in it without figures. Without it all that have figures are.
The same files give the same bytes.

Example:
  asfiled data sample --companies sample/companies.txt --us companyfacts/ --jp EdinetcodeDlInfo.csv S100TMMG/`

export function addDataCommand(program: Command, _context: CliContext): void {
  const command = program.command('data').description('Make files of data.')
  const sample = command
    .command('sample')
    .description("Make the shipped sample of filings anew from the registers' files. It needs no database.")
    .option('--to <FOLDER>', 'where entities.csv and fundamentals.csv.gz go', 'sample')
    .option('--companies <FILE>', 'only these, each of which the files have to name')
    .addHelpText('after', help)
  for (const { market, name } of registers.values())
    sample.addOption(new Option(`--${market.toLowerCase()} <PATH...>`, `files of ${name}`))
  sample.action(async ({ to, companies: file, ...paths }: SampleOptions & Record<string, string[]>) => {
    const companies = file === undefined ? null : await readSampleCompanies(file)
    const contributions: Contribution[] = []
    for (const [market, register] of registers) {
      const from = paths[market.toLowerCase()]
      if (from !== undefined) contributions.push(...(await readContributions(register, from)))
    }
    if (contributions.length === 0)
      throw new Failure('parameter_invalid', 'Name the files of at least one register, for example --us.')
    const made = makeSample(contributions, companies)
    await Bun.write(`${to}/entities.csv`, made.entities)
    await Bun.write(`${to}/fundamentals.csv.gz`, made.fundamentals)
    console.log(
      `${made.statements.toLocaleString('en-US')} statements of ${made.companies} companies, ${Math.ceil(made.fundamentals.length / 1000)} kB, in ${to}/`,
    )
  })
}

interface SampleOptions {
  to: string
  companies?: string
}
