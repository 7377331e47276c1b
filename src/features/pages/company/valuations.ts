import { dayNumber } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import { isInstant } from '../../../instants.ts'
import { valuationNames } from '../../../markets/valuations.ts'
import type { Rights } from '../../../rights/rights.ts'
import { usableSetsOfLicence } from '../../asOfJoins/valuationPrices.ts'
import { findByAnyId } from '../../companies/lookup.ts'
import { type Valuation, valueCompanies } from '../../valuations/valueCompanies.ts'
import { metricLabel } from '../metricLabels.ts'
import type { CompanyPageDeps, CompanyView } from './read.ts'

/** The valuations of a company on the day of its page. */
interface ShownValuations {
  readonly set: string
  readonly valuations: readonly Valuation[]
}

/**
 * The valuations that a visitor may see, or null. Pages are cached for everybody with a licence, so only a set that is open
 * to the whole licence is shown, and only if it is the only one.
 */
export async function readValuations(
  deps: CompanyPageDeps,
  rights: Rights,
  { profile, list, hasFullHistory }: CompanyView,
): Promise<ShownValuations | null> {
  if (!hasFullHistory || isInstant(list.as_of)) return null
  const sets = await usableSetsOfLicence(deps.sql, rights)
  if (sets.length !== 1) return null
  const [set] = sets
  const { entity } = await findByAnyId({ ...deps, sql: deps.lookups }, profile.ticker, null)
  const { dataVersion, valuations } = await valueCompanies(deps, {
    metrics: valuationNames,
    set,
    entities: [entity.entityId],
    days: Int32Array.of(dayNumber(list.as_of)),
    checks: null,
  })
  // After an import in between, the page is made again soon, with the figures of that import.
  if (dataVersion !== list.data_version || valuations.length === 0) return null
  return { set: set.name, valuations }
}

function shown({ metric, value, unit }: Valuation): string {
  if (unit !== 'pure') return `${value.toLocaleString('en', { maximumFractionDigits: 0 })} ${unit}`
  if (metric.endsWith('_yield')) return `${(100 * value).toFixed(2)}%`
  return value.toFixed(2)
}

/** A block of the valuations; nothing if there are none. */
export function valuationBlock(found: ShownValuations | null): Markup | false {
  if (found === null) return false
  const [{ priceDay }] = found.valuations
  return html`<section><h2 id="valuation">Valuation on ${priceDay}</h2>
<dl class="identity">${found.valuations.map(one => html`<div><dt><a href="/docs/metrics#${one.metric}">${metricLabel(one.metric)}</a></dt><dd>${shown(one)}</dd></div>`)}</dl>
<p class="quiet">From the close of ${priceDay} in the price set ${found.set}, and the figures known on that day.</p></section>
`
}
