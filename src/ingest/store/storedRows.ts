import { nearestMonthEnd, startOfMonths } from '../../dates.ts'
import { checkOfCode } from '../../facts/factRow.ts'
import { type Filing, type ReportedFact, unknownFilingDate } from '../../facts/reportedFact.ts'
import { reportedMetric, spanOf } from '../../facts/spans.ts'
import type { CheckState } from '../../markets/checkStates.ts'
import type { TransactionSql } from '../../postgres/client.ts'
import { type CopiedValue, readDate, readIntegers, readRows } from '../../postgres/copyReader.ts'
import { type FilingOnRecord, readFilingsByNumber } from './filingQueries.ts'
import { type FactNames, learnNames } from './nameQueries.ts'

/** A row of `fact` or `fact_repeat`, with names instead of their numbers and days as numbers. */
export interface StoredRow {
  /** The row's position in the table, valid until the transaction ends. */
  readonly ctid: string
  readonly entityId: number
  readonly metric: string
  readonly fp: number
  readonly fy: number
  readonly unit: string
  readonly tag: string | null
  readonly start: number | null
  readonly end: number
  readonly filed: number
  /** Null in `fact_repeat` and for the current vintage. */
  readonly superseded: number | null
  /** Null in `fact_repeat`. */
  readonly earlierSince: number | null
  /** Accessions, sorted. */
  readonly inputs: readonly string[]
  readonly acceptedAt: number | null
  readonly value: number
  readonly rounded: boolean
  readonly accession: string
  readonly check: CheckState
}

interface RowRecord {
  ctid: string
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
  earlier_since: number | null
  inputs: number[] | null
  value: number
  period_rounded: boolean
  filing_id: number
  check_state: number | null
}

/**
 * All rows of some entities. A separate query reads those of their filings that `filings` lacks, and adds them to it:
 * in a join, the planner would scan the whole table rather than look up the filings of a few hundred thousand rows.
 */
export async function readStoredRows(
  transaction: TransactionSql,
  names: FactNames,
  table: 'fact' | 'fact_repeat',
  entityIds: readonly number[],
  filings: Map<number, FilingOnRecord>,
): Promise<StoredRow[]> {
  if (entityIds.length === 0) return []
  const rows = await copyRows(transaction, table, entityIds)
  await learnNames(names, rows)
  const named = new Set<number>()
  for (const { filing_id: id, inputs } of rows) {
    named.add(id)
    for (const input of inputs ?? []) named.add(input)
  }
  await readFilingsByNumber(transaction, named, filings)
  return rows.map((row): StoredRow => {
    const { accession, acceptedAt } = filingOf(row.filing_id, filings)
    return {
      ctid: row.ctid,
      entityId: row.entity_id,
      metric: names.metrics.name(row.metric_id),
      fp: row.fp,
      fy: row.fy,
      unit: names.units.name(row.unit_id),
      tag: row.tag_id === null ? null : names.tags.name(row.tag_id),
      start: row.start,
      end: row.end,
      filed: row.filed ?? unknownFilingDate,
      superseded: row.superseded,
      earlierSince: row.earlier_since,
      inputs: (row.inputs ?? []).map(id => filingOf(id, filings).accession).sort(),
      acceptedAt,
      value: row.value,
      rounded: row.period_rounded,
      accession,
      check: checkOfCode(row.check_state),
    }
  })
}

/** The bytes of a row up to its inputs: the number of columns, then the length and the content of each. */
const rowBytes = 2 + 10 + 12 + 12 + 12 + 6 * 8
const [tidAt, valueAt, filerAt, periodAt, endAt] = [6, 16, 28, 40, 52]
const [filedAt, supersededAt, startAt, earlierAt, tagAt] = [60, 68, 76, 84, 92]

/**
 * Reads the rows as a binary COPY, because a company of a day's filings has hundreds of rows: as texts of a query they take
 * several times as long, here and in PostgreSQL. Small numbers share a column, because each column costs as much.
 */
async function copyRows(
  transaction: TransactionSql,
  table: 'fact' | 'fact_repeat',
  entityIds: readonly number[],
): Promise<RowRecord[]> {
  const ofVintage =
    table === 'fact'
      ? { superseded: 'superseded', earlierSince: 'earlier_since', inputs: 'inputs' }
      : { superseded: "date 'infinity'", earlierSince: 'null::date', inputs: 'null::int[]' }
  const statement = `
    copy (
      select stored.ctid, value, (entity_id::int8 << 32) | filing_id,
             (metric_id::int8 << 48) | (fy::int8 << 32) | (unit_id::int8 << 16)
               | fp | (period_rounded::int << 3) | (coalesce(check_state, 0)::int << 4),
             period_end, filed, ${ofVintage.superseded}, coalesce(period_start, 'infinity'),
             coalesce(${ofVintage.earlierSince}, 'infinity'), coalesce(tag_id, 0), ${ofVintage.inputs}
      from ${table} stored where entity_id = any('{${entityIds.map(Number).join()}}'::int[])
    ) to stdout (format binary)`
  const rows: RowRecord[] = []
  const onRow = (view: DataView, row: number, inputs: CopiedValue | null) => {
    const flags = view.getInt16(row + periodAt + 6)
    rows.push({
      ctid: `(${view.getUint32(row + tidAt)},${view.getUint16(row + tidAt + 4)})`,
      entity_id: view.getInt32(row + filerAt),
      metric_id: view.getInt16(row + periodAt),
      fp: flags & 7,
      fy: view.getInt16(row + periodAt + 2),
      unit_id: view.getInt16(row + periodAt + 4),
      tag_id: view.getInt32(row + tagAt) || null,
      start: readDate(view, row + startAt),
      end: readDate(view, row + endAt) ?? 0,
      filed: readDate(view, row + filedAt),
      superseded: readDate(view, row + supersededAt),
      earlier_since: readDate(view, row + earlierAt),
      inputs: inputs === null ? null : readIntegers(inputs),
      value: view.getFloat64(row + valueAt),
      period_rounded: (flags & 8) !== 0,
      filing_id: view.getInt32(row + filerAt + 4),
      check_state: flags >> 4 || null,
    })
  }
  await readRows(transaction, statement, rowBytes, onRow)
  return rows
}

function filingOf(id: number, filings: ReadonlyMap<number, FilingOnRecord>): Filing {
  const known = filings.get(id)
  if (known === undefined) throw new Error(missingFiling(id))
  return known.filing
}

/**
 * No foreign key prevents this: checking one per row would slow down a load, and `inputs` is a list, which
 * cannot have one.
 */
const missingFiling = (id: number): string =>
  `Filing ${id} is not on record, but rows of the figures still refer to it: it was deleted by hand. Restore a backup, or delete these rows in PostgreSQL, too: delete from fact where filing_id = ${id} or inputs @> '{${id}}'; delete from fact_repeat where filing_id = ${id}.`

type FigureOfRow = Pick<
  StoredRow,
  'metric' | 'tag' | 'unit' | 'start' | 'end' | 'value' | 'rounded' | 'check'
>

/** The reported fact from which a stored row was made; null for derived rows. */
export function reportedFactOf(row: FigureOfRow, filing: Filing): ReportedFact | null {
  if (row.tag === null) return null
  const span = spanOf(row.start, row.end) ?? 0
  const end = row.rounded ? nearestMonthEnd(row.end) : row.end
  const start = row.rounded && row.start !== null ? startOfMonths(end, span * 3) : row.start
  return {
    metric: reportedMetric(row.metric, span),
    tag: row.tag,
    unit: row.unit,
    start,
    end,
    value: row.value,
    rounded: row.rounded,
    filing,
    ...(row.check === 'unchecked' ? {} : { check: row.check }),
  }
}
