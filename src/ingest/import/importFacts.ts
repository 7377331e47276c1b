import { setImmediate } from 'node:timers/promises'
import type { IsoDate } from '../../dates.ts'
import { type BalanceReport, checkBalances, emptyBalanceReport } from '../../facts/balanceChecks.ts'
import type { SettleTimes } from '../../facts/clockReadings.ts'
import type { MetricRules } from '../../facts/metricRules.ts'
import type { Sql } from '../../postgres/client.ts'
import { advanceDataVersion, hasChangedData, readDataVersion } from '../../postgres/dataVersion.ts'
import { figureCountOf } from '../../wholeFilings/figureColumns.ts'
import type { Terms } from '../../wholeFilings/terms.ts'
import { NamedFaults } from '../reading/namedFaults.ts'
import type { ReadUnit } from '../reading/progress.ts'
import { maintainFactTables } from '../store/bulkIndexes.ts'
import { loadFactNames } from '../store/nameQueries.ts'
import { type PreparedBatch, prepareBatch } from './prepareBatch.ts'
import { type BatchResult, writeBatch } from './writeBatch.ts'

export interface ImportOptions {
  /** The register that is recorded as the source of each data version. */
  readonly source: string
  readonly rules: MetricRules
  /** Set if the register overwrites: the day of observation for documents that do not state one. */
  readonly observedOn?: number
  /** The day on which the register was read, for changes of its list of IDs. Default: today. */
  readonly seenOn?: IsoDate
  /** See `Register.replaces`. */
  readonly replaces?: boolean
  /** See `Register.settleTimes`. */
  readonly settleTimes?: SettleTimes | null
  /** True if another import follows at once and the caller maintains the tables at the end. */
  readonly isPart?: boolean
  /** A batch is written after this many reported facts. Smaller batches make the whole import slower. */
  readonly factsPerBatch?: number
}

export interface ImportSummary extends Omit<BatchResult, 'undatedFilings' | 'times'> {
  /**
   * Filings of this import's entities for which no source has stated a date yet. They are stored but not served.
   */
  undatedFilings: number
  /**
   * Filings whose sources show a time without determining which instant it is. They count from the end of their day.
   */
  untimedFilings: number
  /**
   * Accounting identities checked in the imported accounts. Violations are reported and have no other effect.
   */
  readonly balances: BalanceReport
  batches: number
  dataVersion: number
}

const defaultFactsPerBatch = 80_000
const entitiesPerBatch = 2_000
/** A figure of a whole filing takes this much less time and memory than a mapped fact. */
const figuresPerFact = 8

/**
 * The only way into the fact tables. Imports `units` in batches of bounded size. Each batch is committed as a
 * whole and has its own data version if it changed anything that is served. A later run recognises what was
 * committed and adds nothing twice.
 */
export async function importFacts(
  sql: Sql,
  units: AsyncIterable<ReadUnit> | Iterable<ReadUnit>,
  options: ImportOptions,
): Promise<ImportSummary> {
  const names = await loadFactNames(sql)
  const summary: ImportSummary = {
    batches: 0,
    dataVersion: await readDataVersion(sql),
    entities: 0,
    reportedFacts: 0,
    factsAdded: 0,
    factsRemoved: 0,
    corrections: new NamedFaults(),
    repeats: 0,
    unplaced: 0,
    undatedFilings: 0,
    untimedFilings: 0,
    balances: emptyBalanceReport(),
    changed: false,
  }
  const undatedFilings = new Map<number, number>()
  const untimedFilings = new Set<string>()
  const write = async (batch: PreparedBatch) => {
    const { result, version } = await sql.begin(async transaction => {
      const result = await writeBatch(transaction, names, batch, options)
      const { source } = options
      const { entities, factsAdded } = result
      const changed = result.changed || (await hasChangedData(transaction))
      const version = changed ? await advanceDataVersion(transaction, { source, entities, factsAdded }) : null
      return { result, version }
    })
    addTo(summary, result)
    for (const [entityId, filings] of result.undatedFilings) {
      if (filings > 0) undatedFilings.set(entityId, filings)
      else undatedFilings.delete(entityId)
    }
    for (const [accession, time] of result.times) {
      if (time === null) untimedFilings.add(accession)
      else untimedFilings.delete(accession)
    }
    summary.batches++
    if (version !== null) summary.dataVersion = version
  }
  await writeWhilePreparing(sql, units, names.terms, options, summary.balances, write)
  summary.undatedFilings = [...undatedFilings.values()].reduce((sum, filings) => sum + filings, 0)
  summary.untimedFilings = untimedFilings.size
  if (options.isPart !== true) await maintainFactTables(sql, summary.factsAdded)
  return summary
}

/**
 * Writes one batch while the next two are read and derived, so that the database and this process each use a core.
 */
async function writeWhilePreparing(
  sql: Sql,
  units: AsyncIterable<ReadUnit> | Iterable<ReadUnit>,
  terms: Terms,
  options: ImportOptions,
  balances: BalanceReport,
  write: (batch: PreparedBatch) => Promise<void>,
): Promise<void> {
  const { rules, observedOn = null, settleTimes = null, factsPerBatch = defaultFactsPerBatch } = options
  let previous: Promise<void> = Promise.resolve()
  let writing = previous
  try {
    for await (const batch of batches(units, factsPerBatch)) {
      const prepared = await prepareBatch(sql, batch, rules, { observedOn, settleTimes, terms })
      for (const { parsed } of batch)
        for (const document of parsed) {
          checkBalances(document, rules, balances)
          await setImmediate()
        }
      await previous
      previous = writing
      writing = writing.then(() => write(prepared))
      // A failure is thrown where it is awaited; until then it must not count as unhandled.
      writing.catch(() => {})
    }
  } finally {
    await writing
  }
}

async function* batches(
  units: AsyncIterable<ReadUnit> | Iterable<ReadUnit>,
  factsPerBatch: number,
): AsyncGenerator<readonly ReadUnit[]> {
  let batch: ReadUnit[] = []
  let facts = 0
  let entities = 0
  for await (const unit of units) {
    batch.push(unit)
    entities += unit.parsed.length
    for (const { reportedFacts } of unit.parsed) facts += reportedFacts.length
    facts += (unit.statements?.entries.length ?? 0) + (unit.statements?.announcements?.length ?? 0)
    for (const { whole } of unit.wholeFilings ?? []) facts += figureCountOf(whole) / figuresPerFact
    // Meanwhile this thread also sends the previous batch to the database.
    await setImmediate()
    if (facts < factsPerBatch && entities < entitiesPerBatch) continue
    yield batch
    batch = []
    facts = 0
    entities = 0
  }
  if (batch.length > 0) yield batch
}

function addTo(summary: ImportSummary, result: BatchResult): void {
  summary.entities += result.entities
  summary.reportedFacts += result.reportedFacts
  summary.factsAdded += result.factsAdded
  summary.factsRemoved += result.factsRemoved
  summary.corrections.addAll(result.corrections)
  summary.repeats += result.repeats
  summary.unplaced += result.unplaced
  summary.changed ||= result.changed
}
