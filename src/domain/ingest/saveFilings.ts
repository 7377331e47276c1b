import type { Filing } from '../../model/statement.ts'
import type { TransactionSql } from '../../store/database.ts'
import {
  addFilings,
  amendFilings,
  FilingNumbers,
  type OwnedFiling,
  readFilings,
} from '../../store/facts/filings.ts'
import { mergeFilings } from './gatherFilings.ts'
import type { EntityWork } from './writeBatch.ts'

export interface SavedFilings {
  readonly filings: ReadonlyMap<string, Filing>
  readonly numbers: FilingNumbers
}

/** Registers the filings of a batch, completes those on record, and returns all that its statements, old and
 * new, come from. */
export async function saveFilings(
  transaction: TransactionSql,
  work: readonly EntityWork[],
): Promise<SavedFilings> {
  const fresh = new Map<string, OwnedFiling>()
  const accessions = new Set<string>()
  for (const { entity, filings, facts, repeats } of work) {
    for (const [accession, filing] of filings) {
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
    const merged = known === undefined ? owned.filing : mergeFilings(known, owned.filing)
    if (known === undefined) added.push(owned)
    else if (merged !== known) amended.push(merged)
    filings.set(merged.accession, merged)
  }
  await addFilings(transaction, added, numbers)
  await amendFilings(transaction, amended)
  return { filings, numbers }
}
