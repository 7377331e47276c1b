import type { Filing } from '../../facts/reportedFact.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { readFilersOf } from '../store/clockQueries.ts'
import { readFilings } from '../store/filingQueries.ts'
import type { FactNames } from '../store/nameQueries.ts'
import { type EntityWork, readEntityWork } from './entityWork.ts'
import type { PlannedFilings } from './saveFilings.ts'

interface RetimedWork {
  readonly work: readonly EntityWork[]
  /** All filings that state facts of these companies, by accession. */
  readonly filings: ReadonlyMap<string, Filing>
}

/**
 * Companies outside the batch that share filings whose times the batch changes. Several companies may file one report,
 * and the order of filings within a day decides which figure is current.
 */
export async function readRetimedWork(
  transaction: TransactionSql,
  names: FactNames,
  work: readonly EntityWork[],
  { filings, ids, retimed }: PlannedFilings,
): Promise<RetimedWork> {
  if (retimed.length === 0) return { work: [], filings }
  const inBatch = new Set(work.map(({ entity }) => entity.entityId))
  const filers = await readFilersOf(transaction, retimed)
  const others = filers.filter(({ entityId }) => !inBatch.has(entityId))
  if (others.length === 0) return { work: [], filings }
  const stated = retimed.flatMap(accession => filings.get(accession) ?? [])
  const further = await readEntityWork(
    transaction,
    names,
    others.map(other => ({ ...other, isNew: false, changed: false, yearEndChanged: false })),
    others.map(({ market, issuerId }) => ({
      parsed: { profile: { market, issuerId, registers: false }, reportedFacts: [], filings: stated },
      filings: new Map(),
      derivedAhead: null,
    })),
  )
  const missing = new Set<string>()
  for (const { storedFacts, storedRepeats } of further)
    for (const { accession } of [...storedFacts, ...storedRepeats])
      if (!filings.has(accession)) missing.add(accession)
  return {
    work: further,
    filings: new Map([...filings, ...(await readFilings(transaction, [...missing], ids))]),
  }
}
