import type { SignalDay } from '../../backtest/pipeline/archiveDataset.ts'
import type { IsoDate } from '../../dates.ts'
import { type Horizon, horizonDays, horizons } from '../../horizons.ts'
import type { ReservedSql, Sql, SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'

/** A row's position in the served order: date descending, then ticker, horizon and market. */
export interface SignalPosition {
  date: IsoDate
  ticker: string
  horizonDays: number
  market: string
}

export interface SignalFilter {
  market: string | null
  horizonDays: number | null
  /** Both bounds are inclusive. */
  from: IsoDate | null
  to: IsoDate | null
  /** Only rows after this position. */
  after: SignalPosition | null
}

/** The formats in which PostgreSQL writes a row. */
type SignalText = 'json' | 'csv' | 'ndjson'

export interface SignalPage {
  dataVersion: number
  /** The number of rows that `rows` yields. */
  count: number
  /** The last of them if more follow; null at the end. */
  last: SignalPosition | null
  /** Only set for a first page without rows. */
  extent: SignalExtent | null
  /**
   * The rows as text, in chunks: `,{...}` in JSON, a line in CSV and NDJSON. The connection is returned after
   * the last row or when the reader stops. A caller that never starts to read would never return it.
   */
  rows: AsyncGenerator<Uint8Array, void, undefined>
}

/**
 * Opens one page of resolved signals. Count, last position, data version and rows come from one snapshot.
 *
 * @param viewEnds the last day that the key sees, or null if it sees all
 */
export async function readSignalPage(
  sql: Sql,
  filter: SignalFilter,
  limit: number,
  format: SignalText,
  signal?: AbortSignal,
  viewEnds: IsoDate | null = null,
): Promise<SignalPage> {
  signal?.throwIfAborted()
  const connection = await sql.reserve()
  try {
    signal?.throwIfAborted()
    await beginSnapshot(connection)
    const head = await readHead(connection, filter, limit)
    const isEmpty = head.count === 0 && filter.after === null
    const extent = isEmpty ? await readSignalExtent(connection, filter.market, viewEnds) : null
    return { ...head, extent, rows: readRows(connection, filter, limit, format, signal) }
  } catch (error) {
    await returnConnection(connection)
    throw error
  }
}

/** Forces a plan for the actual bounds: a generic plan uses no index, because it does not know the limit. */
async function beginSnapshot(connection: ReservedSql): Promise<void> {
  await connection
    .unsafe('begin isolation level repeatable read read only; set local plan_cache_mode = force_custom_plan')
    .simple()
}

async function returnConnection(connection: ReservedSql): Promise<void> {
  await connection`rollback`.catch(() => {})
  connection.release()
}

async function readHead(connection: ReservedSql, filter: SignalFilter, limit: number) {
  const [head] = await connection<{ version: string; found: number }[]>`
    select (select version from data_version) as version, count(*)::int as found
    from (select from signal where ${signalConditions(connection, filter)}
          order by date desc, ticker, horizon, market limit ${limit + 1}) page`
  const dataVersion = Number(head.version)
  if (head.found <= limit) return { dataVersion, count: head.found, last: null }
  const [last] = await connection<SignalPosition[]>`
    select date, ticker, horizon as "horizonDays", market
    from signal where ${signalConditions(connection, filter)}
    order by date desc, ticker, horizon, market offset ${limit - 1} limit 1`
  return { dataVersion, count: limit, last }
}

const rowsPerFetch = 1_000

/**
 * PostgreSQL serialises the rows. It writes the shortest float text that reads back to the same number,
 * equally in all formats, and no row becomes an object here only to be serialised again.
 */
async function* readRows(
  connection: ReservedSql,
  filter: SignalFilter,
  limit: number,
  format: SignalText,
  signal?: AbortSignal,
): SignalPage['rows'] {
  const [before, after] = format === 'json' ? [',', ''] : ['', '\n']
  const row =
    format === 'csv'
      ? connection`
          date || ',' || ticker || ',' || market || ',' || horizon || 'd,' || predicted || ',' || actual
          || ',' || status || ',' || source || ${'\r\n'}`
      : connection`
          ${before} || '{"date":"' || date || '","ticker":"' || ticker || '","market":"' || market
          || '","horizon":"' || horizon || 'd","predicted_pct":' || predicted || ',"actual_pct":' || actual
          || ',"status":"' || status || '","source":"' || source || '"}' || ${after}`
  let fetching: { cancel(): unknown } | undefined
  let cancelled: Promise<unknown> | undefined
  const cancel = () => {
    cancelled = Promise.resolve(fetching?.cancel()).catch(() => {})
  }
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    await connection`
      declare page no scroll cursor for
      select ${row} from signal where ${signalConditions(connection, filter)}
      order by date desc, ticker, horizon, market limit ${limit}`
    for (let left = limit; left > 0; left -= rowsPerFetch) {
      signal?.throwIfAborted()
      const fetch = connection.unsafe(`fetch ${rowsPerFetch} from page`).raw()
      fetching = fetch
      const rows = await fetch
      if (rows.length === 0) break
      yield Buffer.concat(rows.map(([text]) => text))
      if (rows.length < rowsPerFetch) break
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    // The server may not have received the cancel request yet, and it could then hit the next statement on
    // this connection.
    await cancelled
    await returnConnection(connection)
  }
}

/** Selects a filter's rows. Open forecasts are never served, and the indexes exclude them as well. */
function signalConditions(sql: SqlClient, filter: SignalFilter) {
  const { market, horizonDays, from, to, after } = filter
  return sql`
    actual is not null
    ${market === null ? sql`` : sql`and market = ${market}`}
    ${horizonDays === null ? sql`` : sql`and horizon = ${horizonDays}`}
    ${from === null ? sql`` : sql`and date >= ${from}`}
    ${to === null ? sql`` : sql`and date <= ${to}`}
    ${
      after === null
        ? sql``
        : sql`and date <= ${after.date} and (date < ${after.date}
              or (ticker, horizon, market) > (${after.ticker}, ${after.horizonDays}, ${after.market}))`
    }`
}

/** The archive's extent, to explain a page without rows. */
export interface SignalExtent {
  /** Markets with resolved signals, in alphabetical order. */
  readonly markets: readonly string[]
  readonly horizons: readonly Horizon[]
  /** For the requested market or all markets; null if there are no resolved signals. */
  readonly days: { readonly first: IsoDate; readonly last: IsoDate } | null
}

/** @param lastDay the last day that the key sees, or null */
export async function readSignalExtent(
  sql: SqlClient,
  market: string | null,
  lastDay: IsoDate | null,
): Promise<SignalExtent> {
  const inView = lastDay === null ? sql`` : sql`and s.date <= ${lastDay}`
  const ofMarket = market === null ? sql`` : sql`and s.market = ${market}`
  // Jumps from each market to the next one in the index: reading every row would take seconds.
  const markets = await sql<{ market: string }[]>`
    with recursive known (market) as (
      select min(market) from signal where actual is not null
      union all
      select (select min(s.market) from signal s where s.actual is not null and s.market > known.market)
      from known where known.market is not null)
    select market from known
    where exists (select from signal s where s.market = known.market and s.actual is not null ${inView})
    order by market`
  const [days] = await sql<{ first: IsoDate | null; last: IsoDate | null }[]>`
    select min(s.date) as first, max(s.date) as last from signal s
    where s.actual is not null ${ofMarket} ${inView}`
  return {
    markets: markets.map(row => row.market),
    horizons: await resolvedHorizons(sql, lastDay),
    days: days.first === null || days.last === null ? null : { first: days.first, last: days.last },
  }
}

/**
 * The horizons that have resolved signals.
 *
 * @param lastDay counts only signals up to this day; if null, each horizon takes one probe of the primary key
 */
export async function resolvedHorizons(sql: SqlClient, lastDay: IsoDate | null = null): Promise<Horizon[]> {
  const inView = lastDay === null ? sql`` : sql`and s.date <= ${lastDay}`
  const rows = await sql<{ days: number }[]>`
    select h.days from unnest(${horizons.map(horizonDays)}::smallint[]) as h (days)
    where exists (select from signal s where s.horizon = h.days and s.actual is not null ${inView})`
  const known = new Set(rows.map(row => row.days))
  return horizons.filter(horizon => known.has(horizonDays(horizon)))
}

const daysPerFetch = 50

/**
 * The archive of one horizon for backtests: every resolved signal, in the order of days, in batches of days.
 *
 * @param onVersion receives the rows' data version before the first row
 */
export async function* streamResolvedSignals(
  sql: Sql,
  horizon: Horizon,
  onVersion: (dataVersion: number) => void = () => {},
): AsyncGenerator<SignalDay[], void, undefined> {
  const connection = await sql.reserve()
  try {
    await beginSnapshot(connection)
    onVersion(await readDataVersion(connection))
    await connection`
      declare archive no scroll cursor for
      select date - date '1970-01-01' as day,
        string_agg(ticker || ' ' || market, E'\n' order by ticker, market) as names,
        string_agg(float8send(predicted), ''::bytea order by ticker, market) as predicted,
        string_agg(float8send(actual), ''::bytea order by ticker, market) as actual
      from signal
      where actual is not null and horizon = ${horizonDays(horizon)}
      group by date
      order by date`
    for (;;) {
      const days = await connection.unsafe<SignalDay[]>(`fetch ${daysPerFetch} from archive`)
      if (days.length > 0) yield days
      if (days.length < daysPerFetch) break
    }
  } finally {
    await returnConnection(connection)
  }
}
