import { isoDate } from '../dates.ts'
import { type BalanceReport, balanceChecks } from '../facts/balanceChecks.ts'
import type { RegisterImport } from '../ingest/import/importRegister.ts'
import type { Source } from '../ingest/network/source.ts'
import type { NamedFaults } from '../ingest/reading/namedFaults.ts'
import type { SkippedDocument } from '../ingest/reading/progress.ts'
import type { SyncSummary } from '../ingest/sync/syncRegister.ts'
import { exitCodes } from './context.ts'
import { importJson } from './importJson.ts'
import { grouped, printLine } from './output.ts'

/** Null if the row is omitted. */
type Row = readonly [label: string, value: string | number | null]

/**
 * Prints an import's result and returns the exit code.
 *
 * @param json prints one JSON object on standard output instead of lines
 */
export async function reportImport(
  market: string,
  imported: RegisterImport,
  seconds: number,
  json: boolean,
): Promise<number> {
  const { read } = imported
  printFaults('skipped', read.skipped, read.skipped.length)
  if (json) await printLine(JSON.stringify(importJson(market, imported, seconds)))
  else printImport(imported, seconds)
  if (read.documents === 0) console.error('Nothing was imported: no document could be read.')
  const isComplete = read.documents > 0 && read.skipped.length === 0 && read.malformed === 0
  return isComplete ? exitCodes.done : exitCodes.failed
}

function printImport({ read, written }: RegisterImport, seconds: number): void {
  const known =
    read.documentsUnchanged > 0 ? ` (${grouped(read.documentsUnchanged)} of them imported before)` : ''
  const rate = Math.round(read.figuresRead / Math.max(seconds, 0.001))
  printRows([
    ['documents', `${grouped(read.documents)}${known}`],
    ['figures read', `${grouped(read.figuresRead)} in ${seconds.toFixed(1)} s (${grouped(rate)}/s)`],
    ['reported facts', written.reportedFacts],
    ['facts added', written.factsAdded],
    ['facts replaced', positive(written.factsRemoved)],
    ['repeats', written.repeats],
    ['unplaced', `${grouped(read.unplaced + written.unplaced)} (periods outside any fiscal year)`],
    ['awaiting', awaiting(written.undatedFilings)],
    ['without a time', untimed(written.untimedFilings)],
    ...leftOut(read.leftOut),
    ['malformed', positive(read.malformed)],
    ...named('  figure', read.faults),
    ['contradictory', positive(read.contradictions.count)],
    ...named('  figure', read.contradictions),
    ['corrected', positive(written.corrections.count)],
    ...named('  figure', written.corrections),
    ['in the future', futureFilings(read.futureFilings)],
    ['skipped', read.skipped.length],
  ])
  printBalances(written.balances)
  printRows([['data version', String(written.dataVersion)]])
}

/** Prints a sync's result and returns the exit code. */
export function reportSync(source: Source, summary: SyncSummary, hasImporter: boolean): number {
  const { fetched, imported, waiting } = summary
  printFaults('not fetched', fetched.failed, fetched.failures)
  printFaults('skipped', imported.skipped, imported.skipped.length)
  printRows([
    ['requests', `${grouped(fetched.requests)} (${grouped(fetched.cached)} more were already stored)`],
    ['new', `${grouped(fetched.saved)} (${(fetched.savedBytes / 1e6).toFixed(1)} MB)`],
    ['unchanged', fetched.unchanged],
    ['not found', fetched.missing],
    ['not fetched', fetched.failures],
    ['documents', imported.documents],
    ['reported facts', imported.reportedFacts],
    ['facts added', imported.factsAdded],
    ['repeats', imported.repeats],
    ...leftOut(imported.leftOut),
    ['malformed', imported.malformed],
    ...named('  figure', imported.faults),
    ['contradictory', positive(imported.contradictions.count)],
    ...named('  figure', imported.contradictions),
    ['in the future', futureFilings(imported.futureFilings)],
    ['awaiting', awaiting(imported.undatedFilings)],
    ['without a time', untimed(imported.untimedFilings)],
    ['skipped', imported.skipped.length],
    ['data version', imported.dataVersion],
  ])
  printBalances(imported.balances)
  if (!hasImporter && waiting > 0) {
    console.log(
      `There is no importer for ${source.market} yet; ${grouped(waiting)} files are waiting in the archive.`,
    )
  }
  if (fetched.stopped !== null) console.error(fetched.stopped)
  const isComplete = fetched.failures === 0 && fetched.stopped === null && imported.skipped.length === 0
  return isComplete ? exitCodes.done : exitCodes.failed
}

const maxNamed = 50

function printFaults(label: string, documents: readonly SkippedDocument[], total: number): void {
  for (const { name, reason } of documents.slice(0, maxNamed)) console.error(`${label} ${name}: ${reason}`)
  if (total > maxNamed) console.error(`${label}: ${grouped(total - maxNamed)} more.`)
}

function printRows(rows: readonly Row[]): void {
  for (const [label, value] of rows)
    if (value !== null) console.log(label.padEnd(15) + (typeof value === 'number' ? grouped(value) : value))
}

const positive = (value: number) => (value > 0 ? value : null)

const awaiting = (filings: number) =>
  filings > 0 ? `${grouped(filings)} filings without a filing day in any document; stored, not served` : null

const untimed = (filings: number) =>
  filings > 0
    ? `${grouped(filings)} filings without a certain time of acceptance; they count from the end of their day`
    : null

/** One row for each fault that is shown, and a last row with the number of the others. */
const named = (label: string, { count, named }: NamedFaults): Row[] => {
  const rows = named.map((text): Row => [label, text])
  return count > named.length ? [...rows, [label, `and ${grouped(count - named.length)} more`]] : rows
}

const maxFilingsNamed = 5

function futureFilings(filings: ReadonlyMap<string, number>): string | null {
  if (filings.size === 0) return null
  const first = [...filings]
    .slice(0, maxFilingsNamed)
    .map(([accession, day]) => `${accession} (${isoDate(day)})`)
  const more = filings.size > first.length ? ' and others' : ''
  return `${grouped(filings.size)} filings dated after today, served from their day on: ${first.join(', ')}${more}`
}

const leftOut = (reasons: ReadonlyMap<string, number>) =>
  [...reasons].map(([reason, records]): Row => ['left out', `${grouped(records)}: ${reason}`])

/** Figures are served as filed, whether or not they balance. */
function printBalances({ counts, examples }: BalanceReport): void {
  for (const check of balanceChecks) {
    const { checked, broken, open } = counts[check]
    if (checked === 0) continue
    const unproven =
      open > 0 ? `, ${grouped(open)} open (an item without a metric may explain the difference)` : ''
    printRows([['checks', `${check}: ${grouped(checked)} checked, ${grouped(broken)} broken${unproven}`]])
    for (const example of examples) {
      if (example.check !== check) continue
      const { market, issuerId, start, end, accession, difference, unit } = example
      const days = start === null ? end : `${start}..${end}`
      printRows([
        ['  broken', `${market} ${issuerId} ${days} ${accession}: off by ${grouped(difference)} ${unit}`],
      ])
    }
  }
}
