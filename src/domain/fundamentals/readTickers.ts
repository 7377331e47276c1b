import { Failure } from '../../errors.ts'
import { type FundamentalsQuery, idPattern, maxTickers } from '../../model/fundamentals.ts'

const idShape = new RegExp(idPattern)

/** The IDs of a request in upper case, in the order of the question. One that is named twice would double its rows in
 * whatever is made of the answer, and is refused. */
export function readTickers(query: FundamentalsQuery): string[] {
  for (const param of ['limit', 'cursor'] as const) {
    if (query[param] !== undefined) {
      throw new Failure(
        'parameter_invalid',
        `${param} pages the coverage index and does not go with ticker. Leave one of the two out.`,
        { param },
      )
    }
  }
  const sent = (query.ticker ?? '').split(',').map(id => id.trim())
  if (sent.length > maxTickers) {
    throw refused(
      `ticker names ${sent.length.toLocaleString('en-US')} companies; at most ${maxTickers} are answered at a time.`,
    )
  }
  const tickers = new Set<string>()
  for (const id of sent) {
    if (!idShape.test(id)) {
      const what = id === '' && sent.length > 1 ? 'ticker has an empty ID' : `ticker=${id.slice(0, 40)}`
      throw refused(
        `${what}: an entity ID has 1 to 32 letters, digits, dots, hyphens or underscores, like AAPL or 2330.TW. GET /api/search?q= finds it from a name.`,
      )
    }
    const ticker = id.toUpperCase()
    if (tickers.has(ticker)) throw refused(`ticker names ${ticker} more than once. Name each company once.`)
    tickers.add(ticker)
  }
  return [...tickers]
}

const refused = (message: string) => new Failure('parameter_invalid', message, { param: 'ticker' })
