import type { Markets } from '../../markets/markets.ts'
import { definitionOf, yearToDateSuffix } from '../../markets/metrics.ts'
import type { Presence } from './queries.ts'
import type { CatalogueMetric, MetricOfMarket } from './schema.ts'

/** The tags of a metric in a market, grouped in order of preference; empty for computed metrics. */
export type TagGroups = (market: string, metric: string) => readonly (readonly string[])[]

/**
 * Every metric of the markets: its meaning, the tags under which registers report it, and how many companies
 * have it.
 *
 * @param presence by market; markets without an entry were not examined
 */
export function metricCatalogue(
  markets: Pick<Markets, 'metrics' | 'get'>,
  tagGroups: TagGroups,
  presence: ReadonlyMap<string, Presence>,
  chosen: readonly string[],
): CatalogueMetric[] {
  return [...markets.metrics.values()].flatMap(metric => {
    const own = metric.markets.filter(code => chosen.includes(code))
    if (own.length === 0) return []
    const { name, sign } = metric
    return [{ ...definitionOf(metric), sign, markets: own.map(code => ofMarket(code, name)) }]
  })

  function ofMarket(code: string, name: string): MetricOfMarket {
    const base = name.endsWith(yearToDateSuffix) ? name.slice(0, -yearToDateSuffix.length) : name
    const { examined, companies } = presence.get(code) ?? { examined: 0, companies: new Map() }
    const found = companies.get(name) ?? 0
    return {
      market: code,
      tags: tagGroups(code, base).map(group => [...group]),
      absence: markets.get(code)?.absences[base] ?? null,
      companies_examined: examined,
      companies: found,
      share: examined === 0 ? null : found / examined,
    }
  }
}
