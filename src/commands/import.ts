import { type Command, InvalidArgumentError } from 'commander'
import { type IsoDate, isIsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import { type SumReport, sumNames } from '../facts/balanceChecks.ts'
import { importRegister, type RegisterFiles, type RegisterImport } from '../ingest/import/importRegister.ts'
import type { Register } from '../ingest/registers/register.ts'
import { registers } from '../ingest/registers/registers.ts'
import type { CliContext } from './context.ts'
import { startProgress } from './output.ts'
import { giveWay } from './priority.ts'

const always = `
Importing again adds nothing; an import that was interrupted goes on where it stopped. Figures without a day, a filing
or a finite number are left out and counted as malformed.
Exit code: 0 every document was read, 1 some were skipped (and named), 2 nothing was imported.`

interface ImportFlags {
  readonly pulled?: IsoDate
  readonly bulk?: boolean
}

/** `import <market>`: one command for each register. */
export function addImportCommand(program: Command, context: CliContext): void {
  const command = program.command('import').description("Read a register's files into the store.")
  for (const register of registers.values()) {
    const own = command
      .command(register.market.toLowerCase())
      .description(`Import files of ${register.name}.`)
      .argument('<PATH...>', 'files, folders or zips')
      .option(
        '--bulk',
        'for a first large load: quicker, but cross-sections and name searches are slow until it ends',
      )
    if (register.overwrites)
      own.option(
        '--pulled <DATE>',
        'day on which the files were read from the register (default: today, for content that was not imported before)',
        day,
      )
    own
      .addHelpText('after', `\nWhat may be given, in any mixture and order:${register.help}\n${always}`)
      .action(async (paths: string[], { pulled, bulk: isBulk = false }: ImportFlags) => {
        const today = context.today()
        if (pulled !== undefined && pulled > today)
          throw new Failure('parameter_invalid', `--pulled ${pulled} is in the future.`, { param: 'pulled' })
        const files = { paths, pulledOn: pulled ?? today, dayIsTold: pulled !== undefined, isBulk }
        process.exitCode = await run(context, register, files)
      })
  }
}

function run(context: CliContext, register: Register, files: RegisterFiles): Promise<number> {
  return context.withDatabase(async sql => {
    giveWay()
    const began = performance.now()
    const progress = startProgress('Importing', () => performance.now())
    try {
      const imported = await importRegister(sql, register, files, ({ read, bytesTotal }) => {
        const seconds = (performance.now() - began) / 1000
        const rate = Math.round(read.figuresRead / Math.max(seconds, 0.001))
        progress.update({
          done: read.bytesRead,
          total: bytesTotal,
          note: `${count(read.documents)} documents, ${count(rate)} figures/s`,
        })
      })
      progress.stop()
      if (register.overwrites && files.dayIsTold === false && imported.read.documentsKnown > 0)
        console.log(
          'Content that was imported before was passed over. Where the register was read anew and said the same again, tell the day with --pulled.',
        )
      return report(imported, (performance.now() - began) / 1000)
    } catch (error) {
      progress.stop()
      throw explainLoss(error)
    }
  })
}

function day(text: string): IsoDate {
  if (isIsoDate(text)) return text
  throw new InvalidArgumentError('A day is written YYYY-MM-DD.')
}

const count = (value: number) => value.toLocaleString('en-US')

const skippedNamed = 50

function report({ read, written }: RegisterImport, seconds: number): number {
  for (const { name, reason } of read.skipped.slice(0, skippedNamed))
    console.error(`skipped ${name}: ${reason}`)
  if (read.skipped.length > skippedNamed) {
    console.error(`skipped ${count(read.skipped.length - skippedNamed)} more.`)
  }
  const again = read.documentsKnown > 0 ? ` (${count(read.documentsKnown)} of them imported before)` : ''
  const rate = Math.round(read.figuresRead / Math.max(seconds, 0.001))
  console.log(`documents      ${count(read.documents)}${again}`)
  console.log(`figures read   ${count(read.figuresRead)} in ${seconds.toFixed(1)} s (${count(rate)}/s)`)
  console.log(`statements     ${count(written.statements)}`)
  console.log(`facts added    ${count(written.factsAdded)}`)
  if (written.factsRemoved > 0) console.log(`facts derived anew ${count(written.factsRemoved)}`)
  console.log(`repeats kept   ${count(written.repeats)}`)
  console.log(`unplaced       ${count(read.unplaced + written.unplaced)} (periods of no fiscal year)`)
  if (written.awaiting > 0)
    console.log(
      `awaiting       ${count(written.awaiting)} filings whose day no document has told; kept, not served`,
    )
  for (const [reason, records] of read.leftOut) console.log(`left out       ${count(records)}: ${reason}`)
  if (read.malformed > 0) console.log(`malformed      ${count(read.malformed)}`)
  console.log(`skipped        ${count(read.skipped.length)}`)
  for (const line of sumLines(written.sums)) console.log(line)
  console.log(`data version   ${written.dataVersion}`)
  if (read.documents === 0) {
    console.error('Nothing was imported: there was no document that could be read.')
    return 2
  }
  return read.skipped.length > 0 ? 1 : 0
}

const connectionCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
])

/** A database that went away in the middle is a foreseen failure: what was committed is kept. */
export function explainLoss(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!connectionCodes.has(code)) return error
  return new Failure(
    'database_unavailable',
    `The database went away (${code}). Every batch committed so far is kept; run the same command again to go on.`,
    { cause: error },
  )
}

/** Figures are served as filed, whether or not they add up. */
export function* sumLines({ counts, examples }: SumReport): Generator<string> {
  for (const sum of sumNames) {
    const { checked, broken, open } = counts[sum]
    if (checked === 0) continue
    const left = open > 0 ? `, ${count(open)} open (a part without a metric may stand between)` : ''
    yield `sums           ${sum}: ${count(checked)} checked, ${count(broken)} broken${left}`
    for (const example of examples) {
      if (example.sum !== sum) continue
      const { market, issuerId, start, end, accession, difference, unit } = example
      const days = start === null ? end : `${start}..${end}`
      yield `  broken       ${market} ${issuerId} ${days} ${accession}: off by ${count(difference)} ${unit}`
    }
  }
}
