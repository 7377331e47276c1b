import { dayNumber } from '../../dates.ts'
import { entityKey, type Filing, type ReportedFact } from '../../facts/reportedFact.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import {
  factsFromObservations,
  type OverwriteRules,
  unknownObservationDay,
  withoutEdit,
} from '../observations/factsFromObservations.ts'
import { mergeObservations, type Observation } from '../observations/mergeObservations.ts'
import { FilingIds, readFilings } from '../store/filingQueries.ts'
import type { FactNames } from '../store/nameQueries.ts'
import {
  addObservedFilings,
  type ObservedFilingsOfEntity,
  readObservedFilings,
  removeObservedFilings,
} from '../store/observationQueries.ts'
import { reportedFactOf, type StoredRow } from '../store/storedRows.ts'
import type { EntityWork } from './entityWork.ts'
import { filingsIn } from './prepareBatch.ts'

/**
 * Stores observations of a register that overwrites its data. The facts of each observed entity are then
 * derived again from all its observations, these and earlier ones.
 */
export async function applyObservations(
  transaction: TransactionSql,
  names: FactNames,
  work: readonly EntityWork[],
  observations: ReadonlyMap<string, readonly Observation[]>,
  rules: OverwriteRules,
): Promise<EntityWork[]> {
  const observed = work.filter(({ entity }) => observations.has(entityKey(entity)))
  const stored = await readObservedFilings(
    transaction,
    names,
    observed.filter(({ entity }) => !entity.isNew).map(({ entity }) => entity.entityId),
  )
  const unobservedRows = new Map(
    observed.map(({ entity: { entityId }, storedFacts, storedRepeats }) => {
      const accessions = new Set(stored.get(entityId)?.map(({ filing }) => filing.accession))
      const rows = [...storedFacts, ...storedRepeats]
      return [entityId, rows.filter(row => !accessions.has(withoutEdit(row.accession)))]
    }),
  )
  const accessions = [...unobservedRows.values()].flatMap(rows => rows.map(row => withoutEdit(row.accession)))
  const unmapped = [...observations.values()].flatMap(ofEntity => ofEntity.flatMap(one => one.filings ?? []))
  for (const { accession } of unmapped) accessions.push(accession)
  const filings = await readFilings(transaction, [...new Set(accessions)], new FilingIds())
  const added: ObservedFilingsOfEntity[] = []
  const removed: string[] = []
  const applied = new Map<number, EntityWork>()
  for (const item of observed) {
    const { entityId } = item.entity
    const merged = mergeObservations(stored.get(entityId) ?? [], [
      ...observationsFromRows(unobservedRows.get(entityId) ?? [], filings, rules.replaces),
      ...(observations.get(entityKey(item.entity)) ?? []),
    ])
    if (merged.fresh.length > 0) added.push({ entityId, filings: merged.fresh })
    removed.push(...merged.outdated.map(({ ctid }) => ctid))
    const observedAccessions = new Set(merged.all.map(({ filing }) => filing.accession))
    const withoutFacts = rules.replaces
      ? filingsWithoutFacts(observations.get(entityKey(item.entity)) ?? [], filings)
      : item.parsed.filings
    const parsed = {
      ...item.parsed,
      reportedFacts: factsFromObservations(merged.all, rules),
      filings: withoutFacts.filter(({ accession }) => !observedAccessions.has(accession)),
    }
    applied.set(entityId, {
      ...{ ...item, parsed, filings: filingsIn(parsed), derivedAhead: null },
      observedAccessions,
    })
  }
  await removeObservedFilings(transaction, removed)
  await addObservedFilings(transaction, names, added)
  return work.map(item => applied.get(item.entity.entityId) ?? item)
}

/**
 * Filings without a figure that has a metric, at a register whose filings replace one another. Their observations are
 * not stored, so it is not known whether they replace others: each counts from the first day on which it was
 * observed, never before its own.
 *
 * @param recorded by accession
 */
function filingsWithoutFacts(
  observations: readonly Observation[],
  recorded: ReadonlyMap<string, Filing>,
): readonly Filing[] {
  const firstDays = new Map<string, { readonly filing: Filing; readonly day: number }>()
  for (const { day, filings = [] } of observations) {
    for (const filing of filings) {
      const known = firstDays.get(filing.accession)
      if (known === undefined || day < known.day) firstDays.set(filing.accession, { filing, day })
    }
  }
  return [...firstDays.values()].map(({ filing, day }) => {
    const firstDay = Math.min(day, recorded.get(filing.accession)?.filed ?? day)
    return { ...filing, filed: Math.max(filing.filed, firstDay) }
  })
}

/**
 * Reconstructs the observations behind stored rows that have none (from the shipped sample, or from an import by an
 * earlier version). The accession of an edit includes its day. Any other filing counts as observed before everything else
 * or, if it replaced another filing, on the day under which it is stored.
 *
 * @param filings by accession
 */
function observationsFromRows(
  rows: readonly StoredRow[],
  filings: ReadonlyMap<string, Filing>,
  replaces: boolean,
): readonly Observation[] {
  const firstOfEnd = new Map<number, string>()
  const byAccession = new Map<string, ReportedFact[]>()
  for (const row of rows) {
    const filing = filings.get(withoutEdit(row.accession))
    const reported = filing === undefined ? null : reportedFactOf(row, filing)
    if (reported === null || filing === undefined) continue
    const first = firstOfEnd.get(reported.end)
    if (first === undefined || filing.accession < first) firstOfEnd.set(reported.end, filing.accession)
    const known = byAccession.get(row.accession)
    if (known === undefined) byAccession.set(row.accession, [reported])
    else known.push(reported)
  }
  return [...byAccession].map(([accession, reportedFacts]): Observation => {
    const [{ filing }] = reportedFacts
    if (accession !== filing.accession)
      return { day: dayNumber(accession.slice(filing.accession.length + 1)), reportedFacts }
    const replacedAnother = replaces && reportedFacts.some(({ end }) => firstOfEnd.get(end) !== accession)
    return { day: replacedAnother ? filing.filed : unknownObservationDay, reportedFacts }
  })
}
