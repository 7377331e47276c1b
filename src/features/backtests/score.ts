import type { KeyLicence } from '../../access/queries.ts'
import { type ArchiveInput, archiveOf } from '../../backtest/pool/tasks.ts'
import { type BacktestSource, usualMaxAgeDays } from '../../backtest/request.ts'
import type { BacktestScore } from '../../backtest/result.ts'
import { Failure } from '../../errors.ts'
import type { Manifest } from '../../markets/manifest.ts'
import type { Markets } from '../../markets/markets.ts'
import { type MetricDefinition, yearToDateSuffix } from '../../markets/metrics.ts'
import { nearNames } from '../../spelling.ts'
import type { ScoreCache } from './scoreCache.ts'

/** What the score of a request is, all that depends on the rows left out. Fails where the market states no such figure of a
 * full year. */
export function planScore(
  markets: Pick<Markets, 'metrics' | 'codes' | 'get'>,
  source: BacktestSource,
): Omit<BacktestScore, 'n_names' | 'n_assets'> {
  const { score: metric = '', market = '', maxAgeDays = usualMaxAgeDays } = source
  const manifest = markets.get(market)
  if (manifest === undefined) {
    throw new Failure(
      'parameter_invalid',
      `source.market is ${market}: one of ${markets.codes.join(', ')} has the figures of source.score.`,
      { param: 'source.market' },
    )
  }
  const found = markets.metrics.get(metric)
  if (found === undefined) throw unknown(metric, markets.metrics.keys())
  if (metric.endsWith(yearToDateSuffix)) throw ofNoFullYear(metric)
  if (!found.markets.includes(market)) throw notStated(metric, manifest)
  return {
    metric,
    definition: found.description,
    unit: unitOf(found, manifest),
    market,
    fiscal_period: 'FY',
    known: 'filed before the date',
    max_age_days: maxAgeDays,
    attribution: manifest.attribution,
  }
}

/** As rows of the market bear it. A manifest's currency begins with its code. */
function unitOf({ unit }: MetricDefinition, { currency }: Manifest): string {
  const code = currency.slice(0, 3)
  switch (unit) {
    case 'currency':
      return code
    case 'currency/share':
      return `${code}/shares`
    default:
      return unit
  }
}

function unknown(metric: string, known: Iterable<string>): Failure {
  const near = nearNames(metric, known, 3)
  const hint = near.length > 0 ? `Did you mean ${near.join(', ')}? ` : ''
  return new Failure(
    'parameter_invalid',
    `source.score is ${metric}, which is no metric. ${hint}GET /api/v1/fundamentals without ticker lists all.`,
    { param: 'source.score', near },
  )
}

function ofNoFullYear(metric: string): Failure {
  return new Failure(
    'parameter_invalid',
    `source.score is ${metric}, a figure of part of a year. Companies are ranked by full fiscal years: send ${metric.slice(0, -yearToDateSuffix.length)}.`,
    { param: 'source.score' },
  )
}

function notStated(metric: string, { code, absences }: Manifest): Failure {
  const why = absences[metric] === undefined ? '' : ` ${absences[metric]}`
  return new Failure(
    'parameter_invalid',
    `source.score is ${metric}, which market ${code} does not state.${why} GET /api/v1/fundamentals without ticker tells the markets of each metric.`,
    { param: 'source.score' },
  )
}

/** The archive ranked by a figure, and what that figure is. */
export type ScoredArchive = Required<Pick<ArchiveInput, 'data' | 'dataVersion' | 'score'>>

export interface OpenScoredDeps {
  readonly markets: Pick<Markets, 'metrics' | 'codes' | 'get'>
  readonly scores: Pick<ScoreCache, 'get'>
  /** What the key was sold, as it is now: a job is run long after its request. */
  readonly licenceOf: (keyId: number) => Promise<KeyLicence | null>
  /** Notes that a capped key sees all these companies; false: they would be more than its cap, and none is noted. */
  readonly recordEntities: (keyId: number, entityIds: readonly number[], cap: number) => Promise<boolean>
}

/** The archive of a source that ranks by a figure. Its result tells of the figures of every company in it on every date, so
 * the key's licence has to open `as_of` for all companies, and one with a cap sees them all. */
export async function openScored(
  { markets, scores, licenceOf, recordEntities }: OpenScoredDeps,
  keyId: number,
  source: BacktestSource,
): Promise<ScoredArchive> {
  const plan = planScore(markets, source)
  const { licence, entityCap } = (await licenceOf(keyId)) ?? { licence: 'free', entityCap: null }
  if (licence === 'free' || licence === 'demo') throw refused(plan.metric, licence)
  const { market, metric, unit, max_age_days: maxAgeDays } = plan
  const { horizon } = archiveOf(source)
  const found = await scores.get({ horizon, market, metric, unit, maxAgeDays })
  if (entityCap !== null && !(await recordEntities(keyId, found.entityIds, entityCap)))
    throw capReached(plan.market, found.entityIds.length, entityCap)
  const { attribution, ...before } = plan
  return {
    data: found.data,
    dataVersion: found.dataVersion,
    score: { ...before, n_names: found.names, n_assets: found.assets, attribution },
  }
}

function refused(metric: string, licence: string): Failure {
  return new Failure(
    'licence_required',
    `source.score (${metric}) ranks by what was known of every company on every date. It needs an evaluation key or a Personal or Commercial data licence; this key has the quant plan with the ${licence} licence. Leave source.score out to rank by the forecasts.`,
    { param: 'source.score' },
  )
}

function capReached(market: string, companies: number, cap: number): Failure {
  return new Failure(
    'entity_cap_reached',
    `The archive of market ${market} ranks ${companies.toLocaleString('en-US')} companies by source.score, and with those that this key has seen before they are more than its ${cap.toLocaleString('en-US')} distinct entities. None was counted. A Personal or Commercial data licence opens all.`,
    { param: 'source.score' },
  )
}
