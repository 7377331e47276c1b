import type { Contribution, Filing, MetricRules, Statement } from '../../model/statement.ts'
import type { TransactionSql } from '../../store/database.ts'
import { type SavedEntity, saveEntities } from '../../store/entities/saveEntities.ts'
import { saveOtherNames } from '../../store/entities/saveOtherNames.ts'
import {
  addFacts,
  addRepeats,
  amendFacts,
  type FactsOfEntity,
  type RepeatsOfEntity,
  removeRows,
} from '../../store/facts/factRows.ts'
import type { FilingNumbers } from '../../store/facts/filings.ts'
import { recordImportedFiles } from '../../store/facts/importFiles.ts'
import { takeImportLock } from '../../store/facts/importLock.ts'
import type { FactNames } from '../../store/facts/names.ts'
import { planByIndex } from '../../store/facts/planByIndex.ts'
import { readStoredRows, type StoredRow } from '../../store/facts/storedRows.ts'
import { type DerivedEntity, deriveFacts } from './deriveFacts.ts'
import { diffEntity } from './diffEntity.ts'
import type { ImportOptions } from './importStatements.ts'
import { type PreparedBatch, type PreparedContribution, statedFilings } from './prepareBatch.ts'
import { reviveStatement } from './reviveStatement.ts'
import { saveFilings } from './saveFilings.ts'
import { type Pull, separateOverwrites } from './separateOverwrites.ts'

export interface BatchResult {
  /** Entities that are new or better known now. */
  entities: number
  statements: number
  factsAdded: number
  factsRemoved: number
  repeats: number
  unplaced: number
  /** For each entity that was touched, how many of its filings still wait for a source that tells their day. */
  awaiting: ReadonlyMap<number, number>
  /** False: everything was known. */
  changed: boolean
}

export interface EntityWork extends PreparedContribution {
  readonly entity: SavedEntity
  /** What is on record of it. Read only where the contribution can change it. */
  readonly facts: readonly StoredRow[]
  readonly repeats: readonly StoredRow[]
}

/** Brings what some files say into the store, inside one transaction. */
export async function writeBatch(
  transaction: TransactionSql,
  names: FactNames,
  { items, receipts }: PreparedBatch,
  { rules, pulledOn, replaces = false }: Pick<ImportOptions, 'rules' | 'pulledOn' | 'replaces'>,
): Promise<BatchResult> {
  await takeImportLock(transaction)
  await planByIndex(transaction)
  const profiles = items.map(({ contribution }) => contribution.profile)
  const entities = await saveOtherNames(transaction, profiles, await saveEntities(transaction, profiles))
  const read = await readWork(transaction, names, entities, items)
  const work =
    pulledOn === undefined ? read : read.map(item => withoutOverwriting(item, { pulledOn, replaces, rules }))
  const { filings, numbers } = await saveFilings(transaction, work)
  const changes = new Changes()
  let unplaced = 0
  for (const item of work) unplaced += changes.collect(item, filings, rules)
  await changes.write(transaction, names, numbers)
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
  const byIssuer = new Map(entities.map(entity => [`${entity.market} ${entity.issuerId}`, entity]))
  const pairs = items.flatMap(item => {
    const { market, issuerId } = item.contribution.profile
    const entity = byIssuer.get(`${market} ${issuerId}`)
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
  }))
}

function withoutOverwriting(work: EntityWork, pull: Pull): EntityWork {
  const { contribution, facts, repeats } = work
  const { pulledOn = pull.pulledOn } = contribution
  const statements = separateOverwrites(contribution.statements, [...facts, ...repeats], {
    ...pull,
    pulledOn,
  })
  const separated: Contribution = { ...contribution, statements }
  return { ...work, contribution: separated, filings: statedFilings(separated), ahead: null }
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
  if (work.facts.length + work.repeats.length === 0) return fresh
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
