import { type SettledTimes, type SettleTimes, withSettledTime } from '../../facts/clockReadings.ts'
import { isSameFiling, mergeFilings } from '../../facts/filings.ts'
import type { Filing } from '../../facts/reportedFact.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { withoutEdit } from '../observations/factsFromObservations.ts'
import { addReadings, readReadings } from '../store/clockQueries.ts'
import {
  addCoFilers,
  addFilings,
  amendFilings,
  countFigures,
  countFiguresOfOthers,
  type Filer,
  FilingIds,
  type FilingOnRecord,
  type OwnedFiling,
  readFilingsOfEntities,
  readFilingsOnRecord,
} from '../store/filingQueries.ts'
import type { EntityWork } from './entityWork.ts'

/** The filings of a batch, before they are written. */
export interface PlannedFilings {
  /** All filings from which facts of the batch come, new and stored, by accession. */
  readonly filings: ReadonlyMap<string, Filing>
  /** Numbers of the filings on record; `saveFilings` adds the others. */
  readonly ids: FilingIds
  /** How many figures each filing on record states, by accession. */
  readonly stored: ReadonlyMap<string, number>
  readonly added: readonly OwnedFiling[]
  readonly amended: readonly Filing[]
  /** Accessions observed at a register that overwrites. */
  readonly observed: ReadonlySet<string>
  /** The acceptance times that the readings determine, by accession; null if they determine none. */
  readonly times: SettledTimes
  /** Accessions of filings on record whose acceptance time changes. */
  readonly retimed: readonly string[]
}

/**
 * Merges what a batch states about filings with what is stored. Figures are derived from the result and counted
 * before any filing is written, because counting later would write each new filing twice.
 *
 * @param onRecord filings that were read in this transaction
 * @param announced filings that announce results. Unless a company of the batch also states them, only their times are
 * settled
 */
export async function planFilings(
  transaction: TransactionSql,
  work: readonly EntityWork[],
  onRecord: Iterable<FilingOnRecord>,
  settleTimes: SettleTimes | null,
  announced: readonly Filing[] = [],
): Promise<PlannedFilings> {
  const stated = new Map<string, OwnedFiling>()
  const accessions = new Set<string>()
  const observed = new Set<string>()
  for (const { entity, filings, storedFacts, storedRepeats, observedAccessions } of work) {
    for (const [accession, filing] of filings) {
      if (observedAccessions !== null) observed.add(accession)
      const known = stated.get(accession)
      const merged = known === undefined ? filing : mergeFilings(known.filing, filing)
      stated.set(accession, { entityId: known?.entityId ?? entity.entityId, filing: merged })
      accessions.add(accession)
    }
    for (const row of storedFacts) accessions.add(row.accession)
    for (const row of storedRepeats) accessions.add(row.accession)
  }
  const timed = [...stated.values()].flatMap(({ filing }) => (filing.readings === undefined ? [] : [filing]))
  const times = await settleStated(transaction, [...timed, ...announced], settleTimes)
  for (const accession of times.keys()) accessions.add(accession)
  const ids = new FilingIds()
  const stored = new Map<string, number>()
  const filings = new Map<string, Filing>()
  const take = ({ id, filing, figures }: FilingOnRecord) => {
    if (!accessions.has(filing.accession)) return
    ids.set(filing.accession, id)
    filings.set(filing.accession, filing)
    stored.set(filing.accession, figures)
  }
  for (const known of onRecord) take(known)
  const unread = [...accessions].filter(accession => !filings.has(accession))
  for (const known of await readFilingsOnRecord(transaction, unread)) take(known)
  const added: OwnedFiling[] = []
  const amended: Filing[] = []
  const retimed: string[] = []
  for (const owned of stated.values()) {
    const known = filings.get(owned.filing.accession)
    // A register's observations together describe a filing completely, so they replace what is stored. Other sources
    // only add to it.
    const isComplete = known === undefined || observed.has(owned.filing.accession)
    const merged = withSettledTime(isComplete ? owned.filing : mergeFilings(known, owned.filing), times)
    if (known === undefined) added.push({ ...owned, filing: merged })
    else if (!isSameFiling(merged, known)) amended.push(merged)
    if (known !== undefined && merged.acceptedAt !== known.acceptedAt) retimed.push(merged.accession)
    filings.set(merged.accession, merged)
  }
  for (const accession of times.keys()) {
    const known = filings.get(accession)
    if (known === undefined || stated.has(accession)) continue
    const merged = withSettledTime(known, times)
    if (isSameFiling(merged, known)) continue
    amended.push(merged)
    retimed.push(accession)
    filings.set(accession, merged)
  }
  return { filings, ids, stored, added, amended, observed, times, retimed }
}

/**
 * Stores the batch's readings, and settles the times of its filings and of all others in the same lists, because the
 * time of one filing may reveal which clock the times of others are on.
 */
async function settleStated(
  transaction: TransactionSql,
  read: readonly Filing[],
  settleTimes: SettleTimes | null,
): Promise<SettledTimes> {
  if (settleTimes === null || read.length === 0) return new Map()
  await addReadings(transaction, read)
  const { readings, dependent } = await readReadings(
    transaction,
    read.map(({ accession }) => accession),
  )
  return new Map([...settleTimes(readings)].filter(([accession]) => dependent.has(accession)))
}

/**
 * Adds the new filings of a batch and completes those already stored. Returns the numbers of stored filings that no
 * longer contribute any fact, because an observation that was imported late showed that they are not edits.
 *
 * @param figures how many figures of each filing are stored after this batch for the companies `counted`, by accession
 */
export async function saveFilings(
  transaction: TransactionSql,
  work: readonly EntityWork[],
  { ids, stored, added, amended, observed }: PlannedFilings,
  figures: ReadonlyMap<string, number>,
  counted: Iterable<number>,
): Promise<readonly number[]> {
  await addFilings(transaction, added, ids, figures)
  await addCoFilers(transaction, coFilersIn(work, added), ids)
  await amendFilings(transaction, amended)
  await countFigures(transaction, await changedCounts(transaction, ids, stored, figures, [...counted]))
  return findObsolete(transaction, work, observed)
}

/** The companies of a batch that may share a filing with another. A new filing is on record under one that is known here. */
function coFilersIn(work: readonly EntityWork[], added: readonly OwnedFiling[]): readonly Filer[] {
  const ownerOf = new Map(added.map(({ entityId, filing }) => [filing.accession, entityId]))
  return work.flatMap(({ entity: { entityId }, filings }) =>
    [...filings.keys()].flatMap(accession =>
      ownerOf.get(accession) === entityId ? [] : [{ entityId, accession }],
    ),
  )
}

/** The changed counts of filings that were already stored. New filings are inserted with their counts. */
async function changedCounts(
  transaction: TransactionSql,
  ids: FilingIds,
  stored: ReadonlyMap<string, number>,
  figures: ReadonlyMap<string, number>,
  counted: readonly number[],
): Promise<ReadonlyMap<string, number>> {
  const recounted = [...figures].filter(([accession]) => stored.has(accession))
  // Several companies may file one report, and the batch may have only some of them.
  const ofOthers = await countFiguresOfOthers(
    transaction,
    recounted.map(([accession]) => ids.id(accession)),
    counted,
  )
  return new Map(
    recounted
      .map(([accession, count]) => [accession, count + (ofOthers.get(ids.id(accession)) ?? 0)] as const)
      .filter(([accession, count]) => count !== stored.get(accession)),
  )
}

/** Finds stored filings that were observed, and edits of them, that no longer contribute any fact. */
async function findObsolete(
  transaction: TransactionSql,
  work: readonly EntityWork[],
  observed: ReadonlySet<string>,
): Promise<readonly number[]> {
  const accessionsOf = new Map(
    work.flatMap(({ entity, observedAccessions }) =>
      observedAccessions === null || entity.isNew ? [] : [[entity.entityId, observedAccessions] as const],
    ),
  )
  const filings = await readFilingsOfEntities(transaction, [...accessionsOf.keys()])
  return filings
    .filter(({ accession, entityId }) => {
      const wasObserved = accessionsOf.get(entityId)?.has(withoutEdit(accession)) === true
      return wasObserved && !observed.has(accession)
    })
    .map(({ id }) => id)
}
