import { Failure } from '../../../errors.ts'
import { isRecord, textOf } from '../../reading/fields.ts'

export interface TickerEntry {
  readonly cik: string
  readonly name: string | null
  /** In the order of the file, which puts a company's main listing first. */
  readonly tickers: string[]
}

/** Parses company_tickers.json: `{"0": {cik_str, ticker, title}, ...}`. */
export function parseCompanyTickers(document: unknown): TickerEntry[] {
  if (!isRecord(document)) {
    throw new Failure('body_invalid', 'company_tickers.json must be an object of {cik_str, ticker, title}.')
  }
  const entries = new Map<string, TickerEntry>()
  for (const row of Object.values(document)) {
    const cik = isRecord(row) ? cikOf(row.cik_str) : null
    const ticker = isRecord(row) ? tickerOf(row.ticker) : null
    if (!isRecord(row) || cik === null || ticker === null) continue
    const known = entries.get(cik)
    if (known !== undefined) known.tickers.push(ticker)
    else entries.set(cik, { cik, name: textOf(row.title), tickers: [ticker] })
  }
  return [...entries.values()]
}

/**
 * True if the first value of an object is an entry. Only that one is checked, because the file has thousands.
 */
export function isTickerList(document: unknown): boolean {
  if (!isRecord(document)) return false
  for (const key in document) {
    const first = document[key]
    return isRecord(first) && 'cik_str' in first
  }
  return false
}

/**
 * The ten digits of a CIK that a source writes as a number or as text, padded or not; null for anything else.
 */
export function cikOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^\d{1,10}$/.test(text)) return null
  return text.padStart(10, '0')
}

const maxTickerLength = 30

/** A ticker as a source writes it; null if there is none. */
export function tickerOf(value: unknown): string | null {
  const ticker = textOf(value)
  if (ticker === null || ticker.length <= maxTickerLength) return ticker
  throw new Failure(
    'body_invalid',
    `${JSON.stringify(ticker.slice(0, 40))}... is not a ticker: it has ${ticker.length} characters; the limit is ${maxTickerLength}.`,
  )
}
