import { dayNumber } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import type { BacktestFold, BacktestResult } from '../../result.ts'
import { inBothSizes } from '../chart/axes.ts'
import { type Band, type Line, lineChart } from '../chart/lineChart.ts'
import { count, percent, ratio, signedPercent } from '../numberFormat.ts'
import { formatGrowth, formatPoint, isLogarithmic, lastOf } from './curves.ts'
import { heatClass, maxAbsolute } from './months.ts'
import { maxUnsplitRows, scrollTable } from './scrollTable.ts'
import { type Tile, tileList } from './tiles.ts'

type Unseen = NonNullable<NonNullable<BacktestResult['curves']>['unseen']>

/** The test blocks of the walk-forward as one curve, then one by one. */
export function unseenPeriods(result: BacktestResult): Markup {
  const { folds, trials, config, curves } = result
  if (folds.length === 0) return html`<p class="absent">There are too few periods for walk-forward folds.</p>`
  const method =
    trials === undefined
      ? 'Nothing is fitted to the record, so each fold simply shows how the same configuration did in one block of time after another.'
      : 'Each fold trades the configuration with the best Sharpe ratio on all data before it, on a block that the choice has not seen. The blocks together are a record without hindsight. Each has the costs of its own configuration; what it takes to move from one configuration to the next is not charged.'
  const requested = config.folds ?? folds.length
  const unseen = curves?.unseen ?? null
  return html`<p>${method} The last periods before a block are excluded from its training, so that no training return reaches into it.</p>
${unseen && unseenChart(unseen, folds)}
${unseen && tileList(unseenTiles(unseen), 'small')}
${foldTable(folds, trials !== undefined)}${
  folds.length < requested &&
  html`<p class="absent">${count(folds.length)} of the ${count(requested)} requested folds could be formed.</p>`
}`
}

function unseenChart(unseen: Unseen, folds: readonly BacktestFold[]): Markup {
  const { dates, curve } = unseen
  const line: Line = {
    id: 'stitched',
    title: 'Growth of 1 over the unseen periods, net of costs',
    description: `From ${dates[0]} to ${dates.at(-1)}, 1 became ${ratio(lastOf(curve), 3)}. The folds are shaded in turn; the table below lists them.`,
    dates,
    days: Float64Array.from(dates, dayNumber),
    values: curve,
    base: 1,
    isFilled: false,
    isLogarithmic: isLogarithmic(curve),
    height: 260,
    formatTick: formatGrowth,
    formatPoint: index => formatPoint(curve[index]),
    bands: foldBands(folds, dates),
  }
  return inBothSizes(size => lineChart(line, size))
}

/** Each fold from its first date to the first date of the next. The curve of a ruined portfolio has no dates
 * for later folds. */
function foldBands(folds: readonly BacktestFold[], dates: readonly string[]): Band[] {
  const starts = folds.map(fold => dates.indexOf(fold.test_start))
  return folds.flatMap(({ fold }, i) => {
    const next = starts[i + 1] ?? -1
    return starts[i] < 0
      ? []
      : [{ label: count(fold), from: starts[i], to: next < 0 ? dates.length - 1 : next }]
  })
}

function unseenTiles({ sharpe, volatility, cagr, max_drawdown, n_periods }: Unseen): Tile[] {
  return [
    {
      name: 'Sharpe ratio, all folds',
      value: ratio(sharpe),
      means: 'Of the unseen periods as one record. Out-of-sample Sharpe is the mean over folds.',
    },
    { name: 'CAGR', plain: 'annual return', value: signedPercent(cagr, 2), means: 'Net of all costs.' },
    { name: 'Volatility', plain: 'size of swings', value: percent(volatility), means: 'Annualised.' },
    {
      name: 'Max drawdown',
      plain: 'deepest fall',
      value: signedPercent(max_drawdown),
      means: 'Within these periods, across folds.',
    },
    { name: 'Periods', value: count(n_periods), means: 'In all folds.' },
  ]
}

/** The most important columns come first: a phone shows only those without scrolling. */
function foldTable(folds: readonly BacktestFold[], isSweep: boolean): Markup {
  const head = ['Fold', 'Tested on', 'Sharpe ratio', 'CAGR', 'Max drawdown', 'Periods']
  const training = ['Trained on', 'Training Sharpe ratio']
  const max = maxAbsolute(folds.map(fold => fold.sharpe))
  return scrollTable(
    'Walk-forward folds',
    html`<table class="heat folds${folds.length > maxUnsplitRows && ' long'}">
<thead><tr>${[...head, ...training, ...(isSweep ? ['Configuration'] : [])].map(
      name => html`<th scope="col">${name}</th>`,
    )}</tr></thead>
<tbody>${folds.map(fold => foldRow(fold, max, isSweep))}</tbody></table>`,
    'tablet',
  )
}

function foldRow(fold: BacktestFold, max: number, isSweep: boolean): Markup {
  return html`<tr><th scope="row">${count(fold.fold)}</th><td>${span(fold.test_start, fold.test_end)}</td><td class="${heatClass(fold.sharpe, max)}">${ratio(fold.sharpe)}</td><td>${signedPercent(fold.cagr)}</td><td>${signedPercent(fold.max_drawdown)}</td><td>${count(fold.n_periods)}</td><td>${span(fold.train_start, fold.train_end)}</td><td>${ratio(fold.train_sharpe)}</td>${
    isSweep && html`<td class="label">${fold.label}</td>`
  }</tr>
`
}

function span(from: string | null, to: string | null): Markup | string {
  return from === null || to === null ? 'none' : html`${from} to<br>${to}`
}
