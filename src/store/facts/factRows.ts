import type { FactRow, Filing, Statement } from '../../model/statement.ts'
import type { TransactionSql } from '../database.ts'
import { copyDay, copyRows, copyTime } from './copyRows.ts'
import type { FactNames } from './names.ts'

export interface EntityFact {
  readonly entityId: number
  readonly fact: FactRow
}

export interface EntityRepeat {
  readonly entityId: number
  /** The name it is stored under: half a year and nine months have one of their own. */
  readonly metric: string
  readonly statement: Statement
  readonly label: { readonly fy: number; readonly fp: number } | null
}

const factColumns =
  'entity_id, metric_id, fp, fy, unit_id, tag_id, period_start, period_end, filed, superseded, accepted_at, value, period_rounded, accession'
const repeatColumns =
  'entity_id, metric_id, fp, fy, unit_id, tag_id, period_start, period_end, filed, accepted_at, value, period_rounded, accession'

export async function addFacts(
  transaction: TransactionSql,
  names: FactNames,
  added: readonly EntityFact[],
): Promise<void> {
  if (added.length === 0) return
  await copyRows(transaction, `copy fact (${factColumns}) from stdin`, factLines(names, added))
}

function* factLines(names: FactNames, added: readonly EntityFact[]): Generator<string> {
  for (const { entityId, fact } of added) {
    const { filing } = fact
    const tag = fact.tag === null ? '\\N' : names.tags.id(fact.tag)
    const start = fact.start === null ? '\\N' : copyDay(fact.start)
    const superseded = fact.superseded === null ? 'infinity' : copyDay(fact.superseded)
    yield `${entityId}\t${names.metrics.id(fact.metric)}\t${fact.fp}\t${fact.fy}\t${names.units.id(fact.unit)}\t${tag}\t${start}\t${copyDay(fact.end)}\t${copyDay(filing.filed)}\t${superseded}\t${copyTime(filing.acceptedAt)}\t${fact.value}\t${fact.rounded ? 't' : 'f'}\t${filing.accession}`
  }
}

/** Keeps statements that made no vintage. One without a fiscal period is kept under its end's calendar year. */
export async function addRepeats(
  transaction: TransactionSql,
  names: FactNames,
  added: readonly EntityRepeat[],
): Promise<void> {
  if (added.length === 0) return
  await copyRows(transaction, `copy fact_repeat (${repeatColumns}) from stdin`, repeatLines(names, added))
}

function* repeatLines(names: FactNames, added: readonly EntityRepeat[]): Generator<string> {
  for (const { entityId, metric, statement, label } of added) {
    const { filing } = statement
    const start = statement.start === null ? '\\N' : copyDay(statement.start)
    const end = copyDay(statement.end)
    yield `${entityId}\t${names.metrics.id(metric)}\t${label?.fp ?? 0}\t${label?.fy ?? end.slice(0, 4)}\t${names.units.id(statement.unit)}\t${names.tags.id(statement.tag)}\t${start}\t${end}\t${copyDay(filing.filed)}\t${copyTime(filing.acceptedAt)}\t${statement.value}\t${statement.rounded ? 't' : 'f'}\t${filing.accession}`
  }
}

/** Names of everything in the rows, registered before they are written. */
export async function ensureNames(
  names: FactNames,
  facts: readonly EntityFact[],
  repeats: readonly EntityRepeat[],
): Promise<void> {
  const metrics = new Set<string>()
  const units = new Set<string>()
  const tags = new Set<string>()
  for (const { fact } of facts) {
    metrics.add(fact.metric)
    units.add(fact.unit)
    if (fact.tag !== null) tags.add(fact.tag)
  }
  for (const { metric, statement } of repeats) {
    metrics.add(metric)
    units.add(statement.unit)
    tags.add(statement.tag)
  }
  await names.metrics.ensure(metrics)
  await names.units.ensure(units)
  await names.tags.ensure(tags)
}

/** What of a vintage that stands may still change: the day that ends it, and the hour of its filing. */
export async function amendFacts(
  transaction: TransactionSql,
  names: FactNames,
  amended: readonly EntityFact[],
): Promise<void> {
  if (amended.length === 0) return
  await transaction`
    update fact set superseded = now_known.superseded, accepted_at = now_known.accepted_at
    from unnest(
      ${amended.map(({ entityId }) => entityId)}::int[],
      ${amended.map(({ fact }) => names.metrics.id(fact.metric))}::smallint[],
      ${amended.map(({ fact }) => copyDay(fact.end))}::date[],
      ${amended.map(({ fact }) => copyDay(fact.filing.filed))}::date[],
      ${amended.map(({ fact }) => fact.fp)}::smallint[],
      ${amended.map(({ fact }) => fact.filing.accession)}::text[],
      ${amended.map(({ fact }) => (fact.superseded === null ? 'infinity' : copyDay(fact.superseded)))}::date[],
      ${amended.map(({ fact }) => acceptedAt(fact.filing))}::timestamptz[]
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
