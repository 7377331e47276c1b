import type { Markets } from '../../markets/markets.ts'
import { signOf, yearToDateSuffix } from '../../markets/metrics.ts'
import type { Presence } from './queries.ts'
import type { CatalogueMetric, MetricOfMarket } from './schema.ts'

/** The tags of a metric in a market, by groups in order of preference; none for one that is computed. */
export type TagGroups = (market: string, metric: string) => readonly (readonly string[])[]

/** Every metric of the markets: what it means, under which tags registers state it, and how often it is present.
 *
 * @param presence by market; a market that is missing was not examined */
export function metricCatalogue(
  markets: Pick<Markets, 'metrics' | 'get'>,
  tagGroups: TagGroups,
  presence: ReadonlyMap<string, Presence>,
  chosen: readonly string[],
): CatalogueMetric[] {
  return [...markets.metrics.values()].flatMap(({ markets: codes, ...metric }) => {
    const own = codes.filter(code => chosen.includes(code))
    if (own.length === 0) return []
    return [{ ...metric, sign: signOf(metric), markets: own.map(code => ofMarket(code, metric.name)) }]
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
