import type { SignalsPlan } from './plan.ts'
import type { SignalExtent } from './queries.ts'

/** Why a page of signals has no rows.
 *
 * @param extent null: the page follows others */
export function explainEmptyPage({ filter, viewEnds }: SignalsPlan, extent: SignalExtent | null): string {
  if (extent === null) return 'No rows follow those of earlier pages.'
  const { market } = filter
  const { markets, horizons, days } = extent
  const scope = viewEnds === null ? 'The archive' : `The view of this key, which ends on ${viewEnds},`
  const forecasts = market === null ? 'forecasts' : `forecasts of market ${market}`
  if (markets.length === 0) return `${scope} has no resolved forecasts.`
  if (days === null) return `${scope} has no resolved ${forecasts}. Its markets: ${markets.join(', ')}.`
  return `No resolved forecast fits these parameters. ${scope} has ${forecasts} from ${days.first} to ${days.last}. The horizons of the archive: ${horizons.join(', ')}.`
}
