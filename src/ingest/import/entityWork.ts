import { entityKey } from '../../facts/reportedFact.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import type { SavedEntity } from '../store/entityQueries.ts'
import type { FilingOnRecord } from '../store/filingQueries.ts'
import type { FactNames } from '../store/nameQueries.ts'
import { readStoredRows, type StoredRow } from '../store/storedRows.ts'
import type { PreparedEntity } from './prepareBatch.ts'

/** What a batch states about an entity, together with what is stored. */
export interface EntityWork extends PreparedEntity {
  readonly entity: SavedEntity
  /** Only read if the batch can change it. */
  readonly storedFacts: readonly StoredRow[]
  readonly storedRepeats: readonly StoredRow[]
  /**
   * For a register that overwrites: accessions of all filings ever observed, without the days of edits. If set, `parsed`
   * is complete, so any other stored facts are no longer valid.
   */
  readonly observedAccessions: ReadonlySet<string> | null
}

/** @param filings gets the filings that the stored rows name, by number */
export async function readEntityWork(
  transaction: TransactionSql,
  names: FactNames,
  entities: readonly SavedEntity[],
  items: readonly PreparedEntity[],
  filings = new Map<number, FilingOnRecord>(),
): Promise<EntityWork[]> {
  const byKey = new Map(entities.map(entity => [entityKey(entity), entity]))
  const pairs = items.flatMap(item => {
    const entity = byKey.get(entityKey(item.parsed.profile))
    return entity === undefined ? [] : [{ ...item, entity }]
  })
  const known = pairs
    .filter(
      ({ entity, parsed }) =>
        !entity.isNew &&
        (parsed.reportedFacts.length > 0 || parsed.filings.length > 0 || entity.yearEndChanged),
    )
    .map(({ entity }) => entity.entityId)
  const facts = groupByEntity(await readStoredRows(transaction, names, 'fact', known, filings))
  const repeats = groupByEntity(await readStoredRows(transaction, names, 'fact_repeat', known, filings))
  return pairs.map(pair => ({
    ...pair,
    storedFacts: facts.get(pair.entity.entityId) ?? [],
    storedRepeats: repeats.get(pair.entity.entityId) ?? [],
    observedAccessions: null,
  }))
}

function groupByEntity(rows: readonly StoredRow[]): Map<number, StoredRow[]> {
  const groups = new Map<number, StoredRow[]>()
  for (const row of rows) {
    const group = groups.get(row.entityId)
    if (group) group.push(row)
    else groups.set(row.entityId, [row])
  }
  return groups
}
