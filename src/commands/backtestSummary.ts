import { describeDropped, describeStrategy } from '../backtest/report/descriptions.ts'
import { describeFactors, factorRows } from '../backtest/report/factors.ts'
import { detailMetricsOf, headlineMetrics } from '../backtest/report/metricGuide.ts'
import { basisPoints, count, percent, plural, ratio, signedPercent } from '../backtest/report/numberFormat.ts'
import { describePrices, pricedRowPhrases } from '../backtest/report/prices.ts'
import { describeReturns, tradingRows } from '../backtest/report/trading.ts'
import { rankTrials } from '../backtest/report/trials.ts'
import { explainSweep, headlineOf, judgedAgainst } from '../backtest/report/verdict.ts'
import type { BacktestResult } from '../backtest/result.ts'
import { textTable, wrapText } from './output.ts'

const maxTrials = 5

/**
 * A result as text for a terminal, in plain ASCII, so that it can be searched and piped.
 *
 * @param width of the terminal, in characters
 */
export function backtestSummary(result: BacktestResult, name: string, width: number): string {
  const columns = Math.max(40, Math.min(width, 120))
  const wrapped = (text: string, indent = '') => wrapText(text, columns, indent)
  const { equity_dates: dates, n_rows, n_periods, config, warnings, dropped } = result
  const record = `${plural(n_rows, 'row')}, ${plural(n_periods, 'period')} of ${plural(config.returnDays, 'trading day')}, ${dates[0]} to ${dates.at(-1)}`
  const parts = [
    `${name}: ${record}`,
    wrapped(describeStrategy(config)),
    priceText(result, wrapped),
    warnings.map(({ message }) => wrapped(`Warning: ${message}`, '  ')).join('\n'),
    describeDropped(dropped)
      .map(sentence => wrapped(`Note: ${sentence}`, '  '))
      .join('\n'),
    verdictText(result, wrapped),
    factorText(result, wrapped),
    metricTable(result),
    tradingText(result, wrapped),
    foldTable(result),
    icLine(result),
    scoreTable(result),
    neutralisedText(result, wrapped),
    sweepText(result, wrapped),
    wrapped(costLine(result)),
    'Backtested results are hypothetical and do not predict future returns.',
  ]
  return toAscii(parts.filter(part => part !== '').join('\n\n'))
}

/** The verdict's level and reasons, which a reader should know before the numbers. */
function verdictText(result: BacktestResult, wrapped: (text: string, indent?: string) => string): string {
  const { verdict } = result
  return [
    wrapped(`Verdict: ${verdict.level}. ${headlineOf(verdict)}`),
    ...[judgedAgainst(result), ...verdict.reasons.map(({ message }) => message)].map(sentence =>
      wrapped(`- ${sentence}`, '  '),
    ),
  ].join('\n')
}

/** The prices that gave the returns, and what became of the rows. */
function priceText({ prices }: BacktestResult, wrapped: (text: string, indent?: string) => string): string {
  if (prices === undefined) return ''
  const { rows, notes, sensitivity, delisting } = prices
  return [
    wrapped(describePrices(prices)),
    textTable(
      ['ROWS', 'COUNT'],
      pricedRowPhrases.filter(({ key }) => rows[key] > 0).map(({ key, text }) => [text, count(rows[key])]),
    ),
    ...sensitivity.map(({ delisting: other, sharpe = null, mean_return }) =>
      wrapped(
        `With a delisting return of ${percent(other, 0)} in place of the assumed ${percent(delisting, 0)}, the Sharpe ratio would be ${ratio(sharpe)} and the mean return of the rows ${percent(mean_return, 3)}.`,
        '  ',
      ),
    ),
    ...notes.map(note => wrapped(`Note: ${note}`, '  ')),
  ].join('\n')
}

/** What explains the record. */
function factorText({ factors }: BacktestResult, wrapped: (text: string, indent?: string) => string): string {
  if (factors === undefined) return ''
  return [
    wrapped('What explains it'),
    textTable(
      ['', 'ESTIMATE', 'T', 'PER YEAR'],
      factorRows(factors).map(({ name, estimate, t, annual }) => [name, estimate, t, annual]),
    ),
    ...describeFactors(factors).map(sentence => wrapped(`- ${sentence}`, '  ')),
  ].join('\n')
}

function metricTable(result: BacktestResult): string {
  const { metrics } = result
  const rows = [...headlineMetrics, ...detailMetricsOf(result)].map(({ metric, name, format }) => [
    name,
    format(metrics[metric]),
  ])
  const width = Math.max(...rows.map(([, value]) => value.length))
  return textTable(
    ['METRIC', 'VALUE'.padStart(width)],
    rows.map(([name, value]) => [name, value.padStart(width)]),
  )
}

/** How returns were computed from closes, what limits on trading did, and the record of each horizon. */
function tradingText(
  { returns, trading, horizons, n_periods }: BacktestResult,
  wrapped: (text: string, indent?: string) => string,
): string {
  const parts = [
    ...(returns === undefined ? [] : [wrapped(describeReturns(returns).join(' '))]),
    ...(trading === undefined
      ? []
      : [
          textTable(
            ['TRADING', 'VALUE'],
            tradingRows(trading, n_periods).map(row => [...row]),
          ),
        ]),
    ...(horizons === undefined
      ? []
      : [
          textTable(
            ['RETURN DAYS', 'SHARPE', 'ANNUAL RETURN', 'MAX DRAWDOWN', 'TURNOVER', 'DSR'],
            horizons.map(one => [
              count(one.returnDays),
              ratio(one.sharpe),
              signedPercent(one.cagr),
              signedPercent(one.max_drawdown),
              percent(one.avg_turnover),
              ratio(one.dsr, 3),
            ]),
          ),
        ]),
  ]
  return parts.join('\n\n')
}

function foldTable({ folds, trials }: BacktestResult): string {
  if (folds.length === 0) return ''
  const head = ['FOLD', 'TESTED ON', 'SHARPE', 'ANNUAL RETURN', 'MAX DRAWDOWN', 'TRAIN SHARPE']
  return textTable(
    trials ? [...head, 'CONFIGURATION'] : head,
    folds.map(fold => [
      count(fold.fold),
      `${fold.test_start} to ${fold.test_end}`,
      ratio(fold.sharpe),
      signedPercent(fold.cagr),
      signedPercent(fold.max_drawdown),
      ratio(fold.train_sharpe),
      ...(trials ? [fold.label] : []),
    ]),
  )
}

function icLine({ ic }: BacktestResult): string {
  if (ic === undefined) return ''
  return `Mean rank correlation of score and return: ${ratio(ic.mean, 4)} per period (t ${ratio(ic.t_stat)}, ${plural(ic.n_periods, 'period')}).`
}

function scoreTable({ scores }: BacktestResult): string {
  if (scores === undefined) return ''
  return textTable(
    ['SCORE', 'MEAN IC', 'T', 'SHARPE', 'JUDGED'],
    scores.variants.map(({ name, ic, sharpe, judged_sharpe }) => [
      name,
      ratio(ic.mean, 4),
      ratio(ic.t_stat),
      ratio(sharpe),
      ratio(judged_sharpe),
    ]),
  )
}

function neutralisedText(
  { neutralised }: BacktestResult,
  wrapped: (text: string, indent?: string) => string,
): string {
  if (neutralised === undefined) return ''
  const { definition, rows_without_exposure: missing, rows_without_residual: left } = neutralised
  return wrapped(
    `${definition} ${plural(missing, 'row')} without an exposure and ${plural(left, 'row')} of dates with too few names have no score.`,
  )
}

function sweepText(result: BacktestResult, wrapped: (text: string, indent?: string) => string): string {
  const { trials, best, deflated_sharpe: deflated } = result
  if (trials === undefined || best === undefined || deflated === undefined) return ''
  const table = textTable(
    ['CONFIGURATION', 'SHARPE', 'JUDGED', 'ANNUAL RETURN', 'MAX DRAWDOWN', 'TURNOVER'],
    rankTrials(result)
      .slice(0, maxTrials)
      .map(trial => [
        trial.label,
        ratio(trial.sharpe),
        ratio(trial.judged_sharpe),
        signedPercent(trial.cagr),
        signedPercent(trial.max_drawdown),
        percent(trial.avg_turnover),
      ]),
  )
  return [
    `The best of ${plural(trials.length, 'configuration')}: ${best.label}`,
    '',
    table,
    '',
    ...explainSweep(
      deflated,
      result.periods_per_year,
      result.verdict.already_tried?.trials_already_tried,
    ).map(sentence => wrapped(`- ${sentence}`, '  ')),
  ].join('\n')
}

function costLine({ costs, config }: BacktestResult): string {
  const trading =
    costs.flat_bps !== null
      ? `${basisPoints(costs.flat_bps)} per round trip`
      : costs.markets
          .map(
            ({ market, round_trip_bps }) =>
              `${basisPoints(round_trip_bps)} per round trip ${market === null ? 'without a market' : `in ${market}`}`,
          )
          .join(', ')
  const borrowing =
    config.direction === 'long_only' ? '' : `; borrowing ${basisPoints(costs.borrow_bps)} per year`
  return `Costs: ${trading}${borrowing}.`
}

function toAscii(text: string): string {
  return text.replaceAll('−', '-').replaceAll('–', '-').replaceAll('’', "'")
}
