import { setImmediate } from 'node:timers/promises'
import { checkSums, noSums, type SumReport } from '../../facts/balanceChecks.ts'
import type { Sql } from '../../postgres/client.ts'
import { advanceDataVersion, readDataVersion } from '../../postgres/snapshot.ts'
import { tidyFacts } from '../store/bulkIndexes.ts'
import { loadFactNames } from '../store/nameQueries.ts'
import type { BatchResult, ImportOptions, ImportUnit, PreparedBatch } from './batch.ts'
import { prepareBatch } from './prepareBatch.ts'
import { writeBatch } from './writeBatch.ts'

export interface ImportSummary extends Omit<BatchResult, 'awaiting'> {
  /** Filings of the entities of this import whose day no source has told yet: they are kept and not served. */
  awaiting: number
  /** Sums that must hold in what was read. They are reported and nothing else. */
  readonly sums: SumReport
  batches: number
  dataVersion: number
}

const statementsPerBatch = 80_000
const entitiesPerBatch = 2_000

/** The one way into the fact tables. Works through `units` in batches that are bounded in size and are each
 * committed whole, with a data version of their own if they changed anything that is served. What was committed
 * is found by the next run, which adds nothing twice. */
export async function importStatements(
  sql: Sql,
  units: AsyncIterable<ImportUnit> | Iterable<ImportUnit>,
  options: ImportOptions,
): Promise<ImportSummary> {
  const names = await loadFactNames(sql)
  const summary: ImportSummary = {
    batches: 0,
    dataVersion: await readDataVersion(sql),
    entities: 0,
    statements: 0,
    factsAdded: 0,
    factsRemoved: 0,
    repeats: 0,
    unplaced: 0,
    awaiting: 0,
    sums: noSums(),
    changed: false,
  }
  const awaiting = new Map<number, number>()
  const write = async (batch: PreparedBatch) => {
    const { result, version } = await sql.begin(async transaction => {
      const result = await writeBatch(transaction, names, batch, options)
      const version = result.changed
        ? await advanceDataVersion(transaction, {
            source: options.source,
            entities: result.entities,
            factsAdded: result.factsAdded,
          })
        : null
      return { result, version }
    })
    addTo(summary, result)
    for (const [entityId, filings] of result.awaiting) {
      if (filings > 0) awaiting.set(entityId, filings)
      else awaiting.delete(entityId)
    }
    summary.batches++
    if (version !== null) summary.dataVersion = version
  }
  const { rules, pulledOn = null } = options
  // One batch is written while the next two are read and derived: the database works on one core, this process on another.
  let before: Promise<void> = Promise.resolve()
  let writing = before
  try {
    for await (const batch of batches(units)) {
      const prepared = await prepareBatch(sql, batch, rules, pulledOn)
      for (const { contributions } of batch)
        for (const contribution of contributions) {
          checkSums(contribution, options.rules, summary.sums)
          await setImmediate()
        }
      await before
      before = writing
      writing = writing.then(() => write(prepared))
      // A failure is met where it is awaited; until then it must not count as unhandled.
      writing.catch(() => {})
    }
  } finally {
    await writing
  }
  summary.awaiting = [...awaiting.values()].reduce((sum, filings) => sum + filings, 0)
  if (options.isPart !== true) await tidyFacts(sql, summary.factsAdded)
  return summary
}

async function* batches(
  units: AsyncIterable<ImportUnit> | Iterable<ImportUnit>,
): AsyncGenerator<readonly ImportUnit[]> {
  let batch: ImportUnit[] = []
  let statements = 0
  let entities = 0
  for await (const unit of units) {
    batch.push(unit)
    entities += unit.contributions.length
    for (const contribution of unit.contributions) statements += contribution.statements.length
    // Meanwhile the batch before this one is sent to the database, by this thread too.
    await setImmediate()
    if (statements < statementsPerBatch && entities < entitiesPerBatch) continue
    yield batch
    batch = []
    statements = 0
    entities = 0
  }
  if (batch.length > 0) yield batch
}

function addTo(summary: ImportSummary, result: BatchResult): void {
  summary.entities += result.entities
  summary.statements += result.statements
  summary.factsAdded += result.factsAdded
  summary.factsRemoved += result.factsRemoved
  summary.repeats += result.repeats
  summary.unplaced += result.unplaced
  summary.changed ||= result.changed
}
