import { addDays, type IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { JsonObject } from '../codec/jsonReader.ts'
import { carriedBytes, refuseClashes } from './carried/carriedColumn.ts'
import { joinFields, readJsonJoin } from './jsonBody.ts'
import { readCsvRows, readNdjsonRows } from './lineBodies.ts'
import { readParquetRows } from './parquetRows.ts'
import { type JoinFormat, maxJoinRows } from './request.ts'
import { checkRows, type ParsedRows } from './rows.ts'
import { readRowTimes, setSymbolDays } from './rowTimes.ts'
import { answeredColumns, companyColumns, type JoinPlan, readJoinSettings } from './settings.ts'

export interface JoinBodyInput {
  /** Not parsed yet. */
  readonly body: Uint8Array<ArrayBuffer>
  readonly format: JoinFormat
  /** Settings from the query string, unvalidated, for a body that contains only rows. A JSON body has its
   * own. */
  readonly query: JsonObject
  /** In UTC. */
  readonly today: IsoDate
  /** The most rows that the caller may send; by default the general limit. Reading stops at the first row
   * over it. */
  readonly maxRows?: number | undefined
}

export interface JoinBody {
  readonly rows: ParsedRows
  readonly plan: JoinPlan
  /** The approximate size of the columns besides date and ticker in a text response. */
  readonly carriedBytes: number
}

/** Parses and validates a join. Fails with the position of the first fault. */
export async function readJoinBody(input: JoinBodyInput): Promise<JoinBody> {
  const { rows: sent, fields } = await readSentRows(input, joinFields)
  const plan = readJoinSettings(fields)
  const times = readRowTimes(sent.layout, input.today)
  const rows = { ...sent, times }
  if (times !== null) setSymbolDays(sent.day, times)
  if (times !== null && plan.inclusive) {
    throw new Failure(
      'parameter_invalid',
      'inclusive is for rows with dates. Rows with times always show what was public by then: omit inclusive.',
      { param: 'inclusive' },
    )
  }
  if (times === null && plan.extras.includes('known_by')) {
    throw new Failure(
      'parameter_invalid',
      'known_by is for rows with a column time. Rows with days count by the days of the filings: omit known_by.',
      { param: 'with' },
    )
  }
  refuseClashes(rows, [...companyColumns(plan), ...answeredColumns(plan)])
  const lastDate = plan.inclusive ? input.today : addDays(input.today, 1)
  checkRows(rows, lastDate, plan.inclusive, row =>
    input.format === 'json' ? `rows.date[${row}]` : `the date of row ${row + 1}`,
  )
  return { rows, plan, carriedBytes: carriedBytes(rows) }
}

/**
 * Reads the rows of a body and its settings, which are not validated yet.
 *
 * @param known the fields that a JSON body may have
 */
export async function readSentRows(
  { body, format, query, maxRows = maxJoinRows }: JoinBodyInput,
  known: readonly string[],
): Promise<{ rows: ParsedRows; fields: JsonObject }> {
  switch (format) {
    case 'json':
      return readJsonJoin(body, known, maxRows)
    case 'csv':
      return { rows: readCsvRows(body, maxRows), fields: query }
    case 'ndjson':
      return { rows: readNdjsonRows(body, maxRows), fields: query }
    case 'parquet':
    case 'arrow':
      return { rows: await readParquetRows(body, maxRows, format), fields: query }
    default:
      return format satisfies never
  }
}
