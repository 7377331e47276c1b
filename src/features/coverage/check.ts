import { daySpan } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { SnapshotDeps } from '../companies/deps.ts'
import { candidateIds, describeExtent, nearIds } from '../companies/lookup.ts'
import { assumedSuffix, changedId, withReason } from '../companies/notes.ts'
import { findEntities, type NamedEntity } from '../companies/queries.ts'
import { lacksFilingDay, metricCoverage } from './queries.ts'
import type { CoverageCheck } from './schema.ts'

/** What is on record for the company with an ID of its register: the ID to send, its first and last filing, and the periods
 * of each metric. If there are none, the reason. */
export async function checkCoverage(deps: SnapshotDeps, id: string): Promise<CoverageCheck> {
  const { ids, numbers } = candidateIds(deps.markets.manifests, id)
  const found = ids.length === 0 ? [] : await findEntities(deps.sql, ids, numbers)
  const [entity, ...rest] = found
  const others = rest.filter(other => !other.isFormer)
  if (entity === undefined) {
    const near = await nearIds(deps.sql, deps.markets.manifests, id.trim().toUpperCase())
    const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
    throw new Failure(
      'entity_unknown',
      `${id.slice(0, 64)} is not a known company.${hint} ${await describeExtent(deps.sql)} GET /api/search?q= finds the ID for a name.`,
      { param: 'id', near },
    )
  }
  const { dataVersion, metrics } = await metricCoverage(deps.sql, entity.entityId, deps.today())
  const span = daySpan(metrics.flatMap(metric => [metric.first_filed, metric.last_filed]))
  const absence = metrics.length > 0 ? null : await explainMissingFigures(deps, entity)
  const sentTicker = id.trim().toUpperCase()
  const names = [entity.ticker, ...entity.aliases]
  const ticker = names.includes(sentTicker) ? sentTicker : entity.ticker
  const assumed = assumedSuffix(deps.markets.get(entity.market), ticker, names)
  const changed = changedId(sentTicker, {
    ticker,
    sentId: entity.isFormer ? sentTicker : null,
    formerHolders: rest.filter(other => other.isFormer).map(other => other.ticker),
  })
  const notes = [absence, assumed, changed].filter(note => note !== null)
  return {
    object: 'coverage_check',
    id,
    ticker,
    issuer_id: entity.issuerId,
    name: entity.name,
    market: entity.market,
    aliases: names.filter(name => name !== ticker),
    former_ids: entity.formerIds,
    ...(others.length > 0 ? { also: others.map(other => other.ticker) } : {}),
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
