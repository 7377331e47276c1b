import { setImmediate } from 'node:timers/promises'
import type { IsoDate } from '../../dates.ts'
import { type BalanceReport, checkBalances, emptyBalanceReport } from '../../facts/balanceChecks.ts'
import type { SettleTimes } from '../../facts/clockReadings.ts'
import type { MetricRules } from '../../facts/metricRules.ts'
import type { ParsedDocument } from '../../facts/reportedFact.ts'
import type { Sql } from '../../postgres/client.ts'
import { advanceDataVersion, hasChangedData, readDataVersion } from '../../postgres/dataVersion.ts'
import { figureCountOf } from '../../wholeFilings/figureColumns.ts'
import { NamedFaults } from '../reading/namedFaults.ts'
import type { ReadUnit } from '../reading/progress.ts'
import { maintainFactTables } from '../store/bulkIndexes.ts'
import { type FactNames, loadFactNames } from '../store/nameQueries.ts'
import { factsPerTurn, type PreparedBatch, prepareBatch } from './prepareBatch.ts'
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

/** What one register states, with the rules of that register. */
export interface ImportedUnits {
  readonly units: AsyncIterable<ReadUnit> | Iterable<ReadUnit>
  readonly options: ImportOptions
}

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
  const [summary] = await importInTurn(sql, [{ units, options }])
  if (options.isPart !== true) await maintainFactTables(sql, summary.factsAdded)
  return summary
}

/**
 * Like `importFacts`, for several registers in this order, except that the caller maintains the tables at the end.
 * While the last batches of one register are written, the first ones of the next are prepared.
 */
export async function importInTurn(
  sql: Sql,
  imports: readonly ImportedUnits[],
): Promise<readonly ImportSummary[]> {
  const names = await loadFactNames(sql)
  const runs = imports.map(({ units, options }) => new ImportRun(sql, names, units, options))
  let dataVersion = await readDataVersion(sql)
  await writeWhilePreparing(runs)
  return runs.map(run => {
    const summary = run.summarise(dataVersion)
    dataVersion = summary.dataVersion
    return summary
  })
}

/** The import of one register. */
class ImportRun {
  readonly #sql: Sql
  readonly #names: FactNames
  readonly #units: ImportedUnits['units']
  readonly #options: ImportOptions
  readonly #summary: ImportSummary
  readonly #undatedFilings = new Map<number, number>()
  readonly #untimedFilings = new Set<string>()

  constructor(sql: Sql, names: FactNames, units: ImportedUnits['units'], options: ImportOptions) {
    this.#sql = sql
    this.#names = names
    this.#units = units
    this.#options = options
    this.#summary = {
      batches: 0,
      dataVersion: 0,
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
  }

  async *prepare(): AsyncGenerator<PreparedBatch> {
    const {
      rules,
      observedOn = null,
      settleTimes = null,
      factsPerBatch = defaultFactsPerBatch,
    } = this.#options
    const { terms } = this.#names
    for await (const batch of batches(this.#units, factsPerBatch)) {
      const prepared = await prepareBatch(this.#sql, batch, rules, { observedOn, settleTimes, terms })
      await checkAll(
        batch.flatMap(({ parsed }) => parsed),
        rules,
        this.#summary.balances,
      )
      yield prepared
    }
  }

  async write(batch: PreparedBatch): Promise<void> {
    const { result, version } = await this.#sql.begin(async transaction => {
      const result = await writeBatch(transaction, this.#names, batch, this.#options)
      const { source } = this.#options
      const { entities, factsAdded } = result
      const changed = result.changed || (await hasChangedData(transaction))
      const version = changed ? await advanceDataVersion(transaction, { source, entities, factsAdded }) : null
      return { result, version }
    })
    addTo(this.#summary, result)
    for (const [entityId, filings] of result.undatedFilings) {
      if (filings > 0) this.#undatedFilings.set(entityId, filings)
      else this.#undatedFilings.delete(entityId)
    }
    for (const [accession, time] of result.times) {
      if (time === null) this.#untimedFilings.add(accession)
      else this.#untimedFilings.delete(accession)
    }
    this.#summary.batches++
    if (version !== null) this.#summary.dataVersion = version
  }

  /** @param before the data version before the first batch */
  summarise(before: number): ImportSummary {
    if (this.#summary.dataVersion === 0) this.#summary.dataVersion = before
    this.#summary.undatedFilings = [...this.#undatedFilings.values()].reduce(
      (sum, filings) => sum + filings,
      0,
    )
    this.#summary.untimedFilings = this.#untimedFilings.size
    return this.#summary
  }
}

/**
 * Writes one batch while the next two are read and derived, so that the database and this process each use a core.
 */
async function writeWhilePreparing(runs: readonly ImportRun[]): Promise<void> {
  let previous: Promise<void> = Promise.resolve()
  let writing = previous
  try {
    for (const run of runs) {
      for await (const prepared of run.prepare()) {
        await previous
        previous = writing
        writing = writing.then(() => run.write(prepared))
        // A failure is thrown where it is awaited; until then it must not count as unhandled.
        writing.catch(() => {})
      }
    }
  } finally {
    await writing
  }
}

async function checkAll(
  documents: readonly ParsedDocument[],
  rules: MetricRules,
  balances: BalanceReport,
): Promise<void> {
  let facts = 0
  for (const document of documents) {
    checkBalances(document, rules, balances)
    facts += document.reportedFacts.length
    if (facts < factsPerTurn) continue
    facts = 0
    await setImmediate()
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
