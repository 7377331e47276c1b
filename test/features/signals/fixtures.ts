import { importSignals, type SignalImport } from '../../../src/features/signals/import/importSignals.ts'
import { planSignals } from '../../../src/features/signals/plan.ts'
import type { SignalList, SignalRow, SignalsQuery } from '../../../src/features/signals/schema.ts'
import { openSignals } from '../../../src/features/signals/stream.ts'
import { loadMarkets } from '../../../src/markets/markets.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import type { Rights } from '../../../src/rights/rights.ts'
import { testCursors } from '../../cursors.ts'
import { rightsOf } from '../companies/fixtures.ts'

const markets = await loadMarkets()

export const header = 'date,ticker,market,horizon,predicted_pct,actual_pct'
export const today = '2026-03-01'

export const quant = rightsOf('personal', { quant: true })
export const personal = rightsOf('personal', { keyId: 2 })
export const demo = rightsOf('demo')

export function take(
  sql: Sql,
  lines: readonly string[],
  options: { correct?: boolean; head?: string; linesPerBatch?: number; now?: () => Date } = {},
): Promise<SignalImport> {
  const text = `${[options.head ?? header, ...lines].join('\n')}\n`
  return takeBytes(sql, Buffer.from(text), options)
}

export function takeBytes(
  sql: Sql,
  bytes: Uint8Array,
  options: { correct?: boolean; linesPerBatch?: number; now?: () => Date } = {},
): Promise<SignalImport> {
  const { correct = false, linesPerBatch, now = () => new Date(`${today}T12:00:00Z`) } = options
  return importSignals(
    sql,
    { name: 'test.csv', bytes: new Blob([new Uint8Array(bytes)]).stream() },
    { correct, now, markets, ...(linesPerBatch === undefined ? {} : { linesPerBatch }) },
  )
}

export async function list(sql: Sql, rights: Rights, query: SignalsQuery = {}): Promise<SignalList> {
  const plan = planSignals({ today: () => today, cursors: testCursors }, rights, query)
  return new Response(
    (await openSignals({ sql, cursors: testCursors }, plan, 'json')).body,
  ).json() as Promise<SignalList>
}

export async function csv(sql: Sql, rights: Rights, query: SignalsQuery = {}): Promise<string> {
  const plan = planSignals({ today: () => today, cursors: testCursors }, rights, query)
  return new Response((await openSignals({ sql, cursors: testCursors }, plan, 'csv')).body).text()
}

/** Everything on record but the times of recording. */
export function record(sql: Sql): Promise<object[]> {
  return sql`
    select date, ticker, market, horizon, predicted, actual, status, source from signal
    order by date, ticker, market, horizon`
}

/** Rows in the order that decisions.md, section 6, gives: date descending, then ticker, then horizon. */
export function inServedOrder(rows: readonly SignalRow[]): SignalRow[] {
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  return rows.toSorted(
    (a, b) =>
      compare(b.date, a.date) ||
      compare(a.ticker, b.ticker) ||
      compare(a.horizon, b.horizon) ||
      compare(a.market, b.market),
  )
}
