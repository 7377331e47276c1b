import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { at, inBothSizes, type Size } from '../chart/axes.ts'
import { count, dash, ratio } from '../numberFormat.ts'
import { heatClass, maxAbsolute } from './months.ts'
import { maxUnsplitRows, scrollTable } from './scrollTable.ts'
import { tileList } from './tiles.ts'

type Buckets = readonly Bucket[]

interface Bucket {
  readonly bucket: number
  readonly mean_return: number | null
  readonly standard_error?: number | null
}

const height = 220
const top = 24
const bottom = height - 40

/** How well the score ranks the returns: immediately, later, and by group. */
export function rankSection({ ic, ic_decay, quantiles, quantile_returns }: BacktestResult): Markup | null {
  const buckets = quantile_returns ?? quantiles
  if (ic === undefined && ic_decay === undefined && buckets === undefined) return null
  return html`${ic && informationCoefficient(ic)}
${ic_decay && decayTable(ic_decay)}
${buckets && bucketChart(buckets)}
${quantile_returns && bucketYears(quantile_returns)}`
}

function decayTable(decay: NonNullable<BacktestResult['ic_decay']>): Markup {
  return html`<h3>How long the score keeps its information</h3>
<p>Rank correlation of the score with the return of a later period alone.</p>
${scrollTable(
  'Decay of the information coefficient',
  html`<table class="decay"><thead><tr><th scope="col">Periods ahead</th><th scope="col">Mean IC</th><th scope="col">t-statistic</th><th scope="col">Periods</th></tr></thead>
<tbody>${decay.map(
    ({ periods_ahead, mean, t_stat, n_periods }) =>
      html`<tr><th scope="row">${count(periods_ahead)}</th><td>${ratio(mean, 4)}</td><td>${ratio(t_stat)}</td><td>${count(n_periods)}</td></tr>`,
  )}</tbody></table>`,
)}`
}

const maxYears = 40

/** Whether the groups keep their order from year to year. */
function bucketYears(buckets: NonNullable<BacktestResult['quantile_returns']>): Markup | null {
  const years = [...new Set(buckets.flatMap(bucket => bucket.years.map(({ year }) => year)))]
    .sort()
    .slice(-maxYears)
  if (years.length < 2) return null
  const cells = buckets.map(
    bucket => new Map(bucket.years.map(({ year, mean_return }) => [year, mean_return])),
  )
  const max = maxAbsolute(cells.flatMap(cell => years.map(year => cell.get(year) ?? null)))
  return html`<h3>Score groups by year</h3>
<p>The same in each year, in basis points per period. A ranking that works keeps its order.</p>
${scrollTable(
  'Score groups by year',
  html`<table class="heat group-years${years.length > maxUnsplitRows && ' long'}"><thead><tr><th scope="col">Year</th>${buckets.map(({ bucket }) => html`<th scope="col">${count(bucket)}</th>`)}</tr></thead>
<tbody>${years.map(
    year =>
      html`<tr><th scope="row">${String(year)}</th>${cells.map(cell => {
        const value = cell.get(year) ?? null
        return html`<td class="${heatClass(value, max)}">${ratio(value === null ? null : value * 1e4, 1)}</td>`
      })}</tr>\n`,
  )}</tbody></table>`,
  'phone',
)}`
}

/** The mean return of each tenth of the names by score, before costs. */
function bucketChart(buckets: Buckets): Markup {
  return html`<h3>Return by score group</h3>
<p>The names of each date in ten groups by score, from the lowest (1) to the highest (10): mean return of a group per period, before costs, in basis points (hundredths of a percent). With a ranking that works, returns rise from left to right.${buckets.some(({ standard_error }) => typeof standard_error === 'number') && ' The thin lines reach two standard errors to either side.'}</p>
${inBothSizes(size => drawBuckets(buckets, size))}`
}

function drawBuckets(buckets: Buckets, size: Size): Markup {
  const values = buckets.map(bucket => (bucket.mean_return === null ? null : bucket.mean_return * 1e4))
  const reach = buckets.map(({ standard_error }) => 2e4 * (standard_error ?? 0))
  const max = values.reduce<number>((a, b, i) => Math.max(a, b === null ? 0 : b + reach[i]), 0)
  const min = values.reduce<number>((a, b, i) => Math.min(a, b === null ? 0 : b - reach[i]), 0)
  const range = max - min || 1
  const yOf = (value: number) => bottom - ((value - min) / range) * (bottom - top)
  const left = 6
  const slot = (size.width - 2 * left) / Math.max(1, buckets.length)
  // Keeps the labels of neighbouring bars from touching.
  const digits = Math.max(max, -min) >= (size.name === 'wide' ? 100 : 10) ? 0 : 1
  const id = `buckets-${size.name}`
  return html`<svg class="chart bars ${size.name}" viewBox="0 0 ${size.width} ${height}" role="img" aria-labelledby="${id}-t ${id}-d">
<title id="${id}-t">Mean return of ten score groups</title>
<desc id="${id}-d">${values.map((value, i) => `Group ${buckets[i].bucket}: ${value === null ? 'none' : `${ratio(value, digits)} basis points`}`).join('; ')}.</desc>
${values.map((value, i) => {
  const middle = at(left + (i + 0.5) * slot)
  const name = html`<text x="${middle}" y="${height - 8}">${count(buckets[i].bucket)}</text>`
  if (value === null) return html`${name}<text x="${middle}" y="${at(yOf(0) - 5)}">${dash}</text>`
  const y = Math.min(yOf(value), yOf(0))
  const barHeight = Math.abs(yOf(value) - yOf(0))
  const label = value < 0 ? yOf(value - reach[i]) + 13 : yOf(value + reach[i]) - 5
  const whisker = html`<line class="whisker" x1="${middle}" x2="${middle}" y1="${at(yOf(value + reach[i]))}" y2="${at(yOf(value - reach[i]))}"/>`
  return html`<rect class="${value < 0 ? 'fall' : 'rise'}" x="${at(left + (i + 0.12) * slot)}" width="${at(slot * 0.76)}" y="${at(y)}" height="${at(barHeight)}"/>${reach[i] > 0 && whisker}<text class="value" x="${middle}" y="${at(label)}">${ratio(value, digits)}</text>${name}\n`
})}<line class="base" x1="${left}" x2="${size.width - left}" y1="${at(yOf(0))}" y2="${at(yOf(0))}"/>
</svg>`
}

/** How well the scores rank the returns, date by date. */
function informationCoefficient(ic: NonNullable<BacktestResult['ic']>): Markup {
  const entries = [
    {
      name: 'Mean rank IC',
      plain: 'information coefficient',
      value: ratio(ic.mean, 4),
      means: 'Rank correlation of score and return: 1 is perfect, 0 none.',
    },
    {
      name: 'Standard deviation',
      value: ratio(ic.sd, 4),
      means: 'How much it varies from period to period.',
    },
    { name: 'Mean over deviation', value: ratio(ic.ir, 3), means: 'How steady it is, per period.' },
    {
      name: 't-statistic',
      value: ratio(ic.t_stat),
      means:
        'Between −2 and 2, it is not significantly different from 0 at the usual 5% level, if periods are independent.',
    },
    { name: 'Periods', value: count(ic.n_periods), means: 'Periods in which the correlation exists.' },
  ]
  return tileList(entries, 'small')
}
