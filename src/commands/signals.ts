import type { Command } from 'commander'
import { importSignals, type SignalImport } from '../features/signals/import/importSignals.ts'
import { makeSignalsSample } from '../features/signals/import/sample.ts'
import { loadMarkets } from '../markets/markets.ts'
import type { Sql } from '../postgres/client.ts'
import { lowerPriority } from './bulkWrite.ts'
import { type CliContext, exitCodes } from './context.ts'
import { type InputFile, openInput } from './inputFile.ts'
import { grouped, printLine, requireFolder, startProgress, writeFileAtomically } from './output.ts'

const importHelp = `
FILE is CSV or CSV.gz, - is standard input. It starts with the header
  date,ticker,market,horizon,predicted_pct,actual_pct[,source]
An empty actual_pct is an open forecast; a later line with its outcome resolves it, once the days of its horizon have ended.
A forecast is live if it is imported before its date has ended in the market's time zone, and backfill otherwise. The column
source decides nothing.

Exit code: 0 all lines were imported; 1 some lines were refused (each is named), or nothing was imported; 2 wrong usage.

Examples:
  ./asfiled signals import forecasts-2026-03-02.csv
  ./asfiled signals import history.csv.gz
  ./asfiled signals import corrected.csv --correct`

/** `signals import` and `signals sample`. */
export function addSignalsCommand(program: Command, context: CliContext): void {
  const signals = program.command('signals').description('Import forecasts and their outcomes')
  signals
    .command('import')
    .description('Record open forecasts and resolve them when their outcomes arrive')
    .argument('<file>', 'CSV or CSV.gz; - is standard input')
    .option('--correct', 'Also change resolved rows; both versions are kept', false)
    .option('--json', 'Print one JSON object', false)
    .addHelpText('after', importHelp)
    .action(async (file: string, options: ImportOptions) => {
      process.exitCode = await runImport(context, file, options)
    })
  signals
    .command('sample')
    .description('Build sample/signals.csv.gz from the 1d and 7d horizons of a file in the import layout')
    .argument('<file>', 'CSV or CSV.gz')
    .argument('[target]', 'Where to write', 'sample/signals.csv.gz')
    .addHelpText(
      'after',
      '\nExample:\n  ./asfiled signals sample ../shared/panels/signals_us_2012_2017.csv.gz',
    )
    .action(async (file: string, target: string) => {
      await requireFolder('The target', target)
      const sample = await makeSignalsSample(await openInput(file), context.now())
      await writeFileAtomically(target, sample.bytes)
      console.log(`${target}: ${sample.rows} rows, ${sample.bytes.length} bytes.`)
    })
}

interface ImportOptions {
  correct: boolean
  json: boolean
}

async function runImport(context: CliContext, path: string, options: ImportOptions): Promise<number> {
  const file = await openInput(path)
  const report = await context.withDatabase(sql => {
    lowerPriority()
    return importWithProgress(context, sql, file, options)
  })
  if (options.json) await printLine(JSON.stringify(report))
  else printReport(path, report)
  return report.refused === 0 ? exitCodes.done : exitCodes.failed
}

async function importWithProgress(context: CliContext, sql: Sql, file: InputFile, options: ImportOptions) {
  const progress = startProgress('Importing')
  let read = 0
  const counted = file.bytes.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        read += chunk.length
        controller.enqueue(chunk)
      },
    }),
  )
  try {
    return await importSignals(
      sql,
      { name: file.name, bytes: counted },
      {
        correct: options.correct,
        now: context.now,
        markets: await loadMarkets(),
        // Reading is the first half of the progress, merging the second.
        onProgress: ({ lines, total }) => {
          const size = file.size ?? read
          const done = total === null ? read : size + (size * lines) / total
          const note = `${grouped(lines)} lines ${total === null ? 'read' : 'merged'}`
          progress.update({ done, total: 2 * size, note })
        },
      },
    )
  } finally {
    progress.stop()
  }
}

function printReport(path: string, report: SignalImport): void {
  for (const fault of report.faults) console.error(`${path}:${fault.line}: ${fault.reason}.`)
  const unnamed = report.refused - report.faults.length
  if (unnamed > 0) console.error(`... and ${unnamed} more lines were refused, ${report.refused} in all.`)
  if (report.late > 0)
    console.error(
      `${report.late} lines say live but were imported after their date had ended: they are backfill.`,
    )
  const parts = [
    `${report.added} added`,
    `${report.resolved} resolved`,
    `${report.revised} revised`,
    `${report.corrected} corrected`,
    `${report.unchanged} unchanged`,
    `${report.repeated} repeated`,
    `${report.refused} refused`,
  ]
  const version = report.dataVersion === null ? 'nothing changed' : `data version ${report.dataVersion}`
  console.log(`${report.lines} lines: ${parts.join(', ')}; ${version}.`)
}
