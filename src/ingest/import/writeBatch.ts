import { type DerivedEntity, deriveFacts } from '../../facts/deriveFacts.ts'
import type { Contribution, Filing, MetricRules, Statement } from '../../facts/reportedFact.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { gatherPulls, type Reading, replayPulls, withoutEdit } from '../observations/observations.ts'
import { recallPulls, reviveStatement } from '../observations/stored.ts'
import { type SavedEntity, saveEntities, saveOtherNames } from '../store/entityQueries.ts'
import {
  addFacts,
  addRepeats,
  amendFacts,
  type FactsOfEntity,
  type RepeatsOfEntity,
  readStoredRows,
  removeRows,
  type StoredRow,
} from '../store/factQueries.ts'
import { planByIndex, recordImportedFiles, takeImportLock } from '../store/fileQueries.ts'
import { FilingNumbers, readFilings, removeFilings } from '../store/filingQueries.ts'
import type { FactNames } from '../store/nameQueries.ts'
import {
  addPulledFilings,
  type PullsOfEntity,
  readPulledFilings,
  removePulledFilings,
} from '../store/observationQueries.ts'
import type { BatchResult, EntityWork, ImportOptions, PreparedBatch, PreparedContribution } from './batch.ts'
import { diffEntity } from './diffEntity.ts'
import { entityKey, statedFilings } from './prepareBatch.ts'
import { saveFilings } from './saveFilings.ts'

/** Brings what some files say into the store, inside one transaction. */
export async function writeBatch(
  transaction: TransactionSql,
  names: FactNames,
  { items, receipts, readings }: PreparedBatch,
  { rules, replaces = false }: Pick<ImportOptions, 'rules' | 'replaces'>,
): Promise<BatchResult> {
  await takeImportLock(transaction)
  await planByIndex(transaction)
  const profiles = items.map(({ contribution }) => contribution.profile)
  const entities = await saveOtherNames(transaction, profiles, await saveEntities(transaction, profiles))
  const read = await readWork(transaction, names, entities, items)
  const work =
    readings === null ? read : await replayWork(transaction, names, read, readings, { rules, replaces })
  const { filings, numbers, gone } = await saveFilings(transaction, work)
  const changes = new Changes()
  let unplaced = 0
  for (const item of work) unplaced += changes.collect(item, filings, rules)
  await changes.write(transaction, names, numbers)
  await removeFilings(transaction, gone)
  await recordImportedFiles(transaction, receipts)
  const entitiesChanged = entities.filter(entity => entity.changed).length
  return {
    entities: entitiesChanged,
    statements: items.reduce((sum, { contribution }) => sum + contribution.statements.length, 0),
    factsAdded: changes.factsAdded,
    factsRemoved: changes.removedFacts.length,
    repeats: changes.repeatsAdded,
    unplaced,
    awaiting: changes.awaiting,
    changed: entitiesChanged > 0 || changes.areServed,
  }
}

async function readWork(
  transaction: TransactionSql,
  names: FactNames,
  entities: readonly SavedEntity[],
  items: readonly PreparedContribution[],
): Promise<EntityWork[]> {
  const byIssuer = new Map(entities.map(entity => [entityKey(entity), entity]))
  const pairs = items.flatMap(item => {
    const entity = byIssuer.get(entityKey(item.contribution.profile))
    return entity === undefined ? [] : [{ ...item, entity }]
  })
  const known = pairs
    .filter(
      ({ entity, contribution }) =>
        !entity.isNew &&
        (contribution.statements.length > 0 || contribution.filings.length > 0 || entity.yearEndChanged),
    )
    .map(({ entity }) => entity.entityId)
  const facts = groupByEntity(await readStoredRows(transaction, names, 'fact', known))
  const repeats = groupByEntity(await readStoredRows(transaction, names, 'fact_repeat', known))
  return pairs.map(pair => ({
    ...pair,
    facts: facts.get(pair.entity.entityId) ?? [],
    repeats: repeats.get(pair.entity.entityId) ?? [],
    pulled: null,
  }))
}

/** Keeps what was read, and works out what it means beside all that was read before. */
async function replayWork(
  transaction: TransactionSql,
  names: FactNames,
  work: readonly EntityWork[],
  readings: ReadonlyMap<string, readonly Reading[]>,
  { rules, replaces }: { readonly rules: MetricRules; readonly replaces: boolean },
): Promise<EntityWork[]> {
  const touched = work.filter(({ entity }) => readings.has(entityKey(entity)))
  const known = await readPulledFilings(
    transaction,
    names,
    touched.filter(({ entity }) => !entity.isNew).map(({ entity }) => entity.entityId),
  )
  const unread = new Map(
    touched.map(({ entity: { entityId }, facts, repeats }) => {
      const pulled = new Set(known.get(entityId)?.map(({ filing }) => filing.accession))
      return [entityId, [...facts, ...repeats].filter(row => !pulled.has(withoutEdit(row.accession)))]
    }),
  )
  const accessions = [...unread.values()].flatMap(rows => rows.map(row => withoutEdit(row.accession)))
  const filings = await readFilings(transaction, [...new Set(accessions)], new FilingNumbers())
  const added: PullsOfEntity[] = []
  const removed: string[] = []
  const replayed = new Map<number, EntityWork>()
  for (const item of touched) {
    const { entityId } = item.entity
    const gathered = gatherPulls(known.get(entityId) ?? [], [
      ...recallPulls(unread.get(entityId) ?? [], filings, replaces),
      ...(readings.get(entityKey(item.entity)) ?? []),
    ])
    if (gathered.fresh.length > 0) added.push({ entityId, pulls: gathered.fresh })
    removed.push(...gathered.outdated.map(({ place }) => place))
    const statements = replayPulls(gathered.all, { rules, replaces })
    const contribution: Contribution = { ...item.contribution, statements }
    replayed.set(entityId, {
      ...{ ...item, contribution, filings: statedFilings(contribution), ahead: null },
      pulled: new Set(gathered.all.map(({ filing }) => filing.accession)),
    })
  }
  await removePulledFilings(transaction, removed)
  await addPulledFilings(transaction, names, added)
  return work.map(item => replayed.get(item.entity.entityId) ?? item)
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

/** What a batch does to the fact tables. */
class Changes {
  factsAdded = 0
  factsAmended = 0
  repeatsAdded = 0
  readonly awaiting = new Map<number, number>()
  readonly removedFacts: string[] = []
  private readonly removedRepeats: string[] = []
  private readonly addedFacts: FactsOfEntity[] = []
  private readonly amendedFacts: FactsOfEntity[] = []
  private readonly addedRepeats: RepeatsOfEntity[] = []

  get areServed(): boolean {
    return this.factsAdded + this.factsAmended + this.removedFacts.length > 0
  }

  /** Returns how many statements had no place in the entity's fiscal years. */
  collect(work: EntityWork, filings: ReadonlyMap<string, Filing>, rules: MetricRules): number {
    const { entityId, fiscalYearEnd } = work.entity
    const statements = allStatements(work, filings)
    if (statements.length === 0) return 0
    const derived = holdsAhead(work, filings) ?? deriveFacts(statements, { rules, fiscalYearEnd, filings })
    this.awaiting.set(entityId, derived.awaiting)
    const change = diffEntity(derived, work.facts, work.repeats)
    this.addedFacts.push({ entityId, facts: change.addedFacts })
    this.amendedFacts.push({ entityId, facts: change.amendedFacts })
    this.addedRepeats.push({ entityId, repeats: change.addedRepeats })
    this.factsAdded += change.addedFacts.length
    this.factsAmended += change.amendedFacts.length
    this.repeatsAdded += change.addedRepeats.length
    for (const place of change.removedFacts) this.removedFacts.push(place)
    for (const place of change.removedRepeats) this.removedRepeats.push(place)
    return derived.unplaced
  }

  async write(transaction: TransactionSql, names: FactNames, numbers: FilingNumbers): Promise<void> {
    await removeRows(transaction, 'fact', this.removedFacts)
    await removeRows(transaction, 'fact_repeat', this.removedRepeats)
    await amendFacts(transaction, names, numbers, this.amendedFacts)
    if (this.factsAdded > 0) await addFacts(transaction, names, numbers, this.addedFacts)
    if (this.repeatsAdded > 0) await addRepeats(transaction, names, numbers, this.addedRepeats)
  }
}

/** What was derived ahead, if the entity and its filings are on record as they were taken to be. */
function holdsAhead(work: EntityWork, filings: ReadonlyMap<string, Filing>): DerivedEntity | null {
  const { entity, contribution, ahead } = work
  if (ahead === null || !entity.isNew) return null
  if (entity.fiscalYearEnd !== (contribution.profile.fiscalYearEnd ?? null)) return null
  for (const [accession, taken] of work.filings) {
    const saved = filings.get(accession)
    if (saved === taken) continue
    if (saved?.filed !== taken.filed || saved.form !== taken.form || saved.acceptedAt !== taken.acceptedAt)
      return null
  }
  return ahead
}

/** What is on record of an entity and what is new, together. */
function allStatements(work: EntityWork, filings: ReadonlyMap<string, Filing>): readonly Statement[] {
  const fresh = work.contribution.statements
  if (work.pulled !== null || work.facts.length + work.repeats.length === 0) return fresh
  const statements = [...fresh]
  for (const rows of [work.facts, work.repeats]) {
    for (const row of rows) {
      const filing = filings.get(row.accession)
      const statement = filing === undefined ? null : reviveStatement(row, filing)
      if (statement !== null) statements.push(statement)
    }
  }
  return statements
}
