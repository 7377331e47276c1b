import { Failure } from '../../../errors.ts'
import { isRecord, textOf } from '../../reading/fields.ts'
import { cikOf, tickerOf } from './parsed.ts'

export interface TickerEntry {
  readonly cik: string
  readonly name: string | null
  /** In the order of the file, which puts a company's main listing first. */
  readonly tickers: string[]
}

/** Reads company_tickers.json: `{"0": {cik_str, ticker, title}, ...}`. */
export function parseCompanyTickers(document: unknown): TickerEntry[] {
  if (!isRecord(document)) {
    throw new Failure('body_invalid', 'company_tickers.json is an object of {cik_str, ticker, title}.')
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
