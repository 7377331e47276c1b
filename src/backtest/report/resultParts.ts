import type { BacktestResult } from '../result.ts'
import { requestOf } from './tearSheet/runAgain.ts'

/** What a page says around the report of a result. */
export interface ResultParts {
  /** The request that gives the result again, as JSON. */
  readonly request: string
  /** The config of that request: of rows from elsewhere it is all that a request needs. */
  readonly isArchive: boolean
  /** date,net,gross,universe. */
  readonly curve: string
}

export function resultParts(result: BacktestResult): ResultParts {
  return {
    request: JSON.stringify(requestOf(result)),
    isArchive: result.source !== undefined,
    curve: curveCsv(result),
  }
}

/** The curves as CSV. The first date is the start, where all are 1. A result without its curves has the net one alone. */
function curveCsv({ equity_dates: dates, equity_curve: net, curves }: BacktestResult): string {
  const columns = [net, ...(curves === undefined ? [] : [curves.gross, curves.universe])]
  const names = ['net', 'gross', 'universe'].slice(0, columns.length)
  const lines = dates.map((date, i) => [date, ...columns.map(column => column[i] ?? '')].join(','))
  return `${['date', ...names].join(',')}\r\n${lines.map(line => `${line}\r\n`).join('')}`
}
