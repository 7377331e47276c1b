import { dayNumber } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import { type TrendCell, type TrendContext, trendOf } from '../../../http/pages/assets/trends.js'
import { formOf } from '../figures.ts'
import { currentOf, type Period } from '../grid.ts'
import { metricLabel } from '../metricLabels.ts'
import { shownCell } from './cell.ts'
import { companyPath } from './query.ts'
import { type CellAddress, isShown, type Tables } from './statementTables.ts'

/** The columns of the tables with any figure, oldest first, as indexes of `tables.periods`. */
export const shownColumns = (tables: Tables): number[] =>
  tables.periods.flatMap((period, index) => (isShown(tables, period) ? [index] : [])).reverse()

/** Trailing years end four times within a fiscal year, so their day names them. */
export const periodLabel = ({ fp, fy, end }: Period): string =>
  fp === 'TTM' ? `TTM to ${end}` : `${fp} ${fy}`

/** Tolerance in days when matching a period with that of the year before: fiscal years have 52 or 53 weeks. */
const tolerance = 31

/** For each period, the index of the same fiscal period one year before; -1 if there is none. */
function yearsBefore(periods: readonly Period[]): number[] {
  return periods.map(({ fy, fp, end }) =>
    periods.findIndex(
      other =>
        other.fy === fy - 1 &&
        other.fp === fp &&
        Math.abs(dayNumber(end) - 365.25 - dayNumber(other.end)) <= tolerance,
    ),
  )
}

/** A row with fewer periods has neither a line nor growth. */
const minPeriods = 2

/**
 * For the row of a metric, a link with its sparkline and its growth, which leads to its chart.
 *
 * @returns nothing for a company with a single period
 */
export function trendLinks(tables: Tables, { ticker, query }: CellAddress): (metric: string) => Markup {
  const { periods, shown, splits, view } = tables
  if (periods.length < minPeriods) return () => html``
  const columns = shownColumns(tables)
  const context = trendContext(periods)
  const { cell: _, ...page } = query
  return metric => {
    const cells = periods.map(({ key }): TrendCell | null => {
      const vintages = shown.vintages(metric, key)
      const cell = shownCell(vintages, splits.known, view)
      if (cell === null) return null
      return { value: cell.value, unit: currentOf(vintages)?.u ?? '', behind: cell.behind }
    })
    const label = metricLabel(metric)
    const isPercentage = isPercentageOf(metric)
    const { path, text, title } = trendOf(cells, columns, { ...context, label, isPercentage })
    return html`<a class="trend" href="${companyPath(ticker, { ...page, plot: metric })}#chart" title="${title}" aria-label="${title}"><svg class="spark" viewBox="0 0 120 32" width="60" height="16" preserveAspectRatio="none" aria-hidden="true"><path d="${path}"/></svg><span>${text}</span></a>`
  }
}

/** What the trends of all rows share. */
export const trendContext = (periods: readonly Period[]): Pick<TrendContext, 'labels' | 'yearBefore'> => ({
  labels: periods.map(periodLabel),
  yearBefore: yearsBefore(periods),
})

export const isPercentageOf = (metric: string): boolean => formOf(metric, 'pure') === 'percent'
