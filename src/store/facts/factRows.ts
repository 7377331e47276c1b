import type { FactRow, RepeatRow } from '../../model/statement.ts'
import type { TransactionSql } from '../database.ts'
import { BinaryCopy } from './BinaryCopy.ts'
import { copyChunks, copyDay } from './copyRows.ts'
import type { FilingNumbers } from './filings.ts'
import { type FactNames, registerNames } from './names.ts'

export interface FactsOfEntity {
  readonly entityId: number
  readonly facts: readonly FactRow[]
}

export interface RepeatsOfEntity {
  readonly entityId: number
  readonly repeats: readonly RepeatRow[]
}

const factColumns =
  'value, entity_id, filing_id, period_end, filed, superseded, period_start, tag_id, metric_id, fy, unit_id, fp, period_rounded'
const repeatColumns =
  'value, entity_id, filing_id, period_end, filed, period_start, tag_id, metric_id, fy, unit_id, fp, period_rounded'

export async function addFacts(
  transaction: TransactionSql,
  names: FactNames,
  filings: FilingNumbers,
  added: readonly FactsOfEntity[],
): Promise<void> {
  if (added.length === 0) return
  await registerNames(
    names,
    added.flatMap(({ facts }) => facts),
  )
  const chunks = encodeFacts(names, filings, added)
  await copyChunks(transaction, `copy fact (${factColumns}) from stdin (format binary)`, chunks)
}

/** Rows are encoded while those before them are on their way. */
function* encodeFacts(
  names: FactNames,
  filings: FilingNumbers,
  added: readonly FactsOfEntity[],
): Generator<Uint8Array> {
  const copy = new BinaryCopy(13)
  for (const { entityId, facts } of added) {
    for (const fact of facts) writeFact(copy, names, filings, entityId, fact)
    yield* copy.takeFull()
  }
  yield* copy.finish()
}

function writeFact(
  copy: BinaryCopy,
  names: FactNames,
  filings: FilingNumbers,
  entityId: number,
  fact: FactRow,
): void {
  const { filing } = fact
  copy.row()
  copy.double(fact.value)
  copy.integer(entityId)
  copy.integer(filings.id(filing.accession))
  copy.date(fact.end)
  copy.date(filing.filed)
  if (fact.superseded === null) copy.dateInfinity()
  else copy.date(fact.superseded)
  if (fact.start === null) copy.null()
  else copy.date(fact.start)
  if (fact.tag === null) copy.null()
  else copy.integer(names.tags.id(fact.tag))
  copy.smallint(names.metrics.id(fact.metric))
  copy.smallint(fact.fy)
  copy.smallint(names.units.id(fact.unit))
  copy.smallint(fact.fp)
  copy.boolean(fact.rounded)
}

/** Keeps statements that made no vintage. One without a fiscal period is kept under its end's calendar year. */
export async function addRepeats(
  transaction: TransactionSql,
  names: FactNames,
  filings: FilingNumbers,
  added: readonly RepeatsOfEntity[],
): Promise<void> {
  if (added.length === 0) return
  await registerNames(
    names,
    added.flatMap(({ repeats }) =>
      repeats.map(({ metric, statement: { unit, tag } }) => ({ metric, unit, tag })),
    ),
  )
  const chunks = encodeRepeats(names, filings, added)
  await copyChunks(transaction, `copy fact_repeat (${repeatColumns}) from stdin (format binary)`, chunks)
}

function* encodeRepeats(
  names: FactNames,
  filings: FilingNumbers,
  added: readonly RepeatsOfEntity[],
): Generator<Uint8Array> {
  const copy = new BinaryCopy(12)
  for (const { entityId, repeats } of added) {
    for (const repeat of repeats) writeRepeat(copy, names, filings, entityId, repeat)
    yield* copy.takeFull()
  }
  yield* copy.finish()
}

function writeRepeat(
  copy: BinaryCopy,
  names: FactNames,
  filings: FilingNumbers,
  entityId: number,
  repeat: RepeatRow,
): void {
  const { statement, metric, label } = repeat
  const { filing } = statement
  copy.row()
  copy.double(statement.value)
  copy.integer(entityId)
  copy.integer(filings.id(filing.accession))
  copy.date(statement.end)
  copy.date(filing.filed)
  if (statement.start === null) copy.null()
  else copy.date(statement.start)
  copy.integer(names.tags.id(statement.tag))
  copy.smallint(names.metrics.id(metric))
  copy.smallint(label?.fy ?? Number(copyDay(statement.end).slice(0, 4)))
  copy.smallint(names.units.id(statement.unit))
  copy.smallint(label?.fp ?? 0)
  copy.boolean(statement.rounded)
}

/** What of a vintage that stands may still change: the day that ends it. (The hour of its filing is the filing's.) */
export async function amendFacts(
  transaction: TransactionSql,
  names: FactNames,
  filings: FilingNumbers,
  amended: readonly FactsOfEntity[],
): Promise<void> {
  const rows = amended.flatMap(({ entityId, facts }) => facts.map(fact => ({ entityId, fact })))
  if (rows.length === 0) return
  await transaction`
    update fact set superseded = now_known.superseded
    from unnest(
      ${rows.map(({ entityId }) => entityId)}::int[],
      ${rows.map(({ fact }) => names.metrics.id(fact.metric))}::smallint[],
      ${rows.map(({ fact }) => copyDay(fact.end))}::date[],
      ${rows.map(({ fact }) => copyDay(fact.filing.filed))}::date[],
      ${rows.map(({ fact }) => fact.fp)}::smallint[],
      ${rows.map(({ fact }) => filings.id(fact.filing.accession))}::int[],
      ${rows.map(({ fact }) => (fact.superseded === null ? 'infinity' : copyDay(fact.superseded)))}::date[]
    ) as now_known (entity_id, metric_id, period_end, filed, fp, filing_id, superseded)
    where fact.entity_id = now_known.entity_id and fact.metric_id = now_known.metric_id
      and fact.period_end = now_known.period_end and fact.filed = now_known.filed
      and fact.fp = now_known.fp and fact.filing_id = now_known.filing_id`
}

/** Takes away rows by their place in the table: they proved to be repeats, or were derived anew. */
export async function removeRows(
  transaction: TransactionSql,
  table: 'fact' | 'fact_repeat',
  places: readonly string[],
): Promise<void> {
  if (places.length === 0) return
  await transaction`delete from ${transaction(table)} where ctid = any(${places}::tid[])`
}
