import { html, type Markup } from '../../../html.ts'
import { lengthName } from '../../statements/periodLength.ts'
import type { ReportedRow } from '../../statements/reportedSchema.ts'
import { barChart } from '../charts/barChart.ts'
import { amountTick } from './breakdownChart.ts'
import { exactValue } from './scales.ts'

/** A figure of a line for one period. */
export interface LinePoint {
  readonly period: Pick<ReportedRow, 'start' | 'end' | 'quarters' | 'fy' | 'fp'>
  readonly value: string
  readonly unit: string
  /** The filing that states it, and what else hovering shows. */
  readonly source: string
  /** What the first filing stated, if it is not the same. */
  readonly first?: { readonly value: string; readonly source: string }
}

/** A line over its periods, with a chart for each length of period and each unit. A single period makes no chart. */
export function lineCharts(label: string, points: readonly LinePoint[]): Markup {
  const groups = Map.groupBy(points, ({ period, unit }) => `${lengthName(period) ?? 'Balances'}, ${unit}`)
  const charts = [...groups]
    .filter(([, group]) => group.length > 1)
    .sort(([, [a]], [, [b]]) => a.period.quarters - b.period.quarters)
  return html`${charts.map(([title, group]) => {
    const inOrder = [...group].sort((a, b) => (a.period.end < b.period.end ? -1 : 1))
    const names = inOrder.map(({ period: { fy, fp } }) => (fy === null || fp === null ? null : `${fp} ${fy}`))
    const isNamed = !names.includes(null) && new Set(names).size === names.length
    return html`<h3>${title}</h3>
${barChart({
  label: `${label}: ${title}`,
  categories: inOrder.map(({ period: { end } }, at) => (isNamed ? (names[at] ?? end) : end)),
  series: [
    {
      name: label,
      bars: inOrder.map(({ value, unit, source, first }) => ({
        value: Number(value),
        title: [
          `${exactValue(value, unit)}, ${source}`,
          ...(first === undefined ? [] : [`first: ${exactValue(first.value, unit)}, ${first.source}`]),
        ].join('; '),
        ...(first === undefined ? {} : { ghost: Number(first.value) }),
      })),
    },
  ],
  tickText: amountTick,
})}`
  })}`
}

/**
 * For each period of a line, what the latest filing states and what the first one stated.
 *
 * @param rows the latest filing first
 * @param isChanged whether two values differ by more than their rounding
 */
export function pointsOf(
  rows: readonly ReportedRow[],
  isChanged: (row: ReportedRow, before: ReportedRow) => boolean,
): LinePoint[] {
  const stated = rows.filter(({ value }) => value !== null)
  const periods = Map.groupBy(stated, ({ start, end, quarters, unit }) =>
    JSON.stringify([lengthName({ start, end, quarters }), end, unit]),
  )
  return [...periods.values()].flatMap(group => {
    const [latest, first] = [mostAccurate(group, group.at(0)), mostAccurate(group, group.at(-1))]
    if (latest === null || first === null || latest.value === null || first.value === null) return []
    const { value, unit } = latest
    const point = { period: latest, value, unit, source: sourceOf(latest) }
    return isChanged(latest, first)
      ? [{ ...point, first: { value: first.value, source: sourceOf(first) } }]
      : [point]
  })
}

const sourceOf = ({ form, filed }: ReportedRow) => `${form} filed ${filed}`

/** A filing may state a figure in its statements, and rounded in its text. */
function mostAccurate(rows: readonly ReportedRow[], of: ReportedRow | undefined): ReportedRow | null {
  const own = rows.filter(({ accession }) => accession === of?.accession)
  const accuracy = ({ decimals }: ReportedRow) =>
    decimals === 'INF' ? Number.POSITIVE_INFINITY : (decimals ?? Number.NEGATIVE_INFINITY)
  return own.reduce<ReportedRow | null>(
    (best, row) => (best === null || accuracy(row) > accuracy(best) ? row : best),
    null,
  )
}
