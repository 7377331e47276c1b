import { Failure } from '../../errors.ts'
import type { ReadUnit } from '../reading/progress.ts'
import { textLines } from '../reading/textLines.ts'
import { checkEntry, type Entry, messageOf } from '../reading/zip.ts'
import type { PackedSet, SetReport } from '../register.ts'
import { FinancialStatementData } from './fsds.ts'

const statementsHeld = 1_000_000
const entitiesPerUnit = 100
const faultsNamed = 20

/** A Financial Statement Data Set, where the zip is one. */
export function readDataSet(set: PackedSet, report: SetReport): AsyncIterable<ReadUnit> | null {
  const part = (name: string) => set.entries.find(entry => partNamed(name).test(entry.fileName))
  const sub = part('sub')
  const num = part('num')
  return sub && num ? readParts(set, sub, num, report) : null
}

const partNamed = (name: string) => new RegExp(`(^|/)${name}\\.(txt|tsv)$`)

/** Its figures come in no order, so the whole set is gathered by entity, a million statements at a time. */
async function* readParts(
  set: PackedSet,
  sub: Entry,
  num: Entry,
  report: SetReport,
): AsyncGenerator<ReadUnit> {
  const contentKey = `${sub.crc32.toString(36)}-${num.crc32.toString(36)}-${num.uncompressedSize}`
  if (report.isKnown(contentKey)) return
  // Half of a set, or one of which a digit is another, is not imported.
  for (const entry of [sub, num]) await checkEntry(set.zip, entry)
  const data = new FinancialStatementData()
  let faults = 0
  const faulty = (name: string, reason: string) => {
    faults++
    report.skip(name, reason)
  }
  for await (const _ of readLines(set, sub, faulty, line => data.readSubmission(line)));
  let figures = 0
  for await (const bytes of readLines(set, num, faulty, line => data.readFigure(line))) {
    report.figures(data.figuresRead - figures)
    figures = data.figuresRead
    // Half of the work is reading; the other half is writing what was gathered.
    report.progress(bytes / (2 * num.uncompressedSize))
    if (data.waiting >= statementsHeld) yield* unitsOf(data)
  }
  yield* unitsOf(data)
  report.unplaced(data.unplaced)
  // A set with faults is read again next time, when it may be mended.
  if (faults === 0) yield { contributions: [], receipt: { contentKey, name: set.path } }
}

function* unitsOf(data: FinancialStatementData): Generator<ReadUnit> {
  let contributions: ReadUnit['contributions'][number][] = []
  for (const contribution of data.take()) {
    contributions.push(contribution)
    if (contributions.length < entitiesPerUnit) continue
    yield { contributions }
    contributions = []
  }
  if (contributions.length > 0) yield { contributions }
}

/** Gives each line to `take`; a line that it refuses is named and passed over. Yields the bytes read so far. */
async function* readLines(
  { zip, path }: PackedSet,
  entry: Entry,
  faulty: (name: string, reason: string) => void,
  take: (line: string) => void,
): AsyncGenerator<number> {
  const name = `${path}!${entry.fileName}`
  let number = 0
  let faults = 0
  let bytes = 0
  const counted = async function* () {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      bytes += chunk.length
      yield chunk
    }
  }
  for await (const lines of textLines(counted())) {
    for (const line of lines) {
      number++
      if (line === '') continue
      try {
        take(line)
      } catch (error) {
        if (!(error instanceof Failure) || number === 1) throw error
        faults++
        if (faults <= faultsNamed) faulty(name, `line ${number}: ${messageOf(error)}`)
      }
    }
    yield bytes
  }
  if (faults > faultsNamed) faulty(name, `and ${faults - faultsNamed} more lines like these.`)
}
