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
import { readStoredRows, type StoredRow } from '../../store/facts/storedRows.ts'
import { deriveFacts } from './deriveFacts.ts'
import { diffEntity } from './diffEntity.ts'
import type { ImportOptions, ImportUnit } from './importStatements.ts'
import { mergeContributions } from './mergeContributions.ts'
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

export interface EntityWork {
  readonly entity: SavedEntity
  readonly contribution: Contribution
  /** What is on record of it. Read only where the contribution can change it. */
  readonly facts: readonly StoredRow[]
  readonly repeats: readonly StoredRow[]
}

/** Brings what some files say into the store, inside one transaction. */
export async function writeBatch(
  transaction: TransactionSql,
  names: FactNames,
  units: readonly ImportUnit[],
  { rules, pulledOn, replaces = false }: Pick<ImportOptions, 'rules' | 'pulledOn' | 'replaces'>,
): Promise<BatchResult> {
  await takeImportLock(transaction)
  const contributions = mergeContributions(units.flatMap(unit => unit.contributions))
  const profiles = contributions.map(contribution => contribution.profile)
  const entities = await saveOtherNames(transaction, profiles, await saveEntities(transaction, profiles))
  const read = await readWork(transaction, names, entities, contributions)
  const work =
    pulledOn === undefined ? read : read.map(item => withoutOverwriting(item, { pulledOn, replaces, rules }))
  const { filings, numbers } = await saveFilings(transaction, work)
  const changes = new Changes()
  let unplaced = 0
  for (const item of work) unplaced += changes.collect(item, filings, rules)
  await changes.write(transaction, names, numbers)
  await recordImportedFiles(
    transaction,
    units.flatMap(unit => unit.receipt ?? []),
  )
  const entitiesChanged = entities.filter(entity => entity.changed).length
  return {
    entities: entitiesChanged,
    statements: contributions.reduce((sum, contribution) => sum + contribution.statements.length, 0),
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
  contributions: readonly Contribution[],
): Promise<EntityWork[]> {
  const byIssuer = new Map(entities.map(entity => [`${entity.market} ${entity.issuerId}`, entity]))
  const pairs = contributions.flatMap(contribution => {
    const entity = byIssuer.get(`${contribution.profile.market} ${contribution.profile.issuerId}`)
    return entity === undefined ? [] : [{ entity, contribution }]
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
  return { ...work, contribution: { ...contribution, statements } }
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
    const derived = deriveFacts(statements, { rules, fiscalYearEnd, filings })
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
