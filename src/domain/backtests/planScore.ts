import { Failure } from '../../errors.ts'
import { type BacktestSource, usualMaxAgeDays } from '../../model/backtest.ts'
import type { BacktestScore } from '../../model/backtestResult.ts'
import type { Manifest } from '../../model/market.ts'
import { type MetricDefinition, yearToDateSuffix } from '../../model/metric.ts'
import { nearNames } from '../fundamentals/nearNames.ts'
import type { Markets } from '../markets/loadMarkets.ts'

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
