import type { BacktestPanelRow, BodyFormat, BodyQuery } from '../../../src/backtest/request.ts'

interface Sent {
  readonly name: string
  readonly format: BodyFormat
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly query: BodyQuery
}

export interface Beside {
  readonly config?: object
  readonly include?: readonly string[]
  readonly sweep?: unknown
}

const encode = (text: string) => new TextEncoder().encode(text)

/** The same request in every form that a body may have. */
export function everyForm(rows: readonly BacktestPanelRow[], beside: Beside = {}): Sent[] {
  const header = Object.keys(beside).length > 0 ? [JSON.stringify(beside)] : []
  return [
    form('rows', 'json', JSON.stringify({ ...beside, panel: rows })),
    form('columns', 'json', JSON.stringify({ panel: toColumns(rows), ...beside })),
    form('csv', 'csv', toCsv(rows), toQuery(beside)),
    form('ndjson', 'ndjson', [...header, ...rows.map(row => JSON.stringify(row))].join('\n')),
  ]
}

function form(name: string, format: BodyFormat, text: string, query: BodyQuery = {}): Sent {
  return { name, format, bytes: encode(text), query }
}

export function toQuery({ config, include, sweep }: Beside): BodyQuery {
  return {
    ...(config ? { config: JSON.stringify(config) } : {}),
    ...(sweep === undefined ? {} : { sweep: JSON.stringify(sweep) }),
    ...(include ? { include: include.join(',') } : {}),
  }
}

function toColumns(rows: readonly BacktestPanelRow[]) {
  return {
    score: rows.map(row => row.score),
    date: rows.map(row => row.date),
    market: rows.map(row => row.market ?? null),
    forward_return: rows.map(row => row.forward_return),
    asset: rows.map(row => row.asset),
  }
}

export function toCsv(rows: readonly BacktestPanelRow[]): string {
  const lines = rows.map(row =>
    [row.forward_return, row.market, row.asset, row.date, row.score].map(csvCell).join(','),
  )
  return `${['forward_return,market,asset,date,score', ...lines].join('\r\n')}\r\n`
}

function csvCell(value: string | number | null | undefined): string {
  const text = Object.is(value, -0) ? '-0' : String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
