import { type Command, Option } from 'commander'
import { Failure } from '../errors.ts'
import type { Contribution } from '../facts/reportedFact.ts'
import { registers } from '../ingest/registers/registers.ts'
import { makeSample, readContributions } from '../ingest/sample/makeSample.ts'
import type { CliContext } from './context.ts'

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

const mostCompanies = 1_000

/** The companies that a sample is made of: a file of markets and the registers' own numbers, `JP E02367` a line. */
export async function readSampleCompanies(path: string): Promise<ReadonlySet<string>> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw fault(`There is no file ${path}.`)
  const companies = new Set<string>()
  for (const [index, line] of (await file.text()).split('\n').entries()) {
    const text = line.replace(/#.*/, '').trim()
    if (text === '') continue
    const [market, number, ...more] = text.split(/\s+/)
    if (!registers.has(market) || number === undefined || more.length > 0) {
      throw fault(
        `${path}:${index + 1}: ${text.slice(0, 50)} is no market and number of its register, like JP E02367.`,
      )
    }
    companies.add(`${market} ${number}`)
    if (companies.size > mostCompanies) throw fault(`${path} names more than ${mostCompanies} companies.`)
  }
  if (companies.size === 0) throw fault(`${path} names no company.`)
  return companies
}

const fault = (message: string) => new Failure('parameter_invalid', message, { param: 'companies' })
