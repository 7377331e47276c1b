import type { Command } from 'commander'
import type { IsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import { registers } from '../ingest/allRegisters.ts'
import { importRegister, type RegisterFiles, type RegisterImport } from '../ingest/import/importRegister.ts'
import type { Register } from '../ingest/registers/registerInterface.ts'
import { describeFailure } from '../ingest/sync/outcome.ts'
import type { Sql } from '../postgres/client.ts'
import { writeInBulk } from './bulkWrite.ts'
import type { CliContext } from './context.ts'
import { reportImport } from './ingestReport.ts'
import { recordRun } from './operations/runQueries.ts'
import { parseDay } from './options.ts'
import { grouped } from './output.ts'

const help = `Importing the same files again adds nothing; an interrupted import continues where it stopped. Figures without a day,
a filing or a finite number are left out, counted as malformed and listed with their position.

--json prints one object on standard output: the counts, each skipped document with its reason, and data_version.
Progress and faults are on standard error.

Exit code: 0 every document was read; 1 some were skipped or have malformed figures (each is named), or nothing was imported;
2 wrong usage.`

interface ImportFlags {
  readonly pulled?: IsoDate
  readonly bulk?: boolean
  readonly json: boolean
}

/** `import <market>`: one command for each register. */
export function addImportCommand(program: Command, context: CliContext): void {
  const command = program.command('import').description("Import a register's files")
  for (const register of registers.values()) {
    const own = command
      .command(register.market.toLowerCase())
      .description(`Import files of ${register.name}`)
      .argument('<path...>', 'Files, folders or zips')
      .option(
        '--bulk',
        'Faster for a first large load, but cross-sections and name searches are slow until it ends',
      )
      .option('--json', 'Print one JSON object', false)
    if (register.overwrites)
      own.option(
        '--pulled <date>',
        'Day on which the files were downloaded from the register (default: today, for new content)',
        parseDay,
      )
    own
      .addHelpText('after', `\nAccepted files, in any combination and order:${register.help}\n${help}`)
      .action(async (paths: string[], { pulled, bulk: isBulk = false, json }: ImportFlags) => {
        const today = context.today()
        if (pulled !== undefined && pulled > today)
          throw new Failure(
            'parameter_invalid',
            `--pulled ${pulled} is in the future. Give a day up to today.`,
            { param: 'pulled' },
          )
        const files = { paths, today, observedOn: pulled ?? today, isDayKnown: pulled !== undefined, isBulk }
        process.exitCode = await run(context, register, files, json)
      })
  }
}

async function run(
  context: CliContext,
  register: Register,
  files: RegisterFiles,
  json: boolean,
): Promise<number> {
  const { imported, seconds } = await writeInBulk(context, 'Importing', async (sql, progress) => {
    const startedAt = performance.now()
    const secondsSoFar = () => (performance.now() - startedAt) / 1000
    const importing = importRegister(sql, register, files, ({ read, bytesTotal }) => {
      const rate = Math.round(read.figuresRead / Math.max(secondsSoFar(), 0.001))
      const note = `${grouped(read.documents)} documents, ${grouped(rate)} figures/s`
      progress.update({ done: read.bytesRead, total: bytesTotal, note })
    })
    const imported = await recordedImport(sql, register.market, secondsSoFar, importing)
    return { imported, seconds: secondsSoFar() }
  })
  if (register.overwrites && files.isDayKnown === false && imported.read.documentsUnchanged > 0)
    console.error(
      'Content that was imported before was skipped. If it was downloaded again and is unchanged, give the day of that download with --pulled.',
    )
  return reportImport(register.market, imported, seconds, json)
}

/** Records how an import ended, for `asfiled status`. The import succeeds even if that fails. */
async function recordedImport(
  sql: Sql,
  market: string,
  seconds: () => number,
  importing: Promise<RegisterImport>,
): Promise<RegisterImport> {
  const note = (outcome: 'done' | 'incomplete' | 'failed', reason: string | null) =>
    recordRun(sql, {
      kind: 'import',
      subject: market,
      seconds: seconds(),
      outcome,
      reason,
      bytes: null,
    }).catch(() => {})
  try {
    const imported = await importing
    const { documents, skipped } = imported.read
    if (documents === 0) await note('failed', 'No document could be read.')
    else if (skipped.length === 0) await note('done', null)
    else await note('incomplete', `${grouped(skipped.length)} documents could not be read.`)
    return imported
  } catch (error) {
    await note('failed', describeFailure(error))
    throw error
  }
}
