import { setImmediate } from 'node:timers/promises'
import { type SettleTimes, settleFilings } from '../../facts/clockReadings.ts'
import { type DerivedEntity, deriveFacts } from '../../facts/deriveFacts.ts'
import { mergeFilings } from '../../facts/filings.ts'
import type { MetricRules } from '../../facts/metricRules.ts'
import type { RegisterStatements } from '../../facts/registerStatements.ts'
import { entityKey, type Filing, type ParsedDocument } from '../../facts/reportedFact.ts'
import type { Sql } from '../../postgres/client.ts'
import { encodeFigures } from '../../wholeFilings/figureBlock.ts'
import { columnsOf, figureCountOf } from '../../wholeFilings/figureColumns.ts'
import { framesOfFigures } from '../../wholeFilings/frames.ts'
import { encodePresentation } from '../../wholeFilings/presentationBlock.ts'
import type { StatedFiling } from '../../wholeFilings/statedFiling.ts'
import { storeTerms } from '../../wholeFilings/termQueries.ts'
import { Terms } from '../../wholeFilings/terms.ts'
import type { Observation } from '../observations/mergeObservations.ts'
import type { ReadUnit } from '../reading/progress.ts'
import { endOfDayIn } from '../registers/zones.ts'
import { readKnownEntities } from '../store/entityQueries.ts'
import type { FileReceipt } from '../store/importQueries.ts'
import type { EncodedFiling } from '../store/wholeFilingQueries.ts'
import { mergeParsedDocuments } from './mergeDocuments.ts'
import { withChecks } from './stateChecks.ts'

export interface PreparedBatch {
  readonly items: readonly PreparedEntity[]
  readonly receipts: readonly FileReceipt[]
  readonly statements: RegisterStatements
  readonly wholeFilings: readonly PreparedFiling[]
  /** For a register that overwrites: what was observed about each entity, by `entityKey`. */
  readonly observations: ReadonlyMap<string, readonly Observation[]> | null
}

/** A whole filing, encoded. */
export type PreparedFiling = Pick<StatedFiling, 'market' | 'issuerId'> & Omit<EncodedFiling, 'entityId'>

/**
 * Everything that some files state about one entity, and everything that can be computed from it without the database.
 */
export interface PreparedEntity {
  readonly parsed: ParsedDocument
  /** The filings that it names, by accession. */
  readonly filings: ReadonlyMap<string, Filing>
  /**
   * What we would serve about the entity if these filings are all that is known about it; null if the entity is
   * already stored. The transaction checks again that the entity is new.
   */
  readonly derivedAhead: DerivedEntity | null
}

/**
 * The event loop runs after every this many reported facts, so that the connection that writes the previous batch does
 * not stall.
 */
export const factsPerTurn = 50
/** Likewise, after this many figures of whole filings, which are only encoded. */
const figuresPerTurn = 300

interface BatchOptions {
  /**
   * The day of documents that do not state one; set if the register overwrites its figures. Nothing is then derived in
   * advance, because the reported facts themselves depend on what is stored.
   */
  readonly observedOn?: number | null
  /** See `Register.settleTimes`. */
  readonly settleTimes?: SettleTimes | null
  /** See `FactNames`. */
  readonly terms?: Terms
}

/** Does the lock-free work on a batch while the previous batch is written. */
export async function prepareBatch(
  sql: Sql,
  units: readonly ReadUnit[],
  rules: MetricRules,
  { observedOn = null, settleTimes = null, terms = new Terms() }: BatchOptions = {},
): Promise<PreparedBatch> {
  const checked = await withChecks(units)
  const documents = mergeParsedDocuments(checked.flatMap(unit => unit.parsed))
  const profiles = documents.map(({ profile }) => profile)
  const known = observedOn === null ? await readKnownEntities(sql, profiles) : null
  const items: PreparedEntity[] = []
  let facts = 0
  for (const parsed of documents) {
    const { profile, reportedFacts } = parsed
    const { fiscalYearEnd = null, registers } = profile
    const filings = settleFilings(filingsIn(parsed), settleTimes)
    const isNew = registers && reportedFacts.length > 0 && known?.has(entityKey(profile)) === false
    const endOfDay = endOfDayIn(profile.market)
    const derivedAhead = isNew
      ? deriveFacts(reportedFacts, { rules, fiscalYearEnd, filings, endOfDay })
      : null
    items.push({ parsed, filings, derivedAhead })
    facts += reportedFacts.length
    if (facts < factsPerTurn) continue
    facts = 0
    await setImmediate()
  }
  const observations = observedOn === null ? null : observationsIn(checked, observedOn)
  const statements: RegisterStatements = {
    entries: units.flatMap(unit => unit.statements?.entries ?? []),
    indexes: units.flatMap(unit => unit.statements?.indexes ?? []),
    formerNames: units.flatMap(unit => unit.statements?.formerNames ?? []),
    covers: units.flatMap(unit => unit.statements?.covers ?? []),
    announcements: units.flatMap(unit => unit.statements?.announcements ?? []),
  }
  const stated = units.flatMap(unit => unit.wholeFilings ?? [])
  const wholeFilings = await encodeFilings(sql, terms, stated, observedOn)
  return {
    items,
    receipts: units.flatMap(unit => unit.receipt ?? []),
    statements,
    wholeFilings,
    observations,
  }
}

async function encodeFilings(
  sql: Sql,
  terms: Terms,
  stated: readonly StatedFiling[],
  observedOn: number | null,
): Promise<PreparedFiling[]> {
  const byCompany = Map.groupBy(stated, entityKey)
  const filingsOf = (filings: readonly StatedFiling[]) => filings.map(({ whole }) => whole)
  await storeTerms(sql, terms, terms.propose([...byCompany.values()].map(filingsOf)))
  const encoded: PreparedFiling[] = []
  let figures = 0
  for (const { market, issuerId, whole, source, periodEnd, seenOn, part } of stated) {
    const { bytes, ownTexts } = encodeFigures(whole, terms)
    encoded.push({
      market,
      issuerId,
      accession: whole.accession,
      source,
      periodEnd,
      seenOn: observedOn === null ? null : (seenOn ?? observedOn),
      frames: framesOfFigures(columnsOf(whole).contexts.values.map(context => ({ context }))),
      figures: figureCountOf(whole),
      lines: whole.statements.reduce((sum, { lines }) => sum + lines.length, 0),
      figureBlock: bytes,
      statementBlock: encodePresentation(whole, terms, ownTexts),
      ...(part === undefined ? {} : { part }),
    })
    figures += figureCountOf(whole)
    if (figures < figuresPerTurn) continue
    figures = 0
    await setImmediate()
  }
  return encoded
}

function observationsIn(
  units: readonly ReadUnit[],
  observedOn: number,
): ReadonlyMap<string, readonly Observation[]> {
  const observations = new Map<string, Observation[]>()
  for (const { parsed } of units) {
    for (const { profile, reportedFacts, filings, observedOn: day = observedOn } of parsed) {
      if (reportedFacts.length === 0 && filings.length === 0) continue
      const known = observations.get(entityKey(profile))
      if (known === undefined) observations.set(entityKey(profile), [{ day, reportedFacts, filings }])
      else known.push({ day, reportedFacts, filings })
    }
  }
  return observations
}

/**
 * The filings that a document names, by accession. Statements about the same filing in several places are
 * merged.
 */
export function filingsIn({ reportedFacts, filings }: ParsedDocument): Map<string, Filing> {
  const byAccession = new Map<string, Filing>()
  const add = (filing: Filing) => {
    const known = byAccession.get(filing.accession)
    if (known !== filing)
      byAccession.set(filing.accession, known === undefined ? filing : mergeFilings(known, filing))
  }
  // Facts of one filing are adjacent, often hundreds of them.
  let last: Filing | null = null
  for (const { filing } of reportedFacts) {
    if (filing !== last) add(filing)
    last = filing
  }
  for (const filing of filings) add(filing)
  return byAccession
}
