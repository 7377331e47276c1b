import type { Manifest } from '../../model/market.ts'
import { canonicalMetrics, type MetricDefinition, ratioMetrics, yearToDate } from '../../model/metric.ts'

export interface ServedMetric extends MetricDefinition {
  /** Codes of the markets that state it. */
  readonly markets: readonly string[]
}

const stated = (metrics: readonly MetricDefinition[], manifest: Manifest) =>
  metrics.filter(metric => !manifest.unstated.includes(metric.name))

export const flowsOf = (manifest: Manifest) =>
  [...stated(canonicalMetrics, manifest), ...manifest.metrics].filter(metric => metric.kind === 'flow')

/** Every metric of every market, in the order of the coverage index. */
export function listMetrics(manifests: readonly Manifest[]): ReadonlyMap<string, ServedMetric> {
  const found = new Map<string, { definition: MetricDefinition; markets: string[] }>()
  const add = (definition: MetricDefinition, market: string) => {
    const entry = found.get(definition.name) ?? { definition, markets: [] }
    if (!entry.markets.includes(market)) entry.markets.push(market)
    found.set(definition.name, entry)
  }
  const each = (list: (manifest: Manifest) => readonly MetricDefinition[]) => {
    for (const manifest of manifests) for (const metric of list(manifest)) add(metric, manifest.code)
  }
  each(manifest => stated(canonicalMetrics, manifest))
  each(manifest => manifest.metrics)
  each(manifest => stated(ratioMetrics, manifest))
  each(manifest =>
    flowsOf(manifest)
      .filter(flow => manifest.year_to_date.includes(flow.name))
      .map(yearToDate),
  )
  return new Map([...found].map(([name, { definition, markets }]) => [name, { ...definition, markets }]))
}
