import { type BacktestScore, defaultMaxAgeDays } from '../../backtest/figureScore.ts'
import { archiveKey } from '../../backtest/pipeline/archiveDataset.ts'
import type { ArchiveInput, ComparedRows } from '../../backtest/pipeline/selectData.ts'
import type { BacktestSource } from '../../backtest/request.ts'
import type { OtherChoice, VintageChoice } from '../../backtest/requestCompare.ts'
import { Failure } from '../../errors.ts'
import { readChecks } from '../../markets/checkStates.ts'
import { currencyOf } from '../../markets/currency.ts'
import type { Manifest } from '../../markets/manifest.ts'
import type { Markets, ServedMetric } from '../../markets/markets.ts'
import { type MetricDefinition, yearToDateSuffix } from '../../markets/metrics.ts'
import { takesPrices } from '../../markets/strategies/pricedMetrics.ts'
import { scoreDefinitions, strategies } from '../../markets/strategies/strategies.ts'
import { findValuation } from '../../markets/valuations.ts'
import type { Sql } from '../../postgres/client.ts'
import type { PriceSet } from '../../prices/priceQueries.ts'
import { readPrincipal, recordEntities } from '../../rights/queries.ts'
import { Rights } from '../../rights/rights.ts'
import { nearNames } from '../../spelling.ts'
import { choosePrices } from '../asOfJoins/valuationPrices.ts'
import type { ScoreCache } from './scoreCache.ts'

/**
 * The part of a request's score that does not depend on the rows. Fails if the market does not report the
 * metric for full years.
 */
function planScore(
  markets: Pick<Markets, 'metrics' | 'codes' | 'get'>,
  source: BacktestSource,
): Omit<BacktestScore, 'n_names' | 'n_assets'> &
  Required<Pick<BacktestScore, 'metric' | 'unit' | 'max_age_days'>> {
  const { score: metric = '', market = '', maxAgeDays = defaultMaxAgeDays } = source
  const manifest = markets.get(market)
  if (manifest === undefined) {
    throw new Failure(
      'parameter_invalid',
      `source.market is ${market}, but source.score requires one of ${markets.codes.join(', ')}.`,
      { param: 'source.market' },
    )
  }
  const valuation = findValuation(metric)
  const found = valuation ?? metricOf(markets.metrics, metric, 'source.score')
  if (metric.endsWith(yearToDateSuffix)) throw partialYear(metric)
  if ('markets' in found && !found.markets.includes(market)) throw notReported(metric, manifest)
  return {
    metric,
    definition: found.description,
    unit: unitOf(found, manifest),
    market,
    fiscal_period: valuation !== undefined ? 'latest' : (strategies.get(metric)?.period ?? 'FY'),
    known: 'filed before the date',
    max_age_days: maxAgeDays,
    ...(source.checks === undefined ? {} : { checks: source.checks }),
    attribution: manifest.attribution,
  }
}

/** The unit as the market's rows spell it. */
export function unitOf({ unit }: MetricDefinition, manifest: Manifest): string {
  const code = currencyOf(manifest)
  switch (unit) {
    case 'currency':
      return code
    case 'currency/share':
      return `${code}/shares`
    default:
      return unit
  }
}

/**
 * The definition of a metric or a strategy.
 *
 * @param param the parameter that names it
 */
export function metricOf(
  known: ReadonlyMap<string, ServedMetric>,
  metric: string,
  param: string,
): ServedMetric {
  const scores = scoreDefinitions(known)
  const found = scores.get(metric)
  if (found === undefined) throw unknownMetric(metric, scores.keys(), param)
  return found
}

function unknownMetric(metric: string, known: Iterable<string>, param: string): Failure {
  const near = nearNames(metric, known, 3)
  const hint = near.length > 0 ? `Did you mean ${near.join(', ')}? ` : ''
  return new Failure(
    'parameter_invalid',
    `${param} is ${metric}, which is not a metric. ${hint}GET /api/v1/fundamentals without ticker lists all metrics.`,
    { param, near },
  )
}

function partialYear(metric: string): Failure {
  return new Failure(
    'parameter_invalid',
    `source.score is ${metric}, which covers part of a year. Companies are ranked by full fiscal years: send ${metric.slice(0, -yearToDateSuffix.length)}.`,
    { param: 'source.score' },
  )
}

function notReported(metric: string, { code, absences }: Manifest): Failure {
  const why = absences[metric] === undefined ? '' : ` ${absences[metric]}`
  return new Failure(
    'parameter_invalid',
    `source.score is ${metric}, which the register of market ${code} does not report.${why} GET /api/v1/fundamentals without ticker lists the markets of each metric.`,
    { param: 'source.score' },
  )
}

/** The archive ranked by a metric, and the metric's description. */
type ScoredArchive = Required<Pick<ArchiveInput, 'data' | 'dataVersion' | 'score' | 'compared'>>

/** The choices of a request besides `as_known`, which its result is about. */
export const otherChoices = (compare: readonly VintageChoice[] = []): OtherChoice[] =>
  compare.filter(choice => choice !== 'as_known')

export interface ScoreDeps {
  readonly markets: Pick<Markets, 'metrics' | 'codes' | 'get'>
  readonly sql: Sql
  readonly scores: Pick<ScoreCache, 'get' | 'listed'>
}

const maxAttempts = 8

/**
 * The archive of a source that ranks by a metric. A result reveals something about every ranked company on
 * every date. The key's licence must therefore open `as_of` for all companies, and every company that could
 * be ranked counts towards an entity cap. They are counted before any figure is read, so that a refusal does
 * not reveal how many have one.
 *
 * @param compare choices of vintages by which the archive is ranked as well, at the same data version
 */
export async function openScored(
  { markets, sql, scores }: ScoreDeps,
  keyId: number,
  source: BacktestSource,
  compare?: readonly VintageChoice[],
): Promise<ScoredArchive> {
  const planned = planScore(markets, source)
  // Read when the job runs rather than with the request, because the licence may have changed in between.
  const rights = new Rights(await readPrincipal(sql, keyId))
  if (!rights.seesAllHistory) throw licenceRequired(planned.metric, rights.licence)
  const set = await pricesOfScore(sql, rights, source)
  if (set !== null && otherChoices(compare).length > 0) throw comparesValuation(planned.metric)
  const priced = set === null || planned.unit === 'pure' ? planned : { ...planned, unit: set.currency }
  const plan = set === null ? planned : { ...priced, price_set: set.name }
  const { entityCap } = rights
  const { market, metric, unit, max_age_days: maxAgeDays } = plan
  const checks = readChecks(source.checks, 'source.checks')
  const { horizon } = archiveKey(source)
  const { attribution, ...before } = plan
  for (let attempts = maxAttempts; attempts > 0; attempts--) {
    const counted = entityCap === null ? null : await scores.listed(horizon, market)
    if (entityCap !== null && counted !== null) {
      const { entityIds } = counted
      if (!(await recordEntities(sql, keyId, entityIds, entityCap)))
        throw entityCapReached(market, entityIds.length, entityCap)
    }
    const wanted = { horizon, market, metric, unit, maxAgeDays, checks, set }
    const found = await scores.get(wanted)
    const compared: (ComparedRows & { readonly dataVersion: number })[] = []
    for (const vintages of otherChoices(compare)) {
      const { data, assets, dataVersion } = await scores.get({ ...wanted, vintages })
      compared.push({ vintages, data, assets, dataVersion })
    }
    const versions = new Set(
      [found, ...compared, ...(counted === null ? [] : [counted])].map(at => at.dataVersion),
    )
    // Otherwise an import came in between, and may have added companies that were not counted.
    if (versions.size === 1)
      return {
        data: found.data,
        dataVersion: found.dataVersion,
        score: { ...before, n_names: found.names, n_assets: found.assets, attribution },
        compared,
      }
  }
  throw new Failure(
    'database_unavailable',
    'The data kept changing while this request was being served. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

/** The set of prices of a score, by the rights of the key when the backtest runs; null: the score takes none. */
async function pricesOfScore(
  sql: Sql,
  rights: Rights,
  { score = '', prices }: BacktestSource,
): Promise<PriceSet | null> {
  if (!takesPrices(score)) return null
  return choosePrices(sql, rights, prices ?? null, score, 'source.prices')
}

/** A comparison shows the vintages of one figure. */
export const comparesValuation = (metric: string): Failure =>
  new Failure(
    'parameter_invalid',
    `compare shows what other vintages of a figure would have earned, and ${metric} takes several figures and a price. Omit compare, or rank by a metric that filings state.`,
    { param: 'compare' },
  )

function licenceRequired(metric: string, licence: string): Failure {
  return new Failure(
    'licence_required',
    `source.score (${metric}) ranks by what was known about every company on every date. It requires an evaluation key or a Personal or Commercial data licence; this key has the quant plan with the ${licence} licence. Omit source.score to rank by the forecasts.`,
    { param: 'source.score' },
  )
}

function entityCapReached(market: string, companies: number, cap: number): Failure {
  return new Failure(
    'entity_cap_reached',
    `source.score ranks among the ${companies.toLocaleString('en-US')} companies of market ${market} in the archive, whether they report the metric or not. Together with the companies that this key has already seen, they exceed its cap of ${cap.toLocaleString('en-US')} distinct companies. None of them was counted. A Personal or Commercial data licence covers all companies.`,
    { param: 'source.score' },
  )
}
