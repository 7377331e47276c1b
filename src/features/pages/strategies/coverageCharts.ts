import { html, type Markup } from '../../../html.ts'
import type { CoverageYear } from '../../strategies/schema.ts'
import { barChart } from '../charts/barChart.ts'
import { exactFigure } from '../figures.ts'

const size = { width: 132, height: 26, gap: 1 } as const

interface YearSpan {
  readonly first: number
  readonly last: number
}

/** The years of all values; null if there are none. */
export function yearsOf(coverage: readonly CoverageYear[]): YearSpan | null {
  const years = coverage.map(({ year }) => year)
  return years.length === 0 ? null : { first: Math.min(...years), last: Math.max(...years) }
}

/** The companies with a value in each year as small bars, from zero to the largest count of the market. */
export function coverageSparkline(coverage: readonly CoverageYear[], market: string, span: YearSpan): Markup {
  const ofMarket = coverage.filter(row => row.market === market)
  const most = Math.max(...ofMarket.map(({ companies }) => companies))
  const step = size.width / (span.last - span.first + 1)
  const spoken = ofMarket.map(({ year, companies }) => `${year}: ${companies}`).join(', ')
  return html`<svg class="spark" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" role="img" aria-label="Companies by year, ${spoken}"><path d="M0 ${size.height - 0.5}H${size.width}"/>${ofMarket.map(
    ({ year, companies }) => {
      const height = Math.max(1, ((size.height - 2) * companies) / most)
      return html`<rect x="${rounded((year - span.first) * step)}" y="${rounded(size.height - 1 - height)}" width="${rounded(Math.max(1, step - size.gap))}" height="${rounded(height)}"/>`
    },
  )}</svg>`
}

const rounded = (value: number) => Number(value.toFixed(1))

/** The years that a chart shows. */
const maxYears = 20

/** The latest years of a market, also those without a value. */
function latestYears(coverage: readonly CoverageYear[], market: string) {
  const rows = coverage.filter(row => row.market === market)
  const last = Math.max(...rows.map(({ year }) => year))
  const first = Math.max(last - maxYears + 1, Math.min(...rows.map(({ year }) => year)))
  return Array.from({ length: rows.length === 0 ? 0 : last - first + 1 }, (_, at) => ({
    year: first + at,
    row: rows.find(({ year }) => year === first + at),
  }))
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`
const daysText = (days: number | null) => (days === null ? '' : `, by ${days.toFixed(1)} days on average`)

/** How many companies of a market have a value, by the year in which the period ends. */
export function coverageChart(coverage: readonly CoverageYear[], market: string): Markup {
  const years = latestYears(coverage, market)
  return html`${barChart({
    label: `Companies with a value per year, ${market}`,
    categories: years.map(({ year }) => String(year)),
    series: [
      {
        name: 'Companies',
        bars: years.map(({ row }) =>
          row === undefined
            ? null
            : {
                value: row.companies,
                title: `${exactFigure(row.companies)} (${exactFigure(row.values)} ${row.values === 1 ? 'value' : 'values'})`,
              },
        ),
      },
    ],
    tickText: value => (Number.isInteger(value) ? exactFigure(value) : ''),
  })}`
}

/** What lags of four and six months would have hidden or shown too early, by year. */
export function lagCharts(coverage: readonly CoverageYear[], market: string): Markup {
  const years = latestYears(coverage, market)
  const series = (kind: 'hidden' | 'look_ahead') =>
    ([4, 6] as const).map(months => ({
      name: `${months} months`,
      bars: years.map(({ row }) => {
        const lag = row?.lags.find(one => one.months === months)
        return lag === undefined
          ? null
          : { value: 100 * lag[kind], title: `${percent(lag[kind])}${daysText(lag[`${kind}_days`])}` }
      }),
    }))
  const chart = (label: string, kind: 'hidden' | 'look_ahead') =>
    barChart({
      label,
      categories: years.map(({ year }) => String(year)),
      series: series(kind),
      tickText: value => `${value}%`,
    })
  return html`<div class="pair">
<div><h3>Hidden: known, but not seen yet</h3>
${chart('Share of the values that the lag hides, per year', 'hidden')}</div>
<div><h3>Seen before they were filed</h3>
${chart('Share of the values that the lag shows too early, per year', 'look_ahead')}</div>
</div>
<details><summary>The charts of this market as a table</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Coverage and lags by year"><table><thead><tr><th scope="col">Year</th><th scope="col" class="number">Companies</th><th scope="col" class="number">Values</th>${(
    [4, 6] as const
  ).map(
    months =>
      html`<th scope="col" class="number">Hidden, ${months} months</th><th scope="col" class="number">Days</th><th scope="col" class="number">Too early, ${months} months</th><th scope="col" class="number">Days</th>`,
  )}</tr></thead>
<tbody>${coverage
    .filter(row => row.market === market)
    .map(
      ({ year, companies, values, lags }) =>
        html`<tr><th scope="row">${year}</th><td class="number">${exactFigure(companies)}</td><td class="number">${exactFigure(values)}</td>${lags.map(
          lag =>
            html`<td class="number">${percent(lag.hidden)}</td><td class="number">${lag.hidden_days?.toFixed(1)}</td><td class="number">${percent(lag.look_ahead)}</td><td class="number">${lag.look_ahead_days?.toFixed(1)}</td>`,
        )}</tr>\n`,
    )}</tbody></table></div></details>`
}

/** What a lag would have done over all years of a market, each value counted once. */
export function lagSentence(coverage: readonly CoverageYear[], market: string, months: 4 | 6): string {
  const total = { values: 0, hidden: 0, hiddenDays: 0, early: 0, earlyDays: 0 }
  for (const row of coverage) {
    const lag = row.lags.find(one => one.months === months)
    if (row.market !== market || lag === undefined) continue
    total.values += row.values
    total.hidden += lag.hidden * row.values
    total.hiddenDays += lag.hidden * row.values * (lag.hidden_days ?? 0)
    total.early += lag.look_ahead * row.values
    total.earlyDays += lag.look_ahead * row.values * (lag.look_ahead_days ?? 0)
  }
  const mean = (days: number, count: number) => (days / count).toFixed(0)
  const hidden =
    total.hidden === 0
      ? 'would have hidden none'
      : `would have hidden ${percent(total.hidden / total.values)}, on average for ${mean(total.hiddenDays, total.hidden)} days after they were known`
  const early =
    total.early === 0
      ? 'shown none before it was filed'
      : `shown ${percent(total.early / total.values)} before they were filed, on average by ${mean(total.earlyDays, total.early)} days`
  return `Of ${exactFigure(total.values)} ${total.values === 1 ? 'value' : 'values'}, a lag of ${months === 4 ? 'four' : 'six'} months ${hidden}, and ${early}.`
}
