import { type IsoDate, isoDate } from '../../dates.ts'
import type { SettledTimes, SettleTimes } from '../../facts/clockReadings.ts'
import { type DerivedEntity, deriveFacts } from '../../facts/deriveFacts.ts'
import { isSameFiling } from '../../facts/filings.ts'
import type { MetricRules } from '../../facts/metricRules.ts'
import { entityKey, type Filing, type ReportedFact, unknownFilingDate } from '../../facts/reportedFact.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { lockNextDataVersion } from '../../postgres/dataVersion.ts'
import type { OverwriteRules } from '../observations/factsFromObservations.ts'
import { NamedFaults } from '../reading/namedFaults.ts'
import { endOfDayIn } from '../registers/zones.ts'
import { saveAnnouncements } from '../store/announcementQueries.ts'
import { type SavedEntity, saveEntities, saveOtherNames } from '../store/entityQueries.ts'
import {
  addFacts,
  addRepeats,
  amendFacts,
  type FactsOfEntity,
  type RepeatsOfEntity,
  removeRows,
} from '../store/factQueries.ts'
import { type FilingIds, type FilingOnRecord, removeFilings } from '../store/filingQueries.ts'
import { recordFutureDays } from '../store/futureDayQueries.ts'
import { planByIndex, recordImportedFiles, takeImportLock } from '../store/importQueries.ts'
import { type MomentsOfEntity, saveMoments } from '../store/momentQueries.ts'
import type { FactNames } from '../store/nameQueries.ts'
import { fillReadyAnswers } from '../store/readyQueries.ts'
import { saveStatements } from '../store/statementQueries.ts'
import { reportedFactOf } from '../store/storedRows.ts'
import { dateCoverSymbols, saveCoverSymbols } from '../store/symbolQueries.ts'
import {
  companyAndAccession,
  type EncodedFiling,
  filingsOfBetterSources,
  saveWholeFilings,
} from '../store/wholeFilingQueries.ts'
import { applyObservations } from './applyObservations.ts'
import { diffEntity } from './diffEntity.ts'
import { type EntityWork, readEntityWork } from './entityWork.ts'
import { notMended } from './laterStatements.ts'
import type { PreparedBatch, PreparedFiling } from './prepareBatch.ts'
import { readRetimedWork } from './retimedWork.ts'
import { type PlannedFilings, planFilings, saveFilings } from './saveFilings.ts'

export interface BatchResult {
  /** Entities that are new or about which more is known. */
  entities: number
  reportedFacts: number
  factsAdded: number
  factsRemoved: number
  /** Figures of a filing on record for which a later document states another value. */
  readonly corrections: NamedFaults
  repeats: number
  unplaced: number
  /** For each entity that the batch touched, how many of its filings still have no known date. */
  undatedFilings: ReadonlyMap<number, number>
  /** The acceptance times of filings on record that the readings determine for this batch, by accession; null if they
   * determine none. */
  times: SettledTimes
  /** False if everything was already known. */
  changed: boolean
}

interface BatchRules {
  readonly rules: MetricRules
  readonly replaces?: boolean
  readonly settleTimes?: SettleTimes | null
  /** The day on which the register was read; null: today. */
  readonly seenOn?: IsoDate | null
}

/** New filings that were accepted after their filing day. */
function lateFilings({ added }: PlannedFilings): string[] {
  const dayMs = 86_400_000
  return added.flatMap(({ filing: { accession, acceptedAt, filed } }) =>
    acceptedAt !== null && acceptedAt >= (filed + 1) * dayMs ? [accession] : [],
  )
}

/** Without filings that only announce results. */
const timesOnRecord = ({ times, filings }: PlannedFilings): SettledTimes =>
  new Map([...times].filter(([accession]) => filings.has(accession)))

/** Null: no source has dated the filing yet. */
function filedOf({ filings }: PlannedFilings, accession: string): IsoDate | null {
  const filed = filings.get(accession)?.filed ?? unknownFilingDate
  return filed === unknownFilingDate ? null : isoDate(filed)
}

/** Writes what some files state, inside one transaction. */
export async function writeBatch(
  transaction: TransactionSql,
  names: FactNames,
  { items, receipts, statements, wholeFilings, observations }: PreparedBatch,
  { rules, replaces = false, settleTimes = null, seenOn = null }: BatchRules,
): Promise<BatchResult> {
  await takeImportLock(transaction)
  await planByIndex(transaction)
  const profiles = items.map(({ parsed }) => parsed.profile)
  const saved = await saveEntities(transaction, profiles, seenOn)
  const entities = await saveOtherNames(transaction, profiles, saved)
  const onRecord = new Map<number, FilingOnRecord>()
  const read = await readEntityWork(transaction, names, entities, items, onRecord)
  const stated = withoutStatesOf(
    read,
    await filingsOfBetterSources(transaction, ofCompanies(wholeFilings, entities)),
  )
  const overwriteRules: OverwriteRules = { rules, replaces }
  const work =
    observations === null
      ? stated
      : await applyObservations(transaction, names, stated, observations, overwriteRules)
  const { announcements = [], covers = [] } = statements
  const announced = announcements.map(({ filing }) => filing)
  const planned = await planFilings(transaction, work, onRecord.values(), settleTimes, announced)
  const changes = new FactChanges()
  let unplaced = 0
  for (const item of work) unplaced += changes.collect(item, planned.filings, rules)
  const obsolete = await saveFilings(transaction, work, planned, changes.figures, changes.counted)
  const retimed = await readRetimedWork(transaction, names, work, planned)
  for (const item of retimed.work) changes.collect(item, retimed.filings, rules)
  await changes.write(transaction, names, planned.ids)
  await removeFilings(transaction, obsolete)
  await saveWholeFilings(
    transaction,
    names.terms,
    // Those whose filing days are stored.
    ofCompanies(wholeFilings, entities).filter(({ accession }) => planned.ids.has(accession)),
    planned.ids,
  )
  const datedCovers = covers.map(cover => ({ ...cover, filed: filedOf(planned, cover.accession) }))
  await dateCoverSymbols(
    transaction,
    planned.amended.map(({ accession }) => accession),
  )
  await saveCoverSymbols(transaction, datedCovers, seenOn)
  const concerned = [...entities, ...retimed.work.map(({ entity }) => entity)]
  await saveStatements(transaction, statements, concerned, [...lateFilings(planned), ...planned.retimed])
  await saveAnnouncements(transaction, announcements, planned.times)
  // Any change removed these companies' ready answers, so they are made again.
  await fillReadyAnswers(
    transaction,
    concerned.map(({ entityId }) => entityId),
  )
  await recordImportedFiles(transaction, receipts)
  const entitiesChanged = entities.filter(entity => entity.changed).length
  return {
    entities: entitiesChanged,
    reportedFacts: items.reduce((sum, { parsed }) => sum + parsed.reportedFacts.length, 0),
    factsAdded: changes.factsAdded,
    factsRemoved: changes.removedFacts.length,
    corrections: changes.corrections,
    repeats: changes.repeatsAdded,
    unplaced,
    undatedFilings: changes.undatedFilings,
    times: timesOnRecord(planned),
    changed: entitiesChanged > 0 || changes.areServed,
  }
}

/**
 * A less complete source of a filing neither sets nor clears the states of its figures, as it does not replace its content:
 * the order of imports decides nothing.
 */
function withoutStatesOf(work: readonly EntityWork[], filings: ReadonlySet<string>): readonly EntityWork[] {
  if (filings.size === 0) return work
  return work.map(item => {
    const { entityId } = item.entity
    const reportedFacts = item.parsed.reportedFacts.map(({ check, ...reported }) =>
      check === undefined ||
      filings.has(companyAndAccession({ entityId, accession: reported.filing.accession }))
        ? reported
        : { ...reported, check },
    )
    return { ...item, parsed: { ...item.parsed, reportedFacts } }
  })
}

function ofCompanies(
  prepared: readonly PreparedFiling[],
  entities: readonly SavedEntity[],
): readonly EncodedFiling[] {
  const byKey = new Map(entities.map(entity => [entityKey(entity), entity.entityId]))
  return prepared.flatMap(({ market, issuerId, ...filing }) => {
    const entityId = byKey.get(entityKey({ market, issuerId }))
    return entityId === undefined ? [] : [{ ...filing, entityId }]
  })
}

/** The changes that a batch makes to the fact tables. */
class FactChanges {
  factsAdded = 0
  factsAmended = 0
  repeatsAdded = 0
  readonly undatedFilings = new Map<number, number>()
  readonly removedFacts: string[] = []
  readonly corrections = new NamedFaults()
  /**
   * By accession: the number of a filing's figures that are on record after this batch, served or not, for the
   * companies `counted`.
   */
  readonly figures = new Map<string, number>()
  private readonly removedRepeats: string[] = []
  private readonly addedFacts: FactsOfEntity[] = []
  private readonly amendedFacts: FactsOfEntity[] = []
  private readonly addedRepeats: RepeatsOfEntity[] = []
  private readonly moments: MomentsOfEntity[] = []

  get counted(): Iterable<number> {
    return this.undatedFilings.keys()
  }

  get areServed(): boolean {
    return this.factsAdded + this.factsAmended + this.removedFacts.length > 0
  }

  /** Returns how many reported facts match none of the entity's fiscal years. */
  collect(work: EntityWork, filings: ReadonlyMap<string, Filing>, rules: MetricRules): number {
    const { entityId, fiscalYearEnd } = work.entity
    const reportedFacts = allReportedFacts(work, filings)
    if (reportedFacts.length === 0) return 0
    const derived =
      validDerivedAhead(work, filings) ??
      deriveFacts(reportedFacts, {
        rules,
        fiscalYearEnd,
        filings,
        endOfDay: endOfDayIn(work.entity.market),
      })
    this.moments.push({ entityId, moments: derived.moments })
    this.undatedFilings.set(entityId, derived.undatedFilings)
    for (const { tag, filing } of derived.facts) if (tag !== null) this.count(filing.accession)
    for (const { reported } of derived.repeats) this.count(reported.filing.accession)
    const change = diffEntity(derived, work.storedFacts, work.storedRepeats)
    this.addedFacts.push({ entityId, facts: change.addedFacts })
    this.amendedFacts.push({ entityId, facts: change.amendedFacts })
    this.addedRepeats.push({ entityId, repeats: change.addedRepeats })
    this.factsAdded += change.addedFacts.length
    this.factsAmended += change.amendedFacts.length
    this.repeatsAdded += change.addedRepeats.length
    for (const text of change.corrections) this.corrections.add(`${entityKey(work.entity)} ${text}`)
    for (const ctid of change.removedFacts) this.removedFacts.push(ctid)
    for (const ctid of change.removedRepeats) this.removedRepeats.push(ctid)
    return derived.unplaced
  }

  private count(accession: string): void {
    this.figures.set(accession, (this.figures.get(accession) ?? 0) + 1)
  }

  async write(transaction: TransactionSql, names: FactNames, ids: FilingIds): Promise<void> {
    const dataVersion = await lockNextDataVersion(transaction)
    await removeRows(transaction, 'fact', this.removedFacts)
    await removeRows(transaction, 'fact_repeat', this.removedRepeats)
    await amendFacts(transaction, names, ids, this.amendedFacts)
    if (this.factsAdded > 0) await addFacts(transaction, names, ids, this.addedFacts, dataVersion)
    if (this.repeatsAdded > 0) await addRepeats(transaction, names, ids, this.addedRepeats, dataVersion)
    await recordFutureDays(transaction, [...this.addedFacts, ...this.amendedFacts])
    await saveMoments(transaction, names, ids, this.moments)
  }
}

/** Returns what `prepareBatch` derived if its assumptions about the stored entity and filings hold, otherwise null. */
function validDerivedAhead(work: EntityWork, filings: ReadonlyMap<string, Filing>): DerivedEntity | null {
  const { entity, parsed, derivedAhead } = work
  if (derivedAhead === null || !entity.isNew) return null
  if (entity.fiscalYearEnd !== (parsed.profile.fiscalYearEnd ?? null)) return null
  for (const [accession, assumed] of work.filings) {
    const saved = filings.get(accession)
    if (saved === undefined || !isSameFiling(saved, assumed)) return null
  }
  return derivedAhead
}

/** Everything that is stored about an entity, together with what is new. */
function allReportedFacts(work: EntityWork, filings: ReadonlyMap<string, Filing>): readonly ReportedFact[] {
  const { storedFacts, storedRepeats, observedAccessions } = work
  const fresh = work.parsed.reportedFacts
  if (observedAccessions !== null || storedFacts.length + storedRepeats.length === 0) return fresh
  // The states of a filing whose statements are read again come from this reading alone.
  const checked = new Set(fresh.flatMap(({ check, filing }) => (check === undefined ? [] : filing.accession)))
  const stored: ReportedFact[] = []
  for (const rows of [storedFacts, storedRepeats]) {
    for (const row of rows) {
      const filing = filings.get(row.accession)
      const reported = filing === undefined ? null : reportedFactOf(row, filing)
      if (reported === null) continue
      stored.push(checked.has(row.accession) ? withoutCheck(reported) : reported)
    }
  }
  return [...fresh, ...notMended(stored, fresh)]
}

const withoutCheck = ({ check: _, ...unchecked }: ReportedFact): ReportedFact => unchecked
