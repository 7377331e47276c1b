import type { BacktestResult } from '../result.ts'
import { reproducingRequest } from './reproducingRequest.ts'

/** What a page shows around the report of a result. */
export interface ResultParts {
  /** The request that reproduces the result, as JSON. */
  readonly request: string
  /** Whether the rows come from the archive. Otherwise the request is incomplete without the caller's rows. */
  readonly isArchive: boolean
  /** The markets whose figures rank the names; empty: forecasts or the caller's own scores do. */
  readonly figureMarkets: readonly string[]
  /** The price set that gave the returns, or the prices of the metric that ranks; null: none did. */
  readonly priceSet: string | null
  /** date,net,gross,universe. */
  readonly curve: string
}

export function resultParts(result: BacktestResult): ResultParts {
  return {
    request: JSON.stringify(reproducingRequest(result)),
    isArchive: result.source !== undefined,
    figureMarkets: result.score?.market.split(/,\s*/) ?? [],
    priceSet: result.prices?.set ?? result.score?.price_set ?? null,
    curve: curveCsv(result),
  }
}

/** The curves as CSV. The first date is the start, where all of them are 1. A result without `curves` has
 * only the net one. */
function curveCsv({ equity_dates: dates, equity_curve: net, curves }: BacktestResult): string {
  const columns = [net, ...(curves === undefined ? [] : [curves.gross, curves.universe])]
  const names = ['net', 'gross', 'universe'].slice(0, columns.length)
  const lines = dates.map((date, i) => [date, ...columns.map(column => column[i] ?? '')].join(','))
  return `${['date', ...names].join(',')}\r\n${lines.map(line => `${line}\r\n`).join('')}`
}
