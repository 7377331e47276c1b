import { checkCode, type FactRow, type RepeatRow } from '../../facts/factRow.ts'
import type { CheckState } from '../../markets/checkStates.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { BinaryCopyWriter, copyBytes, copyDateText } from '../../postgres/copy.ts'
import type { FilingIds } from './filingQueries.ts'
import { type FactNames, registerNames } from './nameQueries.ts'

export interface FactsOfEntity {
  readonly entityId: number
  readonly facts: readonly FactRow[]
}

const factColumns =
  'value, entity_id, filing_id, period_end, filed, superseded, period_start, tag_id, metric_id, fy, unit_id, fp, period_rounded, data_version, earlier_since, inputs, check_state'
const repeatColumns =
  'value, entity_id, filing_id, period_end, filed, period_start, tag_id, metric_id, fy, unit_id, fp, period_rounded, data_version, check_state'

export async function addFacts(
  transaction: TransactionSql,
  names: FactNames,
  filings: FilingIds,
  added: readonly FactsOfEntity[],
  dataVersion: number,
): Promise<void> {
  if (added.length === 0) return
  await registerNames(
    names,
    added.flatMap(({ facts }) => facts),
  )
  const chunks = encodeFacts(names, filings, added, dataVersion)
  await copyBytes(transaction, `copy fact (${factColumns}) from stdin (format binary)`, chunks)
}

/** Encodes rows while the previous ones are being sent. */
function* encodeFacts(
  names: FactNames,
  filings: FilingIds,
  added: readonly FactsOfEntity[],
  dataVersion: number,
): Generator<Uint8Array> {
  const copy = new BinaryCopyWriter(17)
  for (const { entityId, facts } of added) {
    for (const fact of facts) {
      writeFact(copy, names, filings, entityId, fact)
      copy.integer(dataVersion)
      writeDerivation(copy, filings, fact)
    }
    yield* copy.takeFull()
  }
  yield* copy.finish()
}

/** Rows of a company's interim state, which lasts from an instant until the next filing. */
export interface InterimFacts extends FactsOfEntity {
  /** Milliseconds since 1970. */
  readonly knownAt: number
}

const interimColumns =
  'value, entity_id, filing_id, period_end, filed, superseded, period_start, tag_id, metric_id, fy, unit_id, fp, period_rounded, earlier_since, inputs, check_state, known_at'

export async function addInterimFacts(
  transaction: TransactionSql,
  names: FactNames,
  filings: FilingIds,
  added: readonly InterimFacts[],
): Promise<void> {
  if (added.length === 0) return
  await registerNames(
    names,
    added.flatMap(({ facts }) => facts),
  )
  const chunks = encodeInterimFacts(names, filings, added)
  await copyBytes(transaction, `copy fact_interim (${interimColumns}) from stdin (format binary)`, chunks)
}

function* encodeInterimFacts(
  names: FactNames,
  filings: FilingIds,
  added: readonly InterimFacts[],
): Generator<Uint8Array> {
  const copy = new BinaryCopyWriter(17)
  for (const { entityId, knownAt, facts } of added) {
    for (const fact of facts) {
      writeFact(copy, names, filings, entityId, fact)
      writeDerivation(copy, filings, fact)
      copy.time(knownAt)
    }
    yield* copy.takeFull()
  }
  yield* copy.finish()
}

function writeDerivation(copy: BinaryCopyWriter, filings: FilingIds, fact: FactRow): void {
  if (fact.earlierSince === null) copy.null()
  else copy.date(fact.earlierSince)
  if (fact.inputs.length === 0) copy.null()
  else copy.integers(fact.inputs.map(accession => filings.id(accession)))
  writeCheck(copy, fact.check)
}

function writeCheck(copy: BinaryCopyWriter, check: CheckState): void {
  const code = checkCode(check)
  if (code === null) copy.null()
  else copy.smallint(code)
}

function writeFact(
  copy: BinaryCopyWriter,
  names: FactNames,
  filings: FilingIds,
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

export interface RepeatsOfEntity {
  readonly entityId: number
  readonly repeats: readonly RepeatRow[]
}

/**
 * Stores reported facts that made no vintage. One without a fiscal period is stored under its end's calendar
 * year.
 */
export async function addRepeats(
  transaction: TransactionSql,
  names: FactNames,
  filings: FilingIds,
  added: readonly RepeatsOfEntity[],
  dataVersion: number,
): Promise<void> {
  if (added.length === 0) return
  await registerNames(
    names,
    added.flatMap(({ repeats }) =>
      repeats.map(({ metric, reported: { unit, tag } }) => ({ metric, unit, tag })),
    ),
  )
  const chunks = encodeRepeats(names, filings, added, dataVersion)
  await copyBytes(transaction, `copy fact_repeat (${repeatColumns}) from stdin (format binary)`, chunks)
}

function* encodeRepeats(
  names: FactNames,
  filings: FilingIds,
  added: readonly RepeatsOfEntity[],
  dataVersion: number,
): Generator<Uint8Array> {
  const copy = new BinaryCopyWriter(14)
  for (const { entityId, repeats } of added) {
    for (const repeat of repeats) {
      writeRepeat(copy, names, filings, entityId, repeat)
      copy.integer(dataVersion)
      writeCheck(copy, repeat.reported.check ?? 'unchecked')
    }
    yield* copy.takeFull()
  }
  yield* copy.finish()
}

function writeRepeat(
  copy: BinaryCopyWriter,
  names: FactNames,
  filings: FilingIds,
  entityId: number,
  { reported, metric, label }: RepeatRow,
): void {
  const { filing } = reported
  copy.row()
  copy.double(reported.value)
  copy.integer(entityId)
  copy.integer(filings.id(filing.accession))
  copy.date(reported.end)
  copy.date(filing.filed)
  if (reported.start === null) copy.null()
  else copy.date(reported.start)
  copy.integer(names.tags.id(reported.tag))
  copy.smallint(names.metrics.id(metric))
  copy.smallint(label?.fy ?? Number(copyDateText(reported.end).slice(0, 4)))
  copy.smallint(names.units.id(reported.unit))
  copy.smallint(label?.fp ?? 0)
  copy.boolean(reported.rounded)
}

/**
 * Updates the only columns of an unchanged vintage that may change: the day that ends it, the day from which it is of an
 * earlier generation, and its state, where the filing's statements were imported after its figures. (The acceptance time belongs to its filing.) Unchanged rows are not
 * touched: an update would store them a second time as history.
 */
export async function amendFacts(
  transaction: TransactionSql,
  names: FactNames,
  filings: FilingIds,
  amended: readonly FactsOfEntity[],
): Promise<void> {
  const rows = amended.flatMap(({ entityId, facts }) => facts.map(fact => ({ entityId, fact })))
  if (rows.length === 0) return
  await transaction`
    update fact set superseded = now_known.superseded, earlier_since = now_known.earlier_since,
      check_state = now_known.check_state
    from unnest(
      ${rows.map(({ entityId }) => entityId)}::int[],
      ${rows.map(({ fact }) => names.metrics.id(fact.metric))}::smallint[],
      ${rows.map(({ fact }) => copyDateText(fact.end))}::date[],
      ${rows.map(({ fact }) => copyDateText(fact.filing.filed))}::date[],
      ${rows.map(({ fact }) => fact.fp)}::smallint[],
      ${rows.map(({ fact }) => filings.id(fact.filing.accession))}::int[],
      ${rows.map(({ fact }) => (fact.superseded === null ? 'infinity' : copyDateText(fact.superseded)))}::date[],
      ${rows.map(({ fact }) => (fact.earlierSince === null ? null : copyDateText(fact.earlierSince)))}::date[],
      ${rows.map(({ fact }) => checkCode(fact.check))}::smallint[]
    ) as now_known (entity_id, metric_id, period_end, filed, fp, filing_id, superseded, earlier_since, check_state)
    where fact.entity_id = now_known.entity_id and fact.metric_id = now_known.metric_id
      and fact.period_end = now_known.period_end and fact.filed = now_known.filed
      and fact.fp = now_known.fp and fact.filing_id = now_known.filing_id
      and (fact.superseded, fact.earlier_since, fact.check_state)
        is distinct from (now_known.superseded, now_known.earlier_since, now_known.check_state)`
}

/**
 * Removes rows by their position in the table, because they turned out to be repeats or were derived again.
 */
export async function removeRows(
  transaction: TransactionSql,
  table: 'fact' | 'fact_repeat',
  ctids: readonly string[],
): Promise<void> {
  if (ctids.length === 0) return
  await transaction`delete from ${transaction(table)} where ctid = any(${ctids}::tid[])`
}
