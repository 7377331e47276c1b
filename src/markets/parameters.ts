import { Type } from '@sinclair/typebox'
import { Failure } from '../errors.ts'
import { nearNames } from '../spelling.ts'
import type { Markets } from './markets.ts'
import { findValuation } from './valuations.ts'

/** A market code in a request, in either case; `readMarket` converts it to upper case. */
export const MarketCode = (description: string) =>
  Type.String({
    pattern: '^[A-Za-z]{2}$',
    allowed: 'a market code of two letters',
    description,
    examples: ['US'],
  })

/**
 * Parses a market code in either case. Throws if the market is not covered.
 *
 * @param orNone added to the message if the parameter is optional
 */
export function readMarket(markets: Markets, sent: string, orNone = ', or none'): string {
  const code = sent.toUpperCase()
  if (markets.get(code) !== undefined) return code
  throw new Failure(
    'parameter_invalid',
    `market=${sent.slice(0, 40)} is unknown. Send one of ${markets.codes.join(', ')}${orNone}.`,
    { param: 'market' },
  )
}

/**
 * Parses comma-separated metric names: sorted, without duplicates. Null if none were sent. Throws for unknown
 * names.
 */
export function readMetrics(known: ReadonlyMap<string, unknown>, sent: string | undefined): string[] | null {
  if (sent === undefined) return null
  const names = new Set(sent.split(',').map(name => name.trim()))
  for (const name of names) {
    if (known.has(name)) continue
    if (findValuation(name) !== undefined)
      throw new Failure(
        'parameter_invalid',
        `metric=${name} takes the price of a day, which this route does not read. Send it in GET /api/v1/cross-section, in POST /api/v1/as-of, in GET /api/v1/fundamentals of one company, or as the score of a backtest.`,
        { param: 'metric' },
      )
    const near = nearNames(name.slice(0, 64).toLowerCase(), known.keys(), 3)
    const what = name === '' ? 'metric has an empty name' : `metric=${name.slice(0, 64)} is unknown`
    const hint = near.length > 0 ? `Did you mean ${near.join(', ')}? ` : ''
    throw new Failure(
      'parameter_invalid',
      `${what}. ${hint}Send names separated by commas; GET /api/v1/fundamentals without ticker lists all metrics.`,
      { param: 'metric', near },
    )
  }
  return [...names].sort()
}

/** Like `readMetrics`, in the order of the request, for output with a column for each. */
export function readColumns(known: ReadonlyMap<string, unknown>, sent: string): string[] {
  readMetrics(known, sent)
  return [...new Set(sent.split(',').map(name => name.trim()))]
}
