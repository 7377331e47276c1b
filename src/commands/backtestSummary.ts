import { basisPoints, count, counted, gain, percent, ratio } from '../backtest/report/figures.ts'
import { metricGuide } from '../backtest/report/metricGuide.ts'
import { rankTrials } from '../backtest/report/trials.ts'
import { verdictWords } from '../backtest/report/verdict.ts'
import { droppedWords, strategyWords } from '../backtest/report/words.ts'
import type { BacktestResult } from '../backtest/result.ts'
import { textTable, wrapText } from './output.ts'

const mostTrials = 5

/** A result for a terminal. Signs are those of a keyboard, so that it can be searched and cut.
 *
 * @param width of the terminal, in characters */
export function backtestSummary(result: BacktestResult, name: string, width: number): string {
  const columns = Math.max(40, Math.min(width, 120))
  const wrapped = (text: string, indent = '') => wrapText(text, columns, indent)
  const { equity_dates: dates, n_rows, n_periods, config, warnings, dropped } = result
  const record = `${counted(n_rows, 'row')}, ${counted(n_periods, 'period')} of ${counted(config.returnDays, 'trading day')}, ${dates[0]} to ${dates.at(-1)}`
  const parts = [
    `${name}: ${record}`,
    wrapped(strategyWords(config)),
    warnings.map(({ message }) => wrapped(`Warning: ${message}`, '  ')).join('\n'),
    droppedWords(dropped)
      .map(words => wrapped(`Left out: ${words}`, '  '))
      .join('\n'),
    metrics(result),
    folds(result),
    ic(result),
    sweep(result, wrapped),
    wrapped(costs(result)),
    'Backtested results are hypothetical and do not predict future returns.',
  ]
  return plain(parts.filter(part => part !== '').join('\n\n'))
}

function metrics({ metrics }: BacktestResult): string {
  const rows = metricGuide.map(({ metric, name, write }) => [name, write(metrics[metric])])
  const values = Math.max(...rows.map(([, value]) => value.length))
  return textTable(
    ['METRIC', 'VALUE'.padStart(values)],
    rows.map(([name, value]) => [name, value.padStart(values)]),
  )
}

function folds({ folds, trials }: BacktestResult): string {
  if (folds.length === 0) return ''
  const head = ['FOLD', 'TESTED ON', 'SHARPE', 'RETURN A YEAR', 'DEEPEST FALL', 'SHARPE BEFORE']
  return textTable(
    trials ? [...head, 'CONFIGURATION'] : head,
    folds.map(fold => [
      count(fold.fold),
      `${fold.test_start} to ${fold.test_end}`,
      ratio(fold.sharpe),
      gain(fold.cagr),
      gain(fold.max_drawdown),
      ratio(fold.train_sharpe),
      ...(trials ? [fold.label] : []),
    ]),
  )
}

function ic({ ic }: BacktestResult): string {
  if (ic === undefined) return ''
  return `Rank correlation of score and return: ${ratio(ic.mean, 4)} a period (t ${ratio(ic.t_stat)}, ${counted(ic.n_periods, 'period')}).`
}

function sweep(result: BacktestResult, wrapped: (text: string, indent?: string) => string): string {
  const { trials, best, deflated_sharpe: found } = result
  if (trials === undefined || best === undefined || found === undefined) return ''
  const table = textTable(
    ['CONFIGURATION', 'SHARPE', 'RETURN A YEAR', 'DEEPEST FALL', 'TURNOVER'],
    rankTrials(result)
      .slice(0, mostTrials)
      .map(trial => [
        trial.label,
        ratio(trial.sharpe),
        gain(trial.cagr),
        gain(trial.max_drawdown),
        percent(trial.avg_turnover),
      ]),
  )
  const { headline, sentences } = verdictWords(found, result.periods_per_year)
  return [
    `The best of ${counted(trials.length, 'configuration')}: ${best.label}`,
    '',
    table,
    '',
    wrapped(headline),
    ...sentences.map(sentence => wrapped(`- ${sentence}`, '  ')),
  ].join('\n')
}

function costs({ costs, config }: BacktestResult): string {
  const trading =
    costs.flat_bps !== null
      ? `${basisPoints(costs.flat_bps)} a round trip`
      : costs.markets
          .map(
            ({ market, round_trip_bps }) =>
              `${basisPoints(round_trip_bps)} a round trip in ${market ?? 'no market'}`,
          )
          .join(', ')
  const borrowing =
    config.direction === 'long_only' ? '' : `; borrowing ${basisPoints(costs.borrow_bps)} a year`
  return `Costs: ${trading}${borrowing}.`
}

function plain(text: string): string {
  return text.replaceAll('−', '-').replaceAll('–', '-').replaceAll('’', "'")
}
