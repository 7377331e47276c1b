import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  basisPoints,
  count,
  percent,
  probability,
  ratio,
  signedPercent,
} from '../../../../src/backtest/report/numberFormat.ts'
import { resultPage } from '../../../../src/backtest/report/tearSheet/page.ts'
import type { BacktestResult } from '../../../../src/backtest/result.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { openEngine, type RealResult, requests } from '../realResults.ts'

setDefaultTimeout(180_000)

const engine = openEngine()
const real = new Map<string, RealResult>()
beforeAll(async () => {
  for (const [name, body] of Object.entries(requests)) real.set(name, await engine.both(body))
})
afterAll(engine.close)

function find(name: string): RealResult {
  const found = real.get(name)
  if (found === undefined) throw new Error(`no result of ${name}`)
  return found
}

const strip = (html: string) =>
  html
    .replace(/<br>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
    .trim()

/** The cells of the rows of a table, by the name of its region; none if there is no such table. */
function rowsOf(page: string, name: string): string[][] {
  const region = page.split(`aria-label="${name}">`)[1]?.split('</table>')[0]
  const body = region?.split('<tbody>')[1]
  if (body === undefined) return []
  return [...body.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row]) =>
    [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell]) => strip(cell)),
  )
}

/** Figures by the names of their tiles, in a section. */
function tilesOf(page: string, section: string): Map<string, string> {
  const html = page.split(`<section id="${section}"`)[1]?.split('</section>')[0] ?? ''
  const tiles = html.matchAll(
    /<div><dt>(.*?)(?: <span class="plain">.*?<\/span>)?<\/dt><dd class="figure">(.*?)<\/dd>/g,
  )
  return new Map([...tiles].map(([, name, figure]) => [strip(name), strip(figure)]))
}

const names = Object.keys(requests)

describe.each(names)('every figure of the page is that of the data of the same request: %s', name => {
  test('key figures, unseen periods, ranks, costs and evidence', () => {
    const { page, result } = find(name)
    const { metrics: m, curves, ic, evidence, deflated_sharpe: deflated } = result
    const unseen = curves?.unseen
    expect(tilesOf(page, 'verdict')).toEqual(
      new Map([
        ['CAGR', signedPercent(m.cagr, 2)],
        ['Sharpe ratio', ratio(m.sharpe)],
        ['Max drawdown', signedPercent(m.max_drawdown)],
        ['Out-of-sample Sharpe', ratio(m.oos_sharpe_mean)],
        ['Volatility', percent(m.volatility)],
        ['Sharpe ratio, Lo', ratio(m.lo_sharpe)],
        ['Information ratio', ratio(m.information_ratio)],
        ['Sortino ratio', ratio(m.sortino)],
        ['Calmar ratio', ratio(m.calmar)],
        ['Hit rate', percent(m.hit_rate)],
        ['Turnover', percent(m.avg_turnover)],
      ]),
    )
    expect(tilesOf(page, 'unseen')).toEqual(
      new Map([
        ['Sharpe ratio, all folds', ratio(unseen?.sharpe)],
        ['CAGR', signedPercent(unseen?.cagr, 2)],
        ['Volatility', percent(unseen?.volatility)],
        ['Max drawdown', signedPercent(unseen?.max_drawdown)],
        ['Periods', count(unseen?.n_periods)],
      ]),
    )
    expect(tilesOf(page, 'ranks')).toEqual(
      new Map([
        ['Mean rank IC', ratio(ic?.mean, 4)],
        ['Standard deviation', ratio(ic?.sd, 4)],
        ['Mean over deviation', ratio(ic?.ir, 3)],
        ['t-statistic', ratio(ic?.t_stat)],
        ['Periods', count(ic?.n_periods)],
      ]),
    )
    expect(tilesOf(page, 'costs')).toEqual(
      new Map([
        ['Cost drag', percent(m.cost_drag_annual, 2)],
        ['Gross Sharpe ratio', ratio(m.gross_sharpe)],
        ['Break-even cost', basisPoints(m.break_even_cost_bps)],
      ]),
    )
    const record = evidence?.track_record
    const min = record?.min_track_record_periods ?? null
    expect(tilesOf(page, 'evidence')).toEqual(
      new Map([
        ['Sharpe interval', `${ratio(evidence?.interval?.low)} to ${ratio(evidence?.interval?.high)}`],
        ['Probabilistic Sharpe', probability(record?.psr)],
        ['Min track record', min === null ? 'Never' : count(Math.ceil(min))],
        ['Skewness', ratio(record?.skew)],
        ['Kurtosis', ratio(record?.kurtosis_raw)],
        ...(deflated === undefined
          ? []
          : ([
              ['Deflated Sharpe', ratio(deflated.dsr, 3)],
              ['PBO', percent(deflated.pbo)],
            ] satisfies [string, string][])),
      ]),
    )
  })

  test('tables', () => {
    const { page, result } = find(name)
    for (const [table, rows] of nonEmpty(Object.entries(tables(result)))) {
      expect({ table, rows: rowsOf(page, table) }).toEqual({ table, rows })
    }
  })

  test('and the page is made of nothing but that data', () => {
    const { page, result } = find(name)
    expect(page).toBe(resultPage(result))
  })
})

const bps = (value: number | null) => ratio(value === null ? null : value * 1e4, 1)
const lastOf = (values: readonly (number | null)[] = []) => values.findLast(value => value !== null)

/** The values that each table must show, computed from the data alone. */
function tables(result: BacktestResult): Record<string, string[][]> {
  const { performance: p, folds, ic_decay = [], quantile_returns = [], monthly = [], positions = [] } = result
  if (p === undefined) throw new Error('the data has no performance')
  const ends = [result.equity_curve, result.curves?.gross, result.curves?.universe]
  const years = [...new Set(quantile_returns.flatMap(bucket => bucket.years.map(({ year }) => year)))].sort()
  const max = Math.max(...monthly.flatMap(({ months }) => months.map(value => Math.abs(value ?? 0))))
  const digits = max >= 1 ? 0 : max >= 0.01 ? 1 : 2
  const month = (value: number | null) => percent(value, digits).replace('%', '')
  const span = (from: string | null, to: string | null) =>
    from === null || to === null ? 'none' : `${from} to ${to}`
  const spa = result.evidence?.spa
  return {
    'Net, gross and universe': p.compared.map((row, i) => [
      ['Net', 'Gross', 'Universe'][i],
      ratio(lastOf(ends[i]), 3),
      signedPercent(row.cagr, 2),
      ratio(row.sharpe),
      percent(row.volatility),
      signedPercent(row.max_drawdown),
      percent(row.value_at_risk, 2),
      percent(row.expected_shortfall, 2),
      ratio(row.skew),
      ratio(row.kurtosis_raw),
    ]),
    'Walk-forward folds': folds.map(fold => [
      count(fold.fold),
      span(fold.test_start, fold.test_end),
      ratio(fold.sharpe),
      signedPercent(fold.cagr),
      signedPercent(fold.max_drawdown),
      count(fold.n_periods),
      span(fold.train_start, fold.train_end),
      ratio(fold.train_sharpe),
      ...(result.trials ? [fold.label] : []),
    ]),
    'Deepest drawdowns': p.drawdowns.map(fall => [
      signedPercent(fall.depth),
      fall.peak,
      fall.trough,
      fall.recovered ?? 'not by the end',
      count(fall.days_to_trough),
      fall.days_to_recover === null ? 'not by the end' : count(fall.days_to_recover),
    ]),
    'Net return by month': monthly.map(({ year, months, total }) => [
      String(year),
      ...months.map(month),
      month(total),
    ]),
    Legs: p.legs.map(leg => [
      leg.leg === 'long' ? 'Long' : 'Short',
      signedPercent(leg.return_annual, 2),
      ratio(leg.sharpe),
      percent(leg.volatility),
      percent(leg.hit_rate),
    ]),
    'Final portfolio': positions.map(({ asset, market, weight }) => [
      asset,
      market ?? 'None',
      signedPercent(weight, 2),
    ]),
    'Decay of the information coefficient': ic_decay.map(row => [
      count(row.periods_ahead),
      ratio(row.mean, 4),
      ratio(row.t_stat),
      count(row.n_periods),
    ]),
    'Score groups by year':
      years.length < 2
        ? []
        : years.map(year => [
            String(year),
            ...quantile_returns.map(({ years: of }) =>
              bps(of.find(one => one.year === year)?.mean_return ?? null),
            ),
          ]),
    'Superior predictive ability':
      spa === undefined || spa === null || spa.statistic === 0
        ? []
        : [
            ['SPA, consistent', probability(spa.consistent)],
            ['SPA, lower bound', probability(spa.lower)],
            ['SPA, upper bound', probability(spa.upper)],
            ["White's reality check", probability(spa.reality_check)],
          ],
    'All configurations': (result.trials ?? [])
      .toSorted((a, b) => (b.sharpe ?? 0) - (a.sharpe ?? 0))
      .map(trial => [
        trial.label,
        ratio(trial.sharpe),
        signedPercent(trial.cagr),
        signedPercent(trial.max_drawdown),
        percent(trial.avg_turnover),
      ]),
  }
}

describe('run it again', () => {
  test.each(names)('the request on the page gives its numbers, to the last digit: %s', async name => {
    const { page, result } = find(name)
    const text = strip(page.split('<pre class="request">')[1]?.split('</pre>')[0] ?? '')
    const request = JSON.parse(text)
    const panel = requests[name].panel
    if (panel !== undefined) expect(request.panel).toBe('YOUR ROWS')
    // The page spells out every setting; the result echoes what was sent.
    const { request: _, ...numbers } = result
    const { request: _spelled, ...again } = await engine.data({
      ...request,
      ...(panel === undefined ? {} : { panel }),
    })
    expect(again).toEqual(numbers)
  })
})
