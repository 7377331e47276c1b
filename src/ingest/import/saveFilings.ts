import { mergeFilings } from '../../facts/filings.ts'
import type { Filing } from '../../facts/reportedFact.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { withoutEdit } from '../observations/observations.ts'
import {
  addFilings,
  amendFilings,
  FilingNumbers,
  type OwnedFiling,
  readFilings,
  readFilingsOfEntities,
} from '../store/filingQueries.ts'
import type { EntityWork } from './batch.ts'

export interface SavedFilings {
  readonly filings: ReadonlyMap<string, Filing>
  readonly numbers: FilingNumbers
  /** Numbers of filings on record that nothing comes from any more: a reading that was imported late showed that they are
   * no edits. */
  readonly gone: readonly number[]
}

/** Registers the filings of a batch, completes those on record, and returns all that its statements, old and
 * new, come from. */
export async function saveFilings(
  transaction: TransactionSql,
  work: readonly EntityWork[],
): Promise<SavedFilings> {
  const fresh = new Map<string, OwnedFiling>()
  const accessions = new Set<string>()
  const certain = new Set<string>()
  for (const { entity, filings, facts, repeats, pulled } of work) {
    for (const [accession, filing] of filings) {
      if (pulled !== null) certain.add(accession)
      const known = fresh.get(accession)
      const merged = known === undefined ? filing : mergeFilings(known.filing, filing)
      fresh.set(accession, { entityId: known?.entityId ?? entity.entityId, filing: merged })
      accessions.add(accession)
    }
    for (const row of facts) accessions.add(row.accession)
    for (const row of repeats) accessions.add(row.accession)
  }
  const numbers = new FilingNumbers()
  const filings = await readFilings(transaction, [...accessions], numbers)
  const added: OwnedFiling[] = []
  const amended: Filing[] = []
  for (const owned of fresh.values()) {
    const known = filings.get(owned.filing.accession)
    // All readings together say what the filing is; others complete what is on record.
    const isCertain = known === undefined || certain.has(owned.filing.accession)
    const merged = isCertain ? owned.filing : mergeFilings(known, owned.filing)
    if (known === undefined) added.push(owned)
    else if (!isSame(merged, known)) amended.push(merged)
    filings.set(merged.accession, merged)
  }
  await addFilings(transaction, added, numbers)
  await amendFilings(transaction, amended)
  return { filings, numbers, gone: await findGone(transaction, work, certain) }
}

const isSame = (a: Filing, b: Filing) =>
  a === b || (a.form === b.form && a.filed === b.filed && a.acceptedAt === b.acceptedAt)

async function findGone(
  transaction: TransactionSql,
  work: readonly EntityWork[],
  certain: ReadonlySet<string>,
): Promise<readonly number[]> {
  const pulled = new Map(
    work.flatMap(({ entity, pulled }) =>
      pulled === null || entity.isNew ? [] : [[entity.entityId, pulled] as const],
    ),
  )
  const filings = await readFilingsOfEntities(transaction, [...pulled.keys()])
  return filings
    .filter(({ accession, entityId }) => {
      const isOfReading = pulled.get(entityId)?.has(withoutEdit(accession)) === true
      return isOfReading && !certain.has(accession)
    })
    .map(({ id }) => id)
}
