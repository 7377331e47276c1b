import { html, type Markup } from '../../../html.ts'
import type { Markets } from '../../../markets/markets.ts'
import { computedMetrics, yearToDateSuffix } from '../../../markets/metrics.ts'
import { metricLabel } from '../metricLabels.ts'
import type { CompanyView } from './read.ts'

/** Says what is missing on the page and why, in the words of the market's manifest if it has some. */
export function missingFigures(markets: Pick<Markets, 'metrics' | 'get'>, view: CompanyView): Markup {
  const { profile, list } = view
  const manifest = markets.get(profile.market)
  const shown = new Set(list.data.map(({ m }) => m))
  const onRecord = new Set(profile.metrics.map(({ m }) => m))
  const reasons: { readonly metric: string; readonly why: string }[] = []
  const others: string[] = []
  for (const { name, markets: codes } of markets.metrics.values()) {
    if (!codes.includes(profile.market) || shown.has(name) || name.endsWith(yearToDateSuffix)) continue
    const why = manifest?.absences[name] ?? missingComponents(name, onRecord)
    if (onRecord.has(name)) reasons.push({ metric: name, why: onOtherPeriods(view) })
    else if (why === null) others.push(name)
    else reasons.push({ metric: name, why })
  }
  if (reasons.length === 0 && others.length === 0) return html``
  return html`<section><h2 id="missing">What is missing, and why</h2>
${reasons.length > 0 && html`<details><summary>${reasons.length} ${reasons.length === 1 ? 'metric' : 'metrics'}, with the reason</summary><dl class="terms">${reasons.map(({ metric, why }) => html`<dt>${metricLabel(metric)}</dt><dd>${why}</dd>`)}</dl></details>`}
${others.length > 0 && html`<p class="quiet">No filing states: ${others.map(metricLabel).join(', ')}.</p>`}
</section>`
}

function missingComponents(metric: string, onRecord: ReadonlySet<string>): string | null {
  const components = computedMetrics.find(({ name }) => name === metric)?.components
  if (components === undefined) return null
  const unstated = components.filter(component => !onRecord.has(component))
  return unstated.length === 0
    ? `Computed from ${components.map(metricLabel).join(', ')}, which the company never states for the same period.`
    : `Computed from figures that no filing states: ${unstated.map(metricLabel).join(', ')}.`
}

const onOtherPeriods = ({ hasFullHistory }: CompanyView) =>
  hasFullHistory ? 'Reported, but not for these periods.' : 'Reported, but not for the fiscal year shown.'
