import { Failure } from '../../../errors.ts'
import type { Markets } from '../../../markets/markets.ts'
import type { Sql } from '../../../postgres/client.ts'
import { readLines, signalLineParser } from './lines.ts'
import { marketDays } from './marketDays.ts'
import {
  type Contradiction,
  type MergedBatch,
  mergeSignalBatch,
  type RefusedChange,
  removeRepeats,
  vacuumSignals,
} from './mergeQueries.ts'
import { openSignalStage, type SignalStage, type StagedSignal } from './stageQueries.ts'

const linesPerBatch = 100_000
const maxFaults = 100
/** The number of changed rows from which the import vacuums the table. */
const minVacuumRows = 50_000

export interface SignalFile {
  /** The name in messages and in the record of data versions. */
  name: string
  /** CSV, plain or gzipped. */
  bytes: ReadableStream<Uint8Array>
}

interface SignalImportOptions {
  /** Also change resolved rows; both versions stay on record. */
  correct: boolean
  /** The server's clock. It alone decides which forecasts are `live`. */
  now: () => Date
  /** Their time zones determine when a day ends. */
  markets: Pick<Markets, 'get'>
  onProgress?: (progress: { phase: 'read' | 'merge'; lines: number; total: number | null }) => void
  linesPerBatch?: number
}

export interface SignalImport {
  /** Non-empty lines, excluding the header. */
  lines: number
  added: number
  revised: number
  resolved: number
  corrected: number
  unchanged: number
  /** New lines that claim `live` but were recorded after their day had ended; they are stored as backfill. */
  late: number
  /** Lines that repeat another line of the file. */
  repeated: number
  refused: number
  /** The first refusals, in file order. */
  faults: SignalFault[]
  /** The version of the last batch that changed anything, or null. */
  dataVersion: number | null
}

/**
 * Imports a file of forecasts and outcomes. The whole file is staged first, so that contradicting lines are
 * found wherever they are. It is then merged in batches, each with its own transaction and data version.
 * Importing the same file again changes nothing.
 */
export async function importSignals(
  sql: Sql,
  file: SignalFile,
  options: SignalImportOptions,
): Promise<SignalImport> {
  const stage = await openSignalStage(sql)
  try {
    const report = await stageFile(stage, file, options)
    const repeats = await removeRepeats(stage.connection, maxFaults)
    report.repeated = repeats.repeated
    report.refused += repeats.contradicting
    report.faults.push(...repeats.examples.map(contradictionFault))
    const size = options.linesPerBatch ?? linesPerBatch
    for (let after = 0; after < report.lastLine; after += size) {
      const bounds = { afterLine: after, untilLine: after + size, correct: options.correct }
      addBatch(
        report,
        await mergeSignalBatch(stage.connection, {
          ...bounds,
          name: file.name,
          maxExamples: maxFaults,
          firstOpenDay: market => marketDays(options.markets, options.now())(market).firstOpen,
        }),
      )
      const lines = Math.min(after + size, report.lastLine)
      options.onProgress?.({ phase: 'merge', lines, total: report.lastLine })
    }
    if (report.added + report.resolved >= minVacuumRows) await vacuumSignals(stage.connection)
    const { lastLine, ...result } = report
    result.faults = report.faults.sort((a, b) => a.line - b.line).slice(0, maxFaults)
    return result
  } finally {
    await stage.close()
  }
}

type Report = SignalImport & { lastLine: number }

async function stageFile(
  stage: SignalStage,
  file: SignalFile,
  options: SignalImportOptions,
): Promise<Report> {
  const report: Report = {
    lines: 0,
    added: 0,
    revised: 0,
    resolved: 0,
    corrected: 0,
    unchanged: 0,
    late: 0,
    repeated: 0,
    refused: 0,
    faults: [],
    dataVersion: null,
    lastLine: 0,
  }
  const now = options.now()
  const parser = signalLineParser(now.toISOString().slice(0, 10), marketDays(options.markets, now))
  const refuse = (line: number, reason: string) => {
    report.refused++
    if (report.faults.length < maxFaults) report.faults.push({ line, reason })
  }
  try {
    for await (const lines of readLines(file.bytes)) {
      const rows: StagedSignal[] = []
      for (const { line, text, isCut } of lines) {
        report.lastLine = line
        if (line === 1) {
          const fault = parser.header(text.replace(/^\uFEFF/, ''))
          if (fault !== null) throw new Failure('body_invalid', `${file.name}:1: ${fault}.`)
          continue
        }
        if (text === '') continue
        report.lines++
        const row = isCut ? 'the line is longer than 4,096 characters' : parser.row(text, line)
        if (typeof row === 'string') refuse(line, row)
        else rows.push(row)
      }
      if (rows.length > 0) await stage.append(rows)
      options.onProgress?.({ phase: 'read', lines: report.lastLine, total: null })
    }
  } catch (error) {
    throw isBrokenGzip(error) ? brokenGzip(file.name, report.lastLine, error) : error
  }
  if (report.lastLine === 0)
    throw new Failure('body_invalid', `${file.name} is empty. It must start with a header line.`)
  await stage.seal()
  return report
}

function addBatch(report: Report, batch: MergedBatch): void {
  for (const kind of ['added', 'revised', 'resolved', 'corrected', 'unchanged', 'late', 'refused'] as const) {
    report[kind] += batch[kind]
  }
  report.faults.push(...batch.examples.map(refusalFault))
  report.dataVersion = batch.dataVersion ?? report.dataVersion
}

const isBrokenGzip = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_')

function brokenGzip(name: string, lastLine: number, cause: Error): Failure {
  return new Failure(
    'body_invalid',
    `${name}: the gzip data is truncated or damaged after line ${lastLine}; nothing was imported. Download the file again.`,
    { cause },
  )
}

interface SignalFault {
  line: number
  reason: string
}

const nameOf = (row: { date: string; ticker: string; market: string; horizonDays: number }) =>
  `${row.date} ${row.ticker} ${row.market} ${row.horizonDays}d`

function contradictionFault(found: Contradiction): SignalFault {
  const which =
    found.lines === 2
      ? `lines ${found.firstLine} and ${found.lastLine} differ`
      : `${found.lines} lines from ${found.firstLine} to ${found.lastLine} differ`
  return {
    line: found.firstLine,
    reason: `${which} about ${nameOf(found)}: none of them was imported; keep only the correct one`,
  }
}

function refusalFault(change: RefusedChange): SignalFault {
  const record = described(change.oldPredicted, change.oldActual)
  const sent = described(change.predicted, change.actual)
  const what =
    change.oldActual === null
      ? 'a forecast cannot change in the line that adds its outcome'
      : 'a resolved outcome and its forecast cannot change'
  return {
    line: change.line,
    reason: `${nameOf(change)} is on record with ${record}, but the line has ${sent}: ${what}; --correct replaces it and keeps both versions`,
  }
}

function described(predicted: number, actual: number | null): string {
  return `forecast ${predicted}, ${actual === null ? 'no outcome' : `outcome ${actual}`}`
}
