import type { FactRow } from '../../facts/factRow.ts'
import type { KnownMoment } from '../../facts/knownMoments.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { copyDateText, copyTimestampText } from '../../postgres/copy.ts'
import { addInterimFacts, type InterimFacts } from './factQueries.ts'
import type { FilingIds } from './filingQueries.ts'
import type { FactNames } from './nameQueries.ts'

export interface MomentsOfEntity {
  readonly entityId: number
  readonly moments: readonly KnownMoment[]
}

interface StoredMoment {
  readonly entityId: number
  readonly from: string
  readonly until: string
  readonly day: number
  readonly byTime: boolean
  readonly interim: string | null
}

/** Replaces the moments on record by the derived ones. Unchanged rows are left alone, because rewriting a row adds it
 * to the history of data versions. */
export async function saveMoments(
  transaction: TransactionSql,
  names: FactNames,
  filings: FilingIds,
  derived: readonly MomentsOfEntity[],
): Promise<void> {
  const ids = derived.map(({ entityId }) => entityId)
  const stored = await transaction<StoredMoment[]>`
    select entity_id as "entityId", extract(epoch from known_at) * 1000 as "from",
           extract(epoch from until_at) * 1000 as until, day - date '1970-01-01' as day, by_time as "byTime", interim
    from known_moment where entity_id = any(${ids}::int[])`
  const outdated = new Map(stored.map(row => [keyOf(row.entityId, row, row.interim), row]))
  const added: { entityId: number; moment: KnownMoment; digest: string | null }[] = []
  for (const { entityId, moments } of derived) {
    for (const moment of moments) {
      const digest = digestOf(moment.interim)
      if (!outdated.delete(keyOf(entityId, moment, digest))) added.push({ entityId, moment, digest })
    }
  }
  await removeMoments(transaction, [...outdated.values()])
  if (added.length === 0) return
  await transaction`
    insert into known_moment (entity_id, known_at, until_at, day, by_time, interim)
    select entity_id, known_at, until_at, day, by_time = 1, interim
    from unnest(
      ${added.map(({ entityId }) => entityId)}::int[],
      ${added.map(({ moment }) => copyTimestampText(moment.from))}::timestamptz[],
      ${added.map(({ moment }) => copyTimestampText(moment.until))}::timestamptz[],
      ${added.map(({ moment }) => copyDateText(moment.day))}::date[],
      ${added.map(({ moment }) => Number(moment.byTime))}::int[],
      ${added.map(({ digest }) => digest)}::text[]
    ) as derived (entity_id, known_at, until_at, day, by_time, interim)`
  const interim = added.flatMap(({ entityId, moment }): InterimFacts[] =>
    moment.interim.length === 0 ? [] : [{ entityId, knownAt: moment.from, facts: moment.interim }],
  )
  await addInterimFacts(transaction, names, filings, interim)
}

async function removeMoments(transaction: TransactionSql, rows: readonly StoredMoment[]): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map(({ entityId }) => entityId)
  const from = rows.map(row => copyTimestampText(Number(row.from)))
  await transaction`
    delete from known_moment m
    using unnest(
      ${ids}::int[], ${from}::timestamptz[], ${rows.map(row => copyTimestampText(Number(row.until)))}::timestamptz[],
      ${rows.map(({ day }) => copyDateText(day))}::date[]) as gone (entity_id, known_at, until_at, day)
    where m.entity_id = gone.entity_id and m.known_at = gone.known_at and m.until_at = gone.until_at and m.day = gone.day`
  const interim = rows.filter(row => row.interim !== null)
  if (interim.length === 0) return
  await transaction`
    delete from fact_interim i
    using unnest(
      ${interim.map(({ entityId }) => entityId)}::int[],
      ${interim.map(row => copyTimestampText(Number(row.from)))}::timestamptz[]) as gone (entity_id, known_at)
    where i.entity_id = gone.entity_id and i.known_at = gone.known_at`
}

const keyOf = (
  entityId: number,
  moment: Omit<StoredMoment, 'entityId' | 'interim' | 'from' | 'until'> & {
    readonly from: number | string
    readonly until: number | string
  },
  digest: string | null,
) => `${entityId} ${Number(moment.from)} ${Number(moment.until)} ${moment.day} ${moment.byTime} ${digest}`

/** Equal for equal rows. */
function digestOf(rows: readonly FactRow[]): string | null {
  if (rows.length === 0) return null
  const text = rows.map(({ filing, ...row }) =>
    JSON.stringify([filing.accession, filing.filed, Object.values(row)]),
  )
  return Bun.hash.xxHash64(text.sort().join('\n')).toString(36)
}
