import { Failure } from '../../errors.ts'
import type { Markets } from '../markets/loadMarkets.ts'

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
