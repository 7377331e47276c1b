import { Failure } from '../../../errors.ts'
import { loadMarkets } from '../../../markets/markets.ts'
import type { Sql } from '../../../postgres/client.ts'
import { importSignals, type SignalFile, type SignalImport } from './importSignals.ts'
import { readLines, signalHeader, signalLineParser } from './lines.ts'
import { marketDays } from './marketDays.ts'
import type { StagedSignal } from './stageQueries.ts'

const sample = new URL('../../../../sample/signals.csv.gz', import.meta.url)
/** The sample has no later outcomes. */
const lastDay = new Date('2017-12-31T12:00:00Z')

/** Loads the signals that ship with the project. They are `backfill`, because their outcomes were known. */
export async function loadSignalsSample(sql: Sql): Promise<SignalImport> {
  const file = { name: 'signals.csv.gz', bytes: Bun.file(sample).stream() }
  return importSignals(sql, file, { correct: false, now: () => lastDay, markets: await loadMarkets() })
}

const sampleHorizonDays = new Set([1, 7])

/**
 * The resolved 1d and 7d rows of a file, sorted and gzipped, in the same layout. The same rows always give
 * the same bytes.
 */
export async function makeSignalsSample(
  file: SignalFile,
  now: Date,
): Promise<{ bytes: Uint8Array; rows: number }> {
  const parser = signalLineParser(now.toISOString().slice(0, 10), marketDays(await loadMarkets(), now))
  const rows: StagedSignal[] = []
  for await (const lines of readLines(file.bytes)) {
    for (const { line, text } of lines) {
      const row = line === 1 ? parser.header(text) : parser.row(text, line)
      if (typeof row === 'string') throw new Failure('body_invalid', `${file.name}:${line}: ${row}.`)
      if (row !== null && row.actual !== null && sampleHorizonDays.has(row.horizonDays)) rows.push(row)
    }
  }
  const text = `${signalHeader}\n${rows.sort(byPlace).map(csvRow).join('')}`
  return { bytes: Bun.gzipSync(Buffer.from(text), { library: 'libdeflate', level: 12 }), rows: rows.length }
}

const byPlace = (a: StagedSignal, b: StagedSignal) =>
  compare(a.date, b.date) ||
  compare(a.ticker, b.ticker) ||
  compare(a.market, b.market) ||
  a.horizonDays - b.horizonDays

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const csvRow = (row: StagedSignal) =>
  `${row.date},${row.ticker},${row.market},${row.horizonDays}d,${row.predicted},${row.actual}\n`
