import type { IsoDate } from '../../dates.ts'
import type { ReservedSql, Sql, Statements } from '../../postgres/client.ts'

const rowsPerFetch = 1_000

/** What PostgreSQL writes a row as. */
export type SignalText = 'json' | 'csv' | 'ndjson'

export interface SignalPage {
  dataVersion: number
  /** Rows that `rows` will yield. */
  count: number
  /** The last of them, when more follow; null at the end. */
  last: SignalPosition | null
  /** The rows as text in the form asked for, many at a time: `,{...}` in JSON, a line in CSV and NDJSON. Once the first
   * were asked for, the connection goes back with the last or when the reader stops; ask for them always. */
  rows: AsyncGenerator<Uint8Array, void, undefined>
}

/** Opens one page of resolved signals. Count, next place, data version and rows are of one snapshot. */
export async function readSignalPage(
  sql: Sql,
  filter: SignalFilter,
  limit: number,
  form: SignalText,
  signal?: AbortSignal,
): Promise<SignalPage> {
  signal?.throwIfAborted()
  const connection = await sql.reserve()
  try {
    signal?.throwIfAborted()
    // A plan for these very bounds: a general one takes no index for a limit that it does not know.
    await connection
      .unsafe(
        'begin isolation level repeatable read read only; set local plan_cache_mode = force_custom_plan',
      )
      .simple()
    const head = await readHead(connection, filter, limit)
    return { ...head, rows: readRows(connection, filter, limit, form, signal) }
  } catch (error) {
    await giveBack(connection)
    throw error
  }
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

/** PostgreSQL writes the rows: its float text is the shortest that reads back to the same number, the same in
 * both formats, and no value is turned into an object here only to be written again. */
async function* readRows(
  connection: ReservedSql,
  filter: SignalFilter,
  limit: number,
  form: SignalText,
  signal?: AbortSignal,
): SignalPage['rows'] {
  const [before, after] = form === 'json' ? [',', ''] : ['', '\n']
  const row =
    form === 'csv'
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
    // The server has taken note of the cancel before another request may use this connection.
    await cancelled
    await giveBack(connection)
  }
}

async function giveBack(connection: ReservedSql): Promise<void> {
  await connection`rollback`.catch(() => {})
  connection.release()
}

/** A row's place in the served order: date descending, then ticker, horizon and market. */
export interface SignalPosition {
  date: IsoDate
  ticker: string
  horizonDays: number
  market: string
}

export interface SignalFilter {
  market: string | null
  horizonDays: number | null
  /** Both ends belong to the window. */
  from: IsoDate | null
  to: IsoDate | null
  /** Only rows behind this place. */
  after: SignalPosition | null
}

/** Which rows a filter means. Open forecasts are out of every answer, here and in the indexes. */
export function signalConditions(sql: Statements, filter: SignalFilter) {
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
