import { Failure } from '../../../errors.ts'
import { FinancialStatementData } from '../fsds.ts'
import type { ReadProgress, ReadUnit } from './readUnits.ts'
import { textLines } from './textLines.ts'
import { type Entry, messageOf, type ZipFile } from './zip.ts'

export interface DataSet {
  readonly sub: Entry
  readonly num: Entry
  /** Size of the zip. */
  readonly bytes: number
  readonly name: string
  readonly contentKey: string
}

const statementsHeld = 1_000_000
const entitiesPerUnit = 100
const faultsNamed = 20

/** Reads a Financial Statement Data Set. Its figures come in no order, so the whole set is gathered by entity,
 * a million statements at a time. */
export async function* readDataSet(
  zip: ZipFile,
  set: DataSet,
  known: ReadonlySet<string>,
  progress: ReadProgress,
): AsyncGenerator<ReadUnit> {
  progress.documents++
  if (known.has(set.contentKey)) {
    progress.documentsKnown++
    return
  }
  const data = new FinancialStatementData()
  const faultsBefore = progress.skipped.length
  for await (const _ of readLines(zip, set, set.sub, progress, line => data.readSubmission(line)));
  const { figuresRead, bytesRead } = progress
  for await (const bytes of readLines(zip, set, set.num, progress, line => data.readFigure(line))) {
    progress.figuresRead = figuresRead + data.figuresRead
    // Half of the work is reading; the other half is writing what was gathered.
    progress.bytesRead = bytesRead + (set.bytes * bytes) / (2 * set.num.uncompressedSize)
    progress.changed()
    if (data.waiting >= statementsHeld) yield* unitsOf(data, progress)
  }
  yield* unitsOf(data, progress)
  progress.unplaced += data.unplaced
  // A set with faults is read again next time, when it may be mended.
  if (progress.skipped.length === faultsBefore) {
    yield { contributions: [], receipt: { contentKey: set.contentKey, name: set.name } }
  }
}

function* unitsOf(data: FinancialStatementData, progress: ReadProgress): Generator<ReadUnit> {
  let contributions: ReadUnit['contributions'][number][] = []
  for (const contribution of data.take()) {
    contributions.push(contribution)
    if (contributions.length < entitiesPerUnit) continue
    yield { contributions }
    progress.changed()
    contributions = []
  }
  if (contributions.length > 0) yield { contributions }
}

/** Gives each line to `take`; a line that it refuses is named and passed over. Yields the bytes read so far. */
async function* readLines(
  zip: ZipFile,
  set: DataSet,
  entry: Entry,
  progress: ReadProgress,
  take: (line: string) => void,
): AsyncGenerator<number> {
  const name = `${set.name}!${entry.fileName}`
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
        if (faults <= faultsNamed) {
          progress.skipped.push({ name, reason: `line ${number}: ${messageOf(error)}` })
        }
      }
    }
    yield bytes
  }
  if (faults > faultsNamed) {
    progress.skipped.push({ name, reason: `and ${faults - faultsNamed} more lines like these.` })
  }
}
