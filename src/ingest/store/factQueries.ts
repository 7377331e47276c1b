import { type FactRow, type RepeatRow, untold } from '../../facts/reportedFact.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { BinaryCopy, copyChunks, copyDay } from '../../postgres/copy.ts'
import type { FilingNumbers } from './filingQueries.ts'
import { type FactNames, learnNames, registerNames } from './nameQueries.ts'

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

/** A row as it lies in `fact` or `fact_repeat`, names for numbers and days as numbers. */
export interface StoredRow {
  /** Where it lies, good until the transaction ends. */
  readonly place: string
  readonly entityId: number
  readonly metric: string
  readonly fp: number
  readonly fy: number
  readonly unit: string
  readonly tag: string | null
  readonly start: number | null
  readonly end: number
  readonly filed: number
  /** null in `fact_repeat` and for the vintage that stands. */
  readonly superseded: number | null
  readonly acceptedAt: number | null
  readonly value: number
  readonly rounded: boolean
  readonly accession: string
}

interface RawRow {
  place: string
  entity_id: number
  metric_id: number
  fp: number
  fy: number
  unit_id: number
  tag_id: number | null
  start: number | null
  end: number
  filed: number | null
  superseded: number | null
  value: number
  period_rounded: boolean
  filing_id: number
}

/** All rows of some entities. The filings are read by themselves: in a join the planner would rather go through all that
 * there are than look up those of a few hundred thousand rows. */
export async function readStoredRows(
  transaction: TransactionSql,
  names: FactNames,
  table: 'fact' | 'fact_repeat',
  entityIds: readonly number[],
): Promise<StoredRow[]> {
  const superseded =
    table === 'fact'
      ? transaction`case when superseded = 'infinity' then null else superseded - date '1970-01-01' end`
      : transaction`null::int`
  const rows = await transaction<RawRow[]>`
    select stored.ctid::text as place, stored.entity_id, metric_id, fp, fy, unit_id, tag_id,
           period_start - date '1970-01-01' as start, period_end - date '1970-01-01' as end,
           case when stored.filed = 'infinity' then null else stored.filed - date '1970-01-01' end as filed,
           ${superseded} as superseded, value, period_rounded, filing_id
    from ${transaction(table)} stored
    where stored.entity_id = any(${entityIds}::int[])`
  await learnNames(names, rows)
  const filings = await readFilingsOf(transaction, rows)
  return rows.map(row => ({
    place: row.place,
    entityId: row.entity_id,
    metric: names.metrics.name(row.metric_id),
    fp: row.fp,
    fy: row.fy,
    unit: names.units.name(row.unit_id),
    tag: row.tag_id === null ? null : names.tags.name(row.tag_id),
    start: row.start,
    end: row.end,
    filed: row.filed ?? untold,
    superseded: row.superseded,
    acceptedAt: filingOf(row, filings).accepted_at?.getTime() ?? null,
    value: row.value,
    rounded: row.period_rounded,
    accession: filingOf(row, filings).accession,
  }))
}

interface RawFiling {
  readonly filing_id: number
  readonly accession: string
  readonly accepted_at: Date | null
}

async function readFilingsOf(
  transaction: TransactionSql,
  rows: readonly RawRow[],
): Promise<Map<number, RawFiling>> {
  const numbers = [...new Set(rows.map(row => row.filing_id))]
  if (numbers.length === 0) return new Map()
  const filings = await transaction<RawFiling[]>`
    select filing_id, accession, accepted_at from filing where filing_id = any(${numbers}::int[])`
  return new Map(filings.map(filing => [filing.filing_id, filing]))
}

function filingOf(row: RawRow, filings: ReadonlyMap<number, RawFiling>): RawFiling {
  const filing = filings.get(row.filing_id)
  if (filing === undefined) throw new Error(`filing ${row.filing_id} of a stored row is not on record`)
  return filing
}
