import type { Command } from 'commander'
import { plural } from '../backtest/report/numberFormat.ts'
import { importSuccessors, type SuccessorImport } from '../ingest/symbols/importSuccessors.ts'
import { writeInBulk } from './bulkWrite.ts'
import { type CliContext, exitCodes } from './context.ts'
import { grouped, printLine } from './output.ts'
import { reportFaults } from './symbols.ts'

const importHelp = `
A file is CSV with the header
  predecessor,successor,from,document
predecessor and successor are CIKs, or any IDs of companies that are on record. from is the first day of the successor.
document is optional: the accession of the 8-K12B, 8-K12G3 or 8-K15D5 that states the succession. If that filing is on
record, the succession is known from its filing day on, otherwise from the first day of the successor.

Importing a list again changes nothing, and lists may be imported in any order, even before the companies. To correct lists,
import all of them with --replace.

Exit code: 0 all lines were imported; 1 some lines were refused (each is named); 2 wrong usage.

Example:
  ./asfiled successors import successors.csv`

interface ImportOptions {
  readonly replace: boolean
  readonly json: boolean
}

/** `successors import`. */
export function addSuccessorsCommand(program: Command, context: CliContext): void {
  program
    .command('successors')
    .description('Import which registrant succeeded which')
    .command('import')
    .description('Import lists of predecessors and successors with their days')
    .argument('<path...>', 'Files, folders or zips')
    .option('--replace', 'Remove what earlier lists stated', false)
    .option('--json', 'Print one JSON object', false)
    .addHelpText('after', importHelp)
    .action(async (paths: string[], { replace: replaces, json }: ImportOptions) => {
      const report = await writeInBulk(context, 'Importing', (sql, progress) =>
        importSuccessors(sql, { paths, replaces }, ({ files, bytesRead, bytesTotal }) =>
          progress.update({ done: bytesRead, total: bytesTotal, note: `${grouped(files)} files` }),
        ),
      )
      reportFaults(report.faults)
      await printLine(json ? JSON.stringify(jsonOf(report)) : summaryOf(report))
      process.exitCode = report.faults.length === 0 ? exitCodes.done : exitCodes.failed
    })
}

function summaryOf({ files, successions, changed, removed, faults, dataVersion }: SuccessorImport): string {
  const parts = [
    ...(removed === 0 ? [] : [`${grouped(removed)} removed`]),
    `${grouped(changed)} added or changed`,
    `${grouped(successions - changed)} unchanged`,
    `${grouped(faults.length)} refused`,
  ]
  const version = dataVersion === null ? 'nothing changed' : `data version ${dataVersion}`
  return `${plural(files, 'file')}, ${plural(successions, 'succession')}: ${parts.join(', ')}; ${version}.`
}

const jsonOf = ({ dataVersion, ...counts }: SuccessorImport) => ({ ...counts, data_version: dataVersion })
