import type { IsoDate } from '../../dates.ts'
import { addDays } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { Row } from '../../formats/columns.ts'
import type { CursorSigner } from '../../http/cursor.ts'
import type { Manifest } from '../../markets/manifest.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { metricName } from '../bulk/bulkFile.ts'
import { fiscalPeriods, instantText } from '../bulk/schema.ts'
import {
  type ChangePlace,
  type ChangeRange,
  type ChangeRecord,
  readChanges,
  readHistory,
  readMatured,
  windowEnd,
} from './changeQueries.ts'
import { type Cursor, decodeCursor, encodeCursor, type Phase } from './cursor.ts'
import { type ChangeField, type ChangesQuery, changesLimit, kindOf } from './schema.ts'

/**
 * Bounds the statements of one page. If the versions read contain no row of the caller's markets, the page
 * ends early and the next one continues.
 */
const maxSteps = 32

export interface ChangeListAnswer {
  readonly object: 'change_list'
  readonly since: number
  readonly data_version: number
  readonly as_of: IsoDate
  readonly attribution: readonly string[]
  readonly count: number
  readonly next: string | null
  readonly data: readonly Row<ChangeField>[]
}

/** A page of what changed since a data version. */
export async function listChanges(
  { sql, cursors }: { readonly sql: SqlClient; readonly cursors: CursorSigner },
  query: ChangesQuery,
  today: IsoDate,
  manifests: readonly Manifest[],
): Promise<ChangeListAnswer> {
  const start = await startOf(sql, cursors, query, today)
  const range: ChangeRange = {
    ...start.range,
    markets: manifests.map(({ code }) => code),
    filings: query.filings ?? false,
  }
  const { rows, next } = await readPage(sql, range, start, query.limit ?? changesLimit.default)
  return {
    object: 'change_list',
    since: range.since,
    data_version: range.upto,
    as_of: range.asOf,
    attribution: manifests.map(({ attribution }) => attribution),
    count: rows.length,
    next: next === null ? null : encodeCursor(cursors, { range: start.range, ...next }, range.filings),
    data: rows.map(rowOf),
  }
}

/** Where the page begins: at the cursor, or at the first change after the given version and day. */
async function startOf(
  sql: SqlClient,
  cursors: CursorSigner,
  query: ChangesQuery,
  today: IsoDate,
): Promise<Cursor> {
  const { since } = query
  const history = await readHistory(sql, since)
  if (since > history.newest)
    throw refused(
      'since',
      `since=${since} is newer than the data: its version is ${history.newest}. Send the data_version of an earlier answer.`,
    )
  if (since < history.oldest)
    throw refused(
      'since',
      `since=${since} is too old: changes are remembered from data version ${history.oldest} on. Take a new bulk release (GET /api/v1/bulk) and continue with its data_version.`,
    )
  if (query.since_day !== undefined && query.since_day > today)
    throw refused(
      'since_day',
      `since_day=${query.since_day} is later than today, ${today}. Send the as_of of an earlier answer, or omit it.`,
    )
  if (query.cursor !== undefined) {
    const cursor = decodeCursor(cursors, query.cursor, since, query.filings ?? false, today)
    if (cursor.range.upto > history.newest || cursor.range.upto < since)
      throw refused('cursor', 'cursor names a data version that is not there. Omit it.')
    return cursor
  }
  // The clocks of servers and database may differ, so only the day before the version's counts as seen.
  const sinceDay = query.since_day ?? (history.day === null ? firstDay : addDays(history.day, -1))
  const range = { since, sinceDay, upto: history.newest, asOf: today }
  return { range, phase: 'versions', after: before(since + 1) }
}

const firstDay = '0001-01-01'

/** The position before all changes of a version, or of a company in it. */
const before = (version: number, entityId = 0): ChangePlace => ({
  version,
  entityId,
  metricId: -1,
  end: firstDay,
  filed: firstDay,
  fp: 0,
  filingId: -1,
})

type Place = { readonly phase: Phase; readonly after: ChangePlace }

async function readPage(
  sql: SqlClient,
  range: ChangeRange,
  start: Place,
  limit: number,
): Promise<{ rows: readonly ChangeRecord[]; next: Place | null }> {
  const rows: ChangeRecord[] = []
  let place: Place | null = start
  for (let step = 0; step < maxSteps && place !== null && rows.length < limit; step++) {
    const found = await readStep(sql, range, place, limit - rows.length)
    for (const row of found.rows) rows.push(row)
    place = found.next
  }
  return { rows, next: place }
}

async function readStep(
  sql: SqlClient,
  range: ChangeRange,
  { phase, after }: Place,
  limit: number,
): Promise<{ rows: readonly ChangeRecord[]; next: Place | null }> {
  if (phase === 'days') {
    const { rows, lastEntity } = await readMatured(sql, range, after, limit)
    if (rows.length === limit) return { rows, next: { phase, after: placeOf(rows[rows.length - 1]) } }
    return { rows, next: lastEntity === null ? null : { phase, after: before(range.upto, lastEntity + 1) } }
  }
  if (after.version > range.upto) return { rows: [], next: { phase: 'days', after: before(range.upto) } }
  const last = await windowEnd(sql, after.version, range.upto, limit)
  const rows = await readChanges(sql, range, after, last, limit)
  if (rows.length === limit) return { rows, next: { phase, after: placeOf(rows[rows.length - 1]) } }
  return { rows, next: { phase, after: before(last + 1) } }
}

const placeOf = ({ version, entityId, metricId, end, filed, fp, filingId }: ChangeRecord): ChangePlace => ({
  version,
  entityId,
  metricId,
  end,
  filed,
  fp,
  filingId,
})

function rowOf(row: ChangeRecord): Row<ChangeField> {
  const isFigure = row.metric !== null
  const isFiling = row.change === 'timed' || row.change === 'filing' || row.change === 'filing_removed'
  return {
    version: row.version,
    change: row.change,
    ticker: row.ticker,
    entity: row.entityId,
    metric: row.metric === null ? null : metricName(row.metric),
    fy: row.fy,
    fp: isFigure ? fiscalPeriods[row.fp] : null,
    period_start: row.start,
    period_end: isFigure ? row.end : null,
    filed: isFigure || isFiling ? row.filed : null,
    until: row.until,
    accession: row.accession,
    value: row.value,
    unit: row.unit,
    tag: row.tag,
    kind: isFigure ? kindOf(row.tag) : null,
    data_version: row.dataVersion,
    accepted_at: row.acceptedAt === null ? null : instantText(row.acceptedAt),
  }
}

const refused = (param: string, message: string) => new Failure('parameter_invalid', message, { param })
