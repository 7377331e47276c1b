import { isSameFiling, mergeFilings } from '../../facts/filings.ts'
import type { Filing } from '../../facts/reportedFact.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { withoutEdit } from '../observations/factsFromObservations.ts'
import {
  addFilings,
  amendFilings,
  FilingIds,
  type OwnedFiling,
  readFilings,
  readFilingsOfEntities,
} from '../store/filingQueries.ts'
import type { EntityWork } from './entityWork.ts'

interface SavedFilings {
  /** All filings that facts of the batch come from, new and stored ones, by accession. */
  readonly filings: ReadonlyMap<string, Filing>
  readonly ids: FilingIds
  /** Numbers of filings on record that no fact comes from any more: an observation that was imported late showed that they
   * are not edits. */
  readonly obsolete: readonly number[]
}

/** Adds the filings of a batch and completes those on record. */
export async function saveFilings(
  transaction: TransactionSql,
  work: readonly EntityWork[],
): Promise<SavedFilings> {
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
  const ids = new FilingIds()
  const filings = await readFilings(transaction, [...accessions], ids)
  const added: OwnedFiling[] = []
  const amended: Filing[] = []
  for (const owned of stated.values()) {
    const known = filings.get(owned.filing.accession)
    // All observations together determine the filing; other sources complete what is on record.
    const isComplete = known === undefined || observed.has(owned.filing.accession)
    const merged = isComplete ? owned.filing : mergeFilings(known, owned.filing)
    if (known === undefined) added.push(owned)
    else if (!isSameFiling(merged, known)) amended.push(merged)
    filings.set(merged.accession, merged)
  }
  await addFilings(transaction, added, ids)
  await amendFilings(transaction, amended)
  return { filings, ids, obsolete: await findObsolete(transaction, work, observed) }
}

/** The filings on record, and edits of them, that were observed but that no fact now comes from. */
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
