import type { FactRow, Filing, RepeatRow } from '../../model/statement.ts'
import type { TransactionSql } from '../database.ts'
import { BinaryCopy } from './BinaryCopy.ts'
import { copyChunks, copyDay, copyTime } from './copyRows.ts'
import { type FactNames, withNames } from './names.ts'

export interface FactsOfEntity {
  readonly entityId: number
  readonly facts: readonly FactRow[]
}

export interface RepeatsOfEntity {
  readonly entityId: number
  readonly repeats: readonly RepeatRow[]
}

const factColumns =
  'entity_id, metric_id, fp, fy, unit_id, tag_id, period_start, period_end, filed, superseded, accepted_at, value, period_rounded, accession'
const repeatColumns =
  'entity_id, metric_id, fp, fy, unit_id, tag_id, period_start, period_end, filed, accepted_at, value, period_rounded, accession'

export async function addFacts(
  transaction: TransactionSql,
  names: FactNames,
  added: readonly FactsOfEntity[],
): Promise<void> {
  if (added.length === 0) return
  const chunks = await withNames(names, () => {
    const copy = new BinaryCopy(14)
    for (const { entityId, facts } of added) for (const fact of facts) writeFact(copy, names, entityId, fact)
    return copy.finish()
  })
  await copyChunks(transaction, `copy fact (${factColumns}) from stdin (format binary)`, chunks)
}

function writeFact(copy: BinaryCopy, names: FactNames, entityId: number, fact: FactRow): void {
  const { filing } = fact
  copy.row()
  copy.integer(entityId)
  copy.smallint(names.metrics.id(fact.metric))
  copy.smallint(fact.fp)
  copy.smallint(fact.fy)
  copy.smallint(names.units.id(fact.unit))
  if (fact.tag === null) copy.null()
  else copy.integer(names.tags.id(fact.tag))
  if (fact.start === null) copy.null()
  else copy.date(fact.start)
  copy.date(fact.end)
  copy.date(filing.filed)
  if (fact.superseded === null) copy.dateInfinity()
  else copy.date(fact.superseded)
  if (filing.acceptedAt === null) copy.null()
  else copy.timestamptz(filing.acceptedAt)
  copy.double(fact.value)
  copy.boolean(fact.rounded)
  copy.text(filing.accession)
}

/** Keeps statements that made no vintage. One without a fiscal period is kept under its end's calendar year. */
export async function addRepeats(
  transaction: TransactionSql,
  names: FactNames,
  added: readonly RepeatsOfEntity[],
): Promise<void> {
  if (added.length === 0) return
  const chunks = await withNames(names, () => {
    const copy = new BinaryCopy(13)
    for (const { entityId, repeats } of added) {
      for (const repeat of repeats) writeRepeat(copy, names, entityId, repeat)
    }
    return copy.finish()
  })
  await copyChunks(transaction, `copy fact_repeat (${repeatColumns}) from stdin (format binary)`, chunks)
}

function writeRepeat(copy: BinaryCopy, names: FactNames, entityId: number, repeat: RepeatRow): void {
  const { statement, metric, label } = repeat
  const { filing } = statement
  copy.row()
  copy.integer(entityId)
  copy.smallint(names.metrics.id(metric))
  copy.smallint(label?.fp ?? 0)
  copy.smallint(label?.fy ?? Number(copyDay(statement.end).slice(0, 4)))
  copy.smallint(names.units.id(statement.unit))
  copy.integer(names.tags.id(statement.tag))
  if (statement.start === null) copy.null()
  else copy.date(statement.start)
  copy.date(statement.end)
  copy.date(filing.filed)
  if (filing.acceptedAt === null) copy.null()
  else copy.timestamptz(filing.acceptedAt)
  copy.double(statement.value)
  copy.boolean(statement.rounded)
  copy.text(filing.accession)
}

/** What of a vintage that stands may still change: the day that ends it, and the hour of its filing. */
export async function amendFacts(
  transaction: TransactionSql,
  names: FactNames,
  amended: readonly FactsOfEntity[],
): Promise<void> {
  const rows = amended.flatMap(({ entityId, facts }) => facts.map(fact => ({ entityId, fact })))
  if (rows.length === 0) return
  await transaction`
    update fact set superseded = now_known.superseded, accepted_at = now_known.accepted_at
    from unnest(
      ${rows.map(({ entityId }) => entityId)}::int[],
      ${rows.map(({ fact }) => names.metrics.id(fact.metric))}::smallint[],
      ${rows.map(({ fact }) => copyDay(fact.end))}::date[],
      ${rows.map(({ fact }) => copyDay(fact.filing.filed))}::date[],
      ${rows.map(({ fact }) => fact.fp)}::smallint[],
      ${rows.map(({ fact }) => fact.filing.accession)}::text[],
      ${rows.map(({ fact }) => (fact.superseded === null ? 'infinity' : copyDay(fact.superseded)))}::date[],
      ${rows.map(({ fact }) => acceptedAt(fact.filing))}::timestamptz[]
    ) as now_known (entity_id, metric_id, period_end, filed, fp, accession, superseded, accepted_at)
    where fact.entity_id = now_known.entity_id and fact.metric_id = now_known.metric_id
      and fact.period_end = now_known.period_end and fact.filed = now_known.filed
      and fact.fp = now_known.fp and fact.accession = now_known.accession`
}

const acceptedAt = (filing: Filing) => (filing.acceptedAt === null ? null : copyTime(filing.acceptedAt))

/** Takes away rows by their place in the table: they proved to be repeats, or were derived anew. */
export async function removeRows(
  transaction: TransactionSql,
  table: 'fact' | 'fact_repeat',
  places: readonly string[],
): Promise<void> {
  if (places.length === 0) return
  await transaction`delete from ${transaction(table)} where ctid = any(${places}::tid[])`
}
