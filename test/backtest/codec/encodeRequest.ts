import type { BacktestPanelRow, BodyQuery, TextFormat } from '../../../src/backtest/request.ts'

interface EncodedRequest {
  readonly name: string
  readonly format: TextFormat
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly query: BodyQuery
}

interface Settings {
  readonly config?: object
  readonly include?: readonly string[]
  readonly sweep?: unknown
}

const encode = (text: string) => new TextEncoder().encode(text)

/** The same request in every format of a body. */
export function everyFormat(rows: readonly BacktestPanelRow[], settings: Settings = {}): EncodedRequest[] {
  const header = Object.keys(settings).length > 0 ? [JSON.stringify(settings)] : []
  return [
    encoded('rows', 'json', JSON.stringify({ ...settings, panel: rows })),
    encoded('columns', 'json', JSON.stringify({ panel: toColumns(rows), ...settings })),
    encoded('csv', 'csv', toCsv(rows), toQuery(settings)),
    encoded('ndjson', 'ndjson', [...header, ...rows.map(row => JSON.stringify(row))].join('\n')),
  ]
}

function encoded(name: string, format: TextFormat, text: string, query: BodyQuery = {}): EncodedRequest {
  return { name, format, bytes: encode(text), query }
}

function toQuery({ config, include, sweep }: Settings): BodyQuery {
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
    ...(hasVolume(rows) ? { dollar_volume: rows.map(row => row.dollar_volume ?? null) } : {}),
  }
}

function toCsv(rows: readonly BacktestPanelRow[]): string {
  const columns = [
    ...(['forward_return', 'market', 'asset', 'date', 'score'] as const),
    ...(hasVolume(rows) ? (['dollar_volume'] as const) : []),
  ]
  const lines = rows.map(row => columns.map(name => csvCell(row[name])).join(','))
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`
}

const hasVolume = (rows: readonly BacktestPanelRow[]) => rows.some(row => row.dollar_volume !== undefined)

function csvCell(value: string | number | null | undefined): string {
  const text = Object.is(value, -0) ? '-0' : String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
