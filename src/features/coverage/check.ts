import { daySpan } from '../../dates.ts'
import type { SnapshotDeps } from '../companies/deps.ts'
import { findByAnyId } from '../companies/lookup.ts'
import { withReason } from '../companies/notes.ts'
import type { NamedEntity } from '../companies/queries.ts'
import { lacksFilingDay, metricCoverage } from './queries.ts'
import type { CoverageCheck } from './schema.ts'

/**
 * The record of the company with this register ID: the ID to use, its first and last filing, and the periods
 * of each metric. If there are no figures, the reason.
 */
export async function checkCoverage(deps: SnapshotDeps, id: string): Promise<CoverageCheck> {
  const { entity, ticker, aliases, others, notes: ofId } = await findByAnyId(deps, id)
  const { dataVersion, metrics } = await metricCoverage(deps.sql, entity.entityId, deps.today())
  const span = daySpan(metrics.flatMap(metric => [metric.first_filed, metric.last_filed]))
  const absence = metrics.length > 0 ? null : await explainMissingFigures(deps, entity)
  const notes = [...(absence === null ? [] : [absence]), ...ofId]
  return {
    object: 'coverage_check',
    id,
    ticker,
    issuer_id: entity.issuerId,
    name: entity.name,
    market: entity.market,
    aliases: [...aliases],
    former_ids: entity.formerIds,
    ...(others.length > 0 ? { also: [...others] } : {}),
    data_version: dataVersion,
    first_filed: span?.first ?? null,
    last_filed: span?.last ?? null,
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
    count: metrics.length,
    data: metrics,
  }
}

async function explainMissingFigures(
  { sql, markets }: Pick<SnapshotDeps, 'sql' | 'markets'>,
  { entityId, ticker, market }: NamedEntity,
): Promise<string> {
  const manifest = markets.get(market)
  if (manifest?.status === 'announced') {
    return `Market ${market} is announced, but its figures are not served yet: there is no importer for it.`
  }
  if (await lacksFilingDay(sql, entityId)) {
    return `Figures of ${ticker} were imported, but no imported document states their filing day. They will be served once it is known.`
  }
  return withReason(
    `${ticker} is registered, but none of its filings with figures has been imported.`,
    manifest,
  )
}
