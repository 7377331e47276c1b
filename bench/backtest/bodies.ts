import type { Columns } from '../../src/backtest/dataset/dataset.ts'
import type { BodyFormat } from '../../src/backtest/request.ts'
import { isoDate } from '../../src/dates.ts'

export interface FormedBody {
  readonly name: string
  readonly format: BodyFormat
  readonly type: string
  /** Of the URL, with its question mark. */
  readonly query: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const config = { holdDays: 5 }
const encoder = new TextEncoder()

/** The same request in every form that a body may have. */
export function formedBodies(columns: Columns): FormedBody[] {
  const dates = spelled(columns, i => dateOf(columns.day[i]))
  const assets = spelled(columns, i => columns.assetNames[columns.asset[i]])
  const markets = spelled(columns, i => columns.marketNames[columns.market[i]])
  const { score, forwardReturn } = columns
  const rows = spelled(
    columns,
    i =>
      `{"date":"${dates[i]}","asset":"${assets[i]}","market":"${markets[i]}","score":${score[i]},"forward_return":${forwardReturn[i]}}`,
  )
  const lines = spelled(
    columns,
    i => `${dates[i]},${assets[i]},${markets[i]},${score[i]},${forwardReturn[i]}\n`,
  )
  const panel = {
    date: dates,
    asset: assets,
    market: markets,
    score: Array.from(score.subarray(0, columns.count)),
    forward_return: Array.from(forwardReturn.subarray(0, columns.count)),
  }
  const json = 'application/json'
  const header = JSON.stringify({ config })
  return [
    formed('json_rows', 'json', json, `{"config":${JSON.stringify(config)},"panel":[${rows.join(',')}]}`),
    formed('json_columns', 'json', json, JSON.stringify({ config, panel })),
    {
      ...formed('csv', 'csv', 'text/csv', `date,asset,market,score,forward_return\n${lines.join('')}`),
      query: `?config=${encodeURIComponent(JSON.stringify(config))}`,
    },
    formed('ndjson', 'ndjson', 'application/x-ndjson', `${header}\n${rows.join('\n')}\n`),
  ]
}

function formed(name: string, format: BodyFormat, type: string, text: string): FormedBody {
  return { name, format, type, query: '', bytes: encoder.encode(text) }
}

function spelled(columns: Columns, write: (row: number) => string): string[] {
  return Array.from({ length: columns.count }, (_, i) => write(i))
}

const knownDates = new Map<number, string>()
function dateOf(day: number): string {
  const known = knownDates.get(day) ?? isoDate(day)
  knownDates.set(day, known)
  return known
}
