import { Failure } from '../errors.ts'
import { nearNames } from '../spelling.ts'
import type { Markets } from './markets.ts'

/** The code of a market that is covered, in upper case. */
export function readMarket(markets: Markets, sent: string, orNone = ', or none'): string {
  const code = sent.toUpperCase()
  if (markets.get(code) !== undefined) return code
  throw new Failure(
    'parameter_invalid',
    `market=${sent.slice(0, 40)}: one of ${markets.codes.join(', ')} is needed${orNone}.`,
    { param: 'market' },
  )
}

/** The metric names of a request, each known, sorted and once; null where none was sent. */
export function readMetrics(known: ReadonlyMap<string, unknown>, sent: string | undefined): string[] | null {
  if (sent === undefined) return null
  const names = new Set(sent.split(',').map(name => name.trim()))
  for (const name of names) {
    if (known.has(name)) continue
    const near = nearNames(name.slice(0, 64).toLowerCase(), known.keys(), 3)
    const what = name === '' ? 'metric has an empty name' : `metric=${name.slice(0, 64)} is unknown`
    const hint = near.length > 0 ? `Did you mean ${near.join(', ')}? ` : ''
    throw new Failure(
      'parameter_invalid',
      `${what}. ${hint}Send names separated by commas; GET /api/v1/fundamentals without ticker lists all.`,
      { param: 'metric', near },
    )
  }
  return [...names].sort()
}
