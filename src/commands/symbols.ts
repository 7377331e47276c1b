import type { Command } from 'commander'
import { plural } from '../backtest/report/numberFormat.ts'
import { importSymbols, type SymbolImport } from '../ingest/symbols/importSymbols.ts'
import type { ListFault } from '../ingest/symbols/readLists.ts'
import { writeInBulk } from './bulkWrite.ts'
import { type CliContext, exitCodes } from './context.ts'
import { grouped, printLine } from './output.ts'

const importHelp = `
Accepted files, in any combination and order; a folder or a zip may contain many of them:
  symbol,id,from,to            CSV with this header. id is a CIK, or any ID of a company that is on record.
                               from and to are the first and last day; to is empty while the company has the symbol.
  20120518,fb,Q                A LEAN map file, one for each company; the name of the file is its permanent ticker.
  20220608,fb,Q                The company is found by its last symbol, unless the file ends before today.
  20501231,meta,Q

Importing a list again adds nothing, and lists may be imported in any order, even before the companies. A spell is the run
of days during which one company had a symbol. If two lists state different last days for one spell, the later one counts.
To correct lists, import all of them with --replace.

Exit code: 0 all lines were imported; 1 some lines were refused (each is named); 2 wrong usage.

Examples:
  ./asfiled symbols import symbols.csv
  ./asfiled symbols import map_files.zip
  ./asfiled symbols import --replace symbols.csv map_files/`

interface ImportOptions {
  readonly replace: boolean
  readonly json: boolean
}

/** `symbols import`. */
export function addSymbolsCommand(program: Command, context: CliContext): void {
  program
    .command('symbols')
    .description('Import which company had which symbol on which days')
    .command('import')
    .description('Import lists of symbols with their days')
    .argument('<path...>', 'Files, folders or zips')
    .option('--replace', 'Remove what earlier lists stated', false)
    .option('--json', 'Print one JSON object', false)
    .addHelpText('after', importHelp)
    .action(async (paths: string[], options: ImportOptions) => {
      const report = await writeInBulk(context, 'Importing', (sql, progress) =>
        importSymbols(
          sql,
          { paths, today: context.today(), replaces: options.replace },
          ({ files, bytesRead, bytesTotal }) =>
            progress.update({ done: bytesRead, total: bytesTotal, note: `${grouped(files)} files` }),
        ),
      )
      reportFaults(report.faults)
      await printLine(options.json ? JSON.stringify(jsonOf(report)) : summaryOf(report))
      process.exitCode = report.faults.length === 0 ? exitCodes.done : exitCodes.failed
    })
}

const maxFaultsNamed = 100

/** Names refused lines on standard error. */
export function reportFaults(faults: readonly ListFault[]): void {
  for (const { file, line, reason } of faults.slice(0, maxFaultsNamed))
    console.error(`${file}${line === null ? '' : `:${line}`}: ${reason.replace(/\.$/, '')}.`)
  const more = faults.length - maxFaultsNamed
  if (more > 0) console.error(`... and ${grouped(more)} more faults, ${grouped(faults.length)} in all.`)
}

function summaryOf({
  files,
  spells,
  added,
  extended,
  removed,
  unidentified,
  faults,
  dataVersion,
}: SymbolImport) {
  const parts = [
    ...(removed === 0 ? [] : [`${grouped(removed)} removed`]),
    `${grouped(added)} added`,
    `${grouped(extended)} with a new end`,
    `${grouped(spells - added - extended)} unchanged`,
    `${grouped(faults.length)} refused`,
  ]
  const version = dataVersion === null ? 'nothing changed' : `data version ${dataVersion}`
  const unnamed =
    unidentified === 0
      ? ''
      : ` The companies of ${plural(unidentified, 'map file')} are not identified, so their symbols find no company on their days.`
  return `${plural(files, 'file')}, ${plural(spells, 'spell')}: ${parts.join(', ')}; ${version}.${unnamed}`
}

const jsonOf = ({ dataVersion, ...counts }: SymbolImport) => ({ ...counts, data_version: dataVersion })
