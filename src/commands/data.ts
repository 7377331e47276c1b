import { mkdir } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { Failure } from '../errors.ts'
import type { ParsedDocument } from '../facts/reportedFact.ts'
import { registers } from '../ingest/allRegisters.ts'
import { makeSample, readRegisterFiles } from '../ingest/sample/makeSample.ts'
import { writeSampleFilings } from '../ingest/sample/sampleFilings.ts'
import type { StatedFiling } from '../wholeFilings/statedFiling.ts'
import { readAccessions, readSampleCompanies } from './companyLists.ts'
import { grouped, writeFileAtomically } from './output.ts'

const help = `
Builds one sample from the files of one or several registers. The --companies file lists the companies, one per line: a
market and the register's own number. A listed company without any dated figure is included without figures. The line
US * adds every company of the market that has figures. Without --companies, every company with figures is included. The
--filings file lists the accessions of the filings that are included in full, one per line. The same files always give
the same bytes.

Example:
  ./asfiled data sample --companies sample/companies.txt --us companyfacts/ --jp EdinetcodeDlInfo.csv S100TMMG/`

/** `data sample`: rebuilds the shipped sample. */
export function addDataCommand(program: Command): void {
  const command = program.command('data').description('Build data files')
  const sample = command
    .command('sample')
    .description('Rebuild the shipped sample of filings from files of the registers, without a database')
    .option(
      '--to <folder>',
      'Folder for entities.csv, fundamentals.csv.gz and filings.jsonl.gz, created if it is missing',
      'sample',
    )
    .option('--companies <file>', 'Only these companies; the files must contain each of them')
    .option('--filings <file>', 'Include these filings in full; the files must contain each of them')
    .addHelpText('after', help)
  for (const { market, name } of registers.values())
    sample.addOption(new Option(`--${market.toLowerCase()} <path...>`, `Files of ${name}`))
  sample.action(
    async ({ to, companies: file, filings: list, ...paths }: SampleOptions & Record<string, string[]>) => {
      const companies = file === undefined ? null : await readSampleCompanies(file)
      const accessions = list === undefined ? [] : await readAccessions(list)
      const documents: ParsedDocument[] = []
      const wholeFilings: StatedFiling[] = []
      for (const [market, register] of registers) {
        const from = paths[market.toLowerCase()]
        if (from === undefined) continue
        const content = await readRegisterFiles(register, from, accessions)
        documents.push(...content.documents)
        wholeFilings.push(...content.wholeFilings)
      }
      if (documents.length === 0)
        throw new Failure('parameter_invalid', 'Give the files of at least one register, for example --us.')
      const made = makeSample(documents, companies)
      const filings = writeSampleFilings(wholeFilings, accessions)
      await mkdir(to, { recursive: true })
      await writeFileAtomically(`${to}/entities.csv`, made.entities)
      await writeFileAtomically(`${to}/fundamentals.csv.gz`, made.fundamentals)
      await writeFileAtomically(`${to}/filings.jsonl.gz`, filings)
      const kilobytes = Math.ceil((made.fundamentals.length + filings.length) / 1000)
      console.log(
        `${grouped(made.reportedFacts)} reported facts of ${made.companies} companies and ${accessions.length} filings in full, ${kilobytes} kB, in ${to}/`,
      )
    },
  )
}

interface SampleOptions {
  to: string
  companies?: string
  filings?: string
}
