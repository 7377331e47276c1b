import type { IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { ReservedSql, Sql } from '../../postgres/client.ts'
import { readFixedRows } from '../../postgres/copyReader.ts'
import { none, type RowBuffer } from './rowBuffer.ts'
import { instantText } from './schema.ts'

/** An arbitrary lock number that all builders on one database share. */
const buildLock = 0x62756c6b

/** Two connections on one snapshot: one streams rows while the other looks up the numbers of filings. */
export interface BulkSnapshot {
  readonly rows: ReservedSql
  readonly names: ReservedSql
  readonly dataVersion: number
  /** Backend process of the streaming connection. */
  readonly backendId: number
  close(): Promise<void>
}

/** Works while no other process builds or publishes a release of this database. */
export async function holdBulkLock<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const connection = await sql.reserve()
  try {
    const [{ locked }] = await connection<
      { locked: boolean }[]
    >`select pg_try_advisory_lock(${buildLock}) as locked`
    if (!locked)
      throw new Failure(
        'conflict',
        'Another process builds or publishes bulk files of this database. Wait until it ends, and run the same command again.',
      )
    try {
      return await work()
    } finally {
      await connection`select pg_advisory_unlock(${buildLock})`.catch(() => {})
    }
  } finally {
    connection.release()
  }
}

/** Opens the snapshot and takes the build lock. Returns null if another process is building. */
export async function openBulkSnapshot(sql: Sql): Promise<BulkSnapshot | null> {
  const rows = await sql.reserve()
  const names = await sql.reserve()
  const close = async () => {
    for (const connection of [rows, names]) await connection`rollback`.catch(() => {})
    await rows`select pg_advisory_unlock(${buildLock})`.catch(() => {})
    rows.release()
    names.release()
  }
  try {
    const [{ locked }] = await rows<
      { locked: boolean }[]
    >`select pg_try_advisory_lock(${buildLock}) as locked`
    if (!locked) {
      await close()
      return null
    }
    await begin(rows)
    const [{ snapshot, version, backendId }] = await rows<
      { snapshot: string; version: number; backendId: number }[]
    >`select pg_export_snapshot() as snapshot, version::int as version, pg_backend_pid() as "backendId" from data_version`
    await begin(names)
    await names.unsafe(`set transaction snapshot '${snapshot}'`).simple()
    return { rows, names, dataVersion: version, backendId, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Reads by index, in disk order. Parallel workers are off because requests need them, and timeouts because a
 * market takes minutes and one connection waits while the other works.
 */
const settings = [
  ...[
    'statement_timeout = 0',
    'idle_in_transaction_session_timeout = 0',
    'max_parallel_workers_per_gather = 0',
  ],
  ...[
    'jit = off',
    'enable_seqscan = off',
    'enable_hashjoin = off',
    'enable_mergejoin = off',
    'enable_bitmapscan = off',
  ],
]

async function begin(connection: ReservedSql): Promise<void> {
  await connection.unsafe('begin isolation level repeatable read read only').simple()
  for (const setting of settings) await connection.unsafe(`set local ${setting}`).simple()
}

/** The approximate number of rows, for progress reports. */
export async function estimateRows(connection: ReservedSql): Promise<number> {
  const [{ rows }] = await connection<{ rows: number }[]>`
    select greatest(reltuples, 0)::float8 as rows from pg_class where oid = 'fact'::regclass`
  return rows
}

/** The approximate number of rows of whole filings, by what a filing has on average. */
export async function estimateReportedRows(connection: ReservedSql): Promise<number> {
  const [{ rows }] = await connection<{ rows: number }[]>`
    select coalesce(greatest(reltuples, 0) * (
      select avg(figures + lines) from (select figures, lines from whole_filing limit 1000) few), 0)::float8 as rows
    from pg_class where oid = 'whole_filing'::regclass`
  return rows
}

export async function readMarkets(connection: ReservedSql): Promise<readonly string[]> {
  const rows = await connection<{ market: string }[]>`select distinct market from entity order by market`
  return rows.map(row => row.market)
}

/** Names by number. */
export async function readNames(
  connection: ReservedSql,
  kind: 'metric' | 'unit' | 'tag',
): Promise<ReadonlyMap<number, string>> {
  const rows = await connection<{ id: number; name: string }[]>`
    select ${connection(`${kind}_id`)} as id, name from ${connection(kind)}`
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export async function readTickers(
  connection: ReservedSql,
  market: string,
): Promise<ReadonlyMap<number, string>> {
  const tickers = new Map<number, string>()
  const query = connection<{ id: number; ticker: string }[]>`
    select entity_id as id, ticker from entity where market = ${market}`
  for await (const rows of query.cursor(10_000)) for (const { id, ticker } of rows) tickers.set(id, ticker)
  return tickers
}

/** What rows say about their filings, by number. Filings without a time are not in `acceptedAt`. */
export interface FilingNames {
  readonly accessions: ReadonlyMap<number, string>
  readonly acceptedAt: ReadonlyMap<number, string>
}

export async function readFilings(connection: ReservedSql, filings: readonly number[]): Promise<FilingNames> {
  const rows = await connection<{ id: number; accession: string; acceptedAt: Date | null }[]>`
    select filing_id as id, accession, accepted_at as "acceptedAt"
    from filing where filing_id = any(${filings}::int[])`
  return {
    accessions: new Map(rows.map(({ id, accession }) => [id, accession])),
    acceptedAt: new Map(
      rows.flatMap(({ id, acceptedAt }) => (acceptedAt === null ? [] : [[id, instantText(acceptedAt)]])),
    ),
  }
}

/** Represents null; also the first day that a column can hold. */
const firstDay = '0001-01-01'
const firstDayNumber = -719_162
/** Two bytes for the number of columns, then four bytes of length and eight of content for each. */
const rowBytes = 2 + 6 * 12
const lengthBytes = 4

/**
 * Streams the rows of a market, company by company. Two numbers share one column, because each column costs
 * PostgreSQL as much as all its other work on the row.
 *
 * @param bufferOf returns the buffer for the rows of a filing day; called once per row
 * @param afterRows see `readFixedRows`
 */
export async function streamMarket(
  { rows: connection, names, backendId }: BulkSnapshot,
  market: string,
  asOf: IsoDate,
  bufferOf: (filed: number) => RowBuffer,
  afterRows: () => Promise<void> | null,
): Promise<void> {
  if (!/^[A-Z]{2}$/.test(market) || !/^\d{4}-\d{2}-\d{2}$/.test(asOf))
    throw new Error('A market or a day is not one.')
  // Companies of one market mostly have consecutive numbers, so each index range covers 64 of them.
  const statement = `
    copy (
      with numbered as (
        select entity_id, entity_id - row_number() over (order by entity_id) as island
        from entity where market = '${market}'),
      ranges as materialized (
        select min(entity_id) as first, max(entity_id) as last from numbered
        group by island, entity_id / 64 order by 1)
      select f.value,
             (f.entity_id::int8 << 32) | f.filing_id,
             ((f.period_end - date '${firstDay}')::int8 << 32) | (f.filed - date '${firstDay}'),
             ((coalesce(f.until, date '${firstDay}') - date '${firstDay}')::int8 << 32)
               | (coalesce(f.period_start, date '${firstDay}') - date '${firstDay}'),
             (coalesce(f.tag_id, -1)::int8 << 32) | f.data_version,
             (f.metric_id::int8 << 48) | (f.fy::int8 << 32) | (f.unit_id::int8 << 16) | f.fp
      from ranges r cross join lateral (
        select * from fact_rows_as_of(date '${asOf}') f where f.entity_id between r.first and r.last) f
    ) to stdout (format binary)`
  const columnAt = (column: number) => 2 + column * 12 + lengthBytes
  const [valueAt, entityAt, endAt, untilAt, tagAt, metricAt] = [0, 1, 2, 3, 4, 5].map(columnAt)
  const optionalDay = (days: number) => (days === 0 ? none : days + firstDayNumber)
  const onRow = (view: DataView, row: number) => {
    const filed = view.getInt32(row + endAt + 4) + firstDayNumber
    const buffer = bufferOf(filed)
    const at = buffer.next()
    const { whole } = buffer
    buffer.value[at] = view.getFloat64(row + valueAt)
    whole.entity[at] = view.getInt32(row + entityAt)
    whole.filing[at] = view.getInt32(row + entityAt + 4)
    whole.end[at] = view.getInt32(row + endAt) + firstDayNumber
    whole.filed[at] = filed
    whole.until[at] = optionalDay(view.getInt32(row + untilAt))
    whole.start[at] = optionalDay(view.getInt32(row + untilAt + 4))
    const tag = view.getInt32(row + tagAt)
    whole.tag[at] = tag === -1 ? none : tag
    whole.version[at] = view.getInt32(row + tagAt + 4)
    whole.metric[at] = view.getInt16(row + metricAt)
    whole.fy[at] = view.getInt16(row + metricAt + 2)
    whole.unit[at] = view.getInt16(row + metricAt + 4)
    whole.fp[at] = view.getInt16(row + metricAt + 6)
  }
  const cancel = () => names`select pg_cancel_backend(${backendId})`
  await readFixedRows(connection, statement, rowBytes, onRow, afterRows, cancel)
}
