import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { at, inBothSizes, type Size } from '../chart/axes.ts'
import { count, dash, ratio } from '../numberFormat.ts'
import { tileList } from './tiles.ts'

type Buckets = NonNullable<BacktestResult['quantiles']>

const height = 220
const top = 24
const bottom = height - 40

/** Mean return of each tenth of the names by score, before costs. */
export function bucketChart(quantiles: Buckets): Markup {
  return html`<p>The names of each date in ten groups by score, from the lowest (1) to the highest (10): mean return of a group per period, before costs, in basis points (hundredths of a percent). With a ranking that works, returns rise from left to right.</p>
${inBothSizes(size => drawBuckets(quantiles, size))}`
}

function drawBuckets(buckets: Buckets, size: Size): Markup {
  const values = buckets.map(bucket => (bucket.mean_return === null ? null : bucket.mean_return * 1e4))
  const known = values.filter(value => value !== null)
  const max = known.reduce((a, b) => Math.max(a, b), 0)
  const min = known.reduce((a, b) => Math.min(a, b), 0)
  const range = max - min || 1
  const yOf = (value: number) => bottom - ((value - min) / range) * (bottom - top)
  const left = 6
  const slot = (size.width - 2 * left) / Math.max(1, buckets.length)
  const digits = Math.max(max, -min) >= 100 ? 0 : 1
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
  const label = value < 0 ? y + barHeight + 13 : y - 5
  return html`<rect class="${value < 0 ? 'fall' : 'rise'}" x="${at(left + (i + 0.12) * slot)}" width="${at(slot * 0.76)}" y="${at(y)}" height="${at(barHeight)}"/><text class="value" x="${middle}" y="${at(label)}">${ratio(value, digits)}</text>${name}\n`
})}<line class="base" x1="${left}" x2="${size.width - left}" y1="${at(yOf(0))}" y2="${at(yOf(0))}"/>
</svg>`
}

/** How well the scores rank the returns, date by date. */
export function informationCoefficient(ic: NonNullable<BacktestResult['ic']>): Markup {
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
