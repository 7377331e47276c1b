import { longAgo, type PulledFiling, type Statement } from '../../facts/reportedFact.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { copyDay, copyRows, copyText, copyTime } from '../../postgres/copy.ts'
import { type FactNames, registerNames } from './nameQueries.ts'

export interface StoredPull extends PulledFiling {
  /** Where it lies, good until the transaction ends. */
  readonly place: string
}

/** `metric_id, tag_id, unit_id, start, end, value, rounded` */
type Figure = readonly [number, number, number, number | null, number, number, 0 | 1]

interface PullRecord {
  place: string
  entity_id: number
  accession: string
  form: string
  filed: number
  accepted_at: Date | null
  days: string
  figures: Figure[]
}

/** What was ever read of some entities at a register that overwrites, by entity. */
export async function readPulledFilings(
  transaction: TransactionSql,
  names: FactNames,
  entityIds: readonly number[],
): Promise<Map<number, StoredPull[]>> {
  const byEntity = new Map<number, StoredPull[]>()
  if (entityIds.length === 0) return byEntity
  const rows = await transaction<PullRecord[]>`
    select ctid::text as place, entity_id, accession, form, filed - date '1970-01-01' as filed, accepted_at,
           days::text as days, figures
    from pulled_filing where entity_id = any(${entityIds}::int[])`
  for (const row of rows) {
    const { accession, form, filed } = row
    const filing = { accession, form, filed, acceptedAt: row.accepted_at?.getTime() ?? null }
    const statements = row.figures.map(
      ([metric, tag, unit, start, end, value, rounded]): Statement => ({
        metric: names.metrics.name(metric),
        tag: names.tags.name(tag),
        unit: names.units.name(unit),
        ...{ start, end, value, filing },
        rounded: rounded === 1,
      }),
    )
    const pull = { place: row.place, filing, statements, days: row.days.slice(1, -1).split(',').map(dayOf) }
    const known = byEntity.get(row.entity_id)
    if (known === undefined) byEntity.set(row.entity_id, [pull])
    else known.push(pull)
  }
  return byEntity
}

export interface PullsOfEntity {
  readonly entityId: number
  readonly pulls: readonly PulledFiling[]
}

export async function addPulledFilings(
  transaction: TransactionSql,
  names: FactNames,
  added: readonly PullsOfEntity[],
): Promise<void> {
  if (added.length === 0) return
  await registerNames(
    names,
    added.flatMap(({ pulls }) => pulls.flatMap(({ statements }) => statements)),
  )
  const lines = added.flatMap(({ entityId, pulls }) => pulls.map(pull => lineOf(names, entityId, pull)))
  await copyRows(
    transaction,
    'copy pulled_filing (entity_id, accession, form, filed, accepted_at, days, figures) from stdin',
    lines,
  )
}

export async function removePulledFilings(
  transaction: TransactionSql,
  places: readonly string[],
): Promise<void> {
  if (places.length === 0) return
  await transaction`delete from pulled_filing where ctid = any(${places}::tid[])`
}

function lineOf(names: FactNames, entityId: number, { filing, statements, days }: PulledFiling): string {
  const { accession, form, filed, acceptedAt } = filing
  const figures = statements.map(
    ({ metric, tag, unit, start, end, value, rounded }): Figure => [
      ...([names.metrics.id(metric), names.tags.id(tag), names.units.id(unit)] as const),
      ...([start, end, value, rounded ? 1 : 0] as const),
    ],
  )
  const dayTexts = days.map(day => (day === longAgo ? '-infinity' : copyDay(day)))
  return [
    ...[entityId, accession, copyText(form), copyDay(filed), copyTime(acceptedAt)],
    ...[`{${dayTexts.join(',')}}`, JSON.stringify(figures)],
  ].join('\t')
}

const dayOf = (text: string): number =>
  text === '-infinity' ? longAgo : Date.parse(`${text}T00:00:00Z`) / 86_400_000
