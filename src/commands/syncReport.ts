import type { Source } from '../ingest/network/source.ts'
import type { SkippedDocument } from '../ingest/reading/progress.ts'
import type { SyncSummary } from '../ingest/sync/syncRegister.ts'
import { sumLines } from './import.ts'

const named = 50

/** Tells what came of a run, and with which exit code it ends. */
export function reportSync(source: Source, summary: SyncSummary, hasImporter: boolean): number {
  const { fetched, imported, waiting } = summary
  tell('not fetched', fetched.failed, fetched.failures)
  tell('skipped', imported.skipped, imported.skipped.length)
  const rows: [string, string | number | null][] = [
    ['requests', `${count(fetched.asked)} (${count(fetched.known)} more were had)`],
    ['new', `${count(fetched.kept)} (${(fetched.keptBytes / 1e6).toFixed(1)} MB)`],
    ['unchanged', fetched.same],
    ['not there', fetched.missing],
    ['not fetched', fetched.failures],
    ['documents', imported.documents],
    ['statements', imported.statements],
    ['facts added', imported.factsAdded],
    ['repeats kept', imported.repeats],
    ...[...imported.leftOut].map(([reason, records]): [string, string] => [
      'left out',
      `${count(records)}: ${reason}`,
    ]),
    ['malformed', imported.malformed],
    ...(imported.awaiting > 0
      ? [
          [
            'awaiting',
            `${count(imported.awaiting)} filings whose day no document has told; kept, not served`,
          ] as [string, string],
        ]
      : []),
    ['skipped', imported.skipped.length],
    ['data version', imported.dataVersion],
  ]
  for (const [label, value] of rows)
    if (value !== null) console.log(`${label.padEnd(15)}${typeof value === 'number' ? count(value) : value}`)
  for (const line of sumLines(imported.sums)) console.log(line)
  if (!hasImporter && waiting > 0) {
    console.log(
      `There is no importer for ${source.market} yet: ${count(waiting)} files wait in the archive for one.`,
    )
  }
  if (fetched.stopped !== null) console.error(fetched.stopped)
  const isWhole = fetched.failures === 0 && fetched.stopped === null && imported.skipped.length === 0
  if (isWhole) return 0
  return fetched.interrupted || fetched.kept + fetched.same + fetched.known + imported.documents > 0 ? 1 : 2
}

function tell(what: string, documents: readonly SkippedDocument[], all: number): void {
  for (const { name, reason } of documents.slice(0, named)) console.error(`${what} ${name}: ${reason}`)
  if (all > named) console.error(`${what}: ${count(all - named)} more.`)
}

const count = (value: number) => value.toLocaleString('en-US')
