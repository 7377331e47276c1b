import type { IsoDate } from '../../model/date.ts'
import type { Statements } from '../database.ts'

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
