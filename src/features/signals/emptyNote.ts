import type { SignalsPlan } from './plan.ts'
import type { SignalExtent } from './queries.ts'

/** Why a page of signals has no rows.
 *
 * @param extent null: the page follows others */
export function explainEmptyPage({ filter, viewEnds }: SignalsPlan, extent: SignalExtent | null): string {
  if (extent === null) return 'No rows follow those of earlier pages.'
  const { market } = filter
  const { markets, horizons, days } = extent
  const inView = viewEnds === null ? '' : ` up to ${viewEnds}, where the view of this key ends`
  if (markets.length === 0) return `The archive has no resolved forecasts${inView}.`
  if (days === null)
    return `The archive has no resolved forecasts of market ${market}${inView}. Its markets: ${markets.join(', ')}.`
  const those = market === null ? 'The archive' : `Market ${market}`
  return `No resolved forecast fits these parameters. ${those} has forecasts from ${days.first} to ${days.last}${inView}. The horizons of the archive: ${horizons.join(', ')}.`
}
