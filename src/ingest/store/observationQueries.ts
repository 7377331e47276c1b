import { dayNumber } from '../../dates.ts'
import { checkCode, checkOfCode } from '../../facts/factRow.ts'
import type { ReportedFact } from '../../facts/reportedFact.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { copyDateText, copyTextLines, copyTimestampText, escapeCopyText } from '../../postgres/copy.ts'
import { type ObservedFiling, unknownObservationDay } from '../observations/factsFromObservations.ts'
import { type FactNames, registerNames } from './nameQueries.ts'

interface StoredObservedFiling extends ObservedFiling {
  /** The row's position in the table, valid until the transaction ends. */
  readonly ctid: string
}

/** `metric_id, tag_id, unit_id, start, end, value, rounded`, and the state unless it is unchecked. */
type Figure = readonly [number, number, number, number | null, number, number, 0 | 1, number?]

interface ObservationRecord {
  ctid: string
  entity_id: number
  accession: string
  form: string
  filed: number
  accepted_at: Date | null
  days: string
  figures: Figure[]
}

/** Everything ever observed about some entities at a register that overwrites, by entity. */
export async function readObservedFilings(
  transaction: TransactionSql,
  names: FactNames,
  entityIds: readonly number[],
): Promise<Map<number, StoredObservedFiling[]>> {
  const byEntity = new Map<number, StoredObservedFiling[]>()
  if (entityIds.length === 0) return byEntity
  const rows = await transaction<ObservationRecord[]>`
    select ctid::text, entity_id, accession, form, filed - date '1970-01-01' as filed, accepted_at,
           days::text as days, figures
    from pulled_filing where entity_id = any(${entityIds}::int[])`
  for (const row of rows) {
    const observed = observedFilingFrom(row, names)
    const known = byEntity.get(row.entity_id)
    if (known === undefined) byEntity.set(row.entity_id, [observed])
    else known.push(observed)
  }
  return byEntity
}

function observedFilingFrom(row: ObservationRecord, names: FactNames): StoredObservedFiling {
  const { ctid, accession, form, filed, accepted_at, figures } = row
  const filing = { accession, form, filed, acceptedAt: accepted_at?.getTime() ?? null }
  const reportedFacts = figures.map(
    ([metric, tag, unit, start, end, value, rounded, check]): ReportedFact => ({
      metric: names.metrics.name(metric),
      tag: names.tags.name(tag),
      unit: names.units.name(unit),
      start,
      end,
      value,
      filing,
      rounded: rounded === 1,
      ...(check === undefined ? {} : { check: checkOfCode(check) }),
    }),
  )
  const days = row.days
    .slice(1, -1)
    .split(',')
    .map(day => (day === '-infinity' ? unknownObservationDay : dayNumber(day)))
  return { ctid, filing, reportedFacts, days }
}

export interface ObservedFilingsOfEntity {
  readonly entityId: number
  readonly filings: readonly ObservedFiling[]
}

export async function addObservedFilings(
  transaction: TransactionSql,
  names: FactNames,
  added: readonly ObservedFilingsOfEntity[],
): Promise<void> {
  if (added.length === 0) return
  await registerNames(
    names,
    added.flatMap(({ filings }) => filings.flatMap(({ reportedFacts }) => reportedFacts)),
  )
  const lines = added.flatMap(({ entityId, filings }) =>
    filings.map(observed => copyLine(names, entityId, observed)),
  )
  await copyTextLines(
    transaction,
    'copy pulled_filing (entity_id, accession, form, filed, accepted_at, days, figures) from stdin',
    lines,
  )
}

function copyLine(
  names: FactNames,
  entityId: number,
  { filing, reportedFacts, days }: ObservedFiling,
): string {
  const { accession, form, filed, acceptedAt } = filing
  const figures = reportedFacts.map(
    ({ metric, tag, unit, start, end, value, rounded, check = 'unchecked' }): Figure => [
      ...([names.metrics.id(metric), names.tags.id(tag), names.units.id(unit)] as const),
      ...([start, end, value, rounded ? 1 : 0] as const),
      ...(check === 'unchecked' ? ([] as const) : ([checkCode(check) ?? 0] as const)),
    ],
  )
  const dayTexts = days.map(day => (day === unknownObservationDay ? '-infinity' : copyDateText(day)))
  return [
    entityId,
    accession,
    escapeCopyText(form),
    copyDateText(filed),
    copyTimestampText(acceptedAt),
    ...[`{${dayTexts.join(',')}}`, JSON.stringify(figures)],
  ].join('\t')
}

export async function removeObservedFilings(
  transaction: TransactionSql,
  ctids: readonly string[],
): Promise<void> {
  if (ctids.length === 0) return
  await transaction`delete from pulled_filing where ctid = any(${ctids}::tid[])`
}
