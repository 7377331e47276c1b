import { Failure } from '../../../errors.ts'
import { FinancialStatementData } from '../fsds.ts'
import type { ReadProgress, ReadUnit } from './readUnits.ts'
import { textLines } from './textLines.ts'
import { type Entry, messageOf, type ZipFile } from './zip.ts'

const statementsHeld = 1_000_000
const entitiesPerUnit = 100
const faultsNamed = 20

/** Reads a Financial Statement Data Set. Its figures come in no order, so the whole set is gathered by entity,
 * a million statements at a time. */
export async function* readDataSet(
  zip: ZipFile,
  sub: Entry,
  num: Entry,
  receipt: { readonly name: string; readonly contentKey: string },
  known: ReadonlySet<string>,
  progress: ReadProgress,
): AsyncGenerator<ReadUnit> {
  progress.documents++
  if (known.has(receipt.contentKey)) {
    progress.documentsKnown++
    return
  }
  const data = new FinancialStatementData()
  const before = progress.skipped.length
  await readLines(zip, sub, `${receipt.name}!${sub.fileName}`, progress, line => data.readSubmission(line))
  const figuresBefore = progress.figuresRead
  const lines = eachLine(zip, num, `${receipt.name}!${num.fileName}`, progress, line => data.readFigure(line))
  for await (const _ of lines) {
    progress.figuresRead = figuresBefore + data.figuresRead
    if (data.waiting >= statementsHeld) yield* unitsOf(data)
  }
  yield* unitsOf(data)
  progress.unplaced += data.unplaced
  // A set with faults is read again next time, when it may be mended.
  if (progress.skipped.length === before) yield { contributions: [], receipt }
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

async function readLines(...args: Parameters<typeof eachLine>): Promise<void> {
  for await (const _ of eachLine(...args));
}

/** Gives each line to `take`; a line that it refuses is named and passed over. Yields now and then. */
async function* eachLine(
  zip: ZipFile,
  entry: Entry,
  name: string,
  progress: ReadProgress,
  take: (line: string) => void,
): AsyncGenerator<void> {
  let number = 0
  let faults = 0
  const stream = await zip.openReadStreamPromise(entry)
  for await (const lines of textLines(stream)) {
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
    yield
  }
  if (faults > faultsNamed) {
    progress.skipped.push({ name, reason: `and ${faults - faultsNamed} more lines like these.` })
  }
}
