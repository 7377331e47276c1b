import { inBothSizes } from '../../../backtest/report/chart/axes.ts'
import { lineChart } from '../../../backtest/report/chart/lineChart.ts'
import { dayNumber } from '../../../dates.ts'
import type { Markup } from '../../../html.ts'
import type { PriceList } from '../../prices/schema.ts'

export type PriceRow = PriceList['data'][number]

/**
 * The closes of one security in the shares of the last row: each close as traded, divided by the split factors of all later
 * rows. The rows are those known on a day, so a split that was not known then changes nothing. Where the closes as traded are
 * not known, they are as stated, which `isAdjusted` says.
 *
 * @param rows of one security, by day
 * @returns for each row its close; null: the day has none
 */
export function chartedCloses(rows: readonly PriceRow[]): {
  readonly isAdjusted: boolean
  readonly closes: readonly (number | null)[]
} {
  const isAdjusted = rows.every(({ close, close_as_traded }) => close === null || close_as_traded !== null)
  if (!isAdjusted) return { isAdjusted, closes: rows.map(({ close }) => close) }
  const closes = new Array<number | null>(rows.length)
  let laterSplits = 1
  for (let at = rows.length - 1; at >= 0; at--) {
    const { close_as_traded: close, split_factor: factor } = rows[at]
    closes[at] = close === null ? null : close / laterSplits
    laterSplits *= factor
  }
  return { isAdjusted, closes }
}

const height = 300

/**
 * A line through the closes of one security, drawn by the server. Days without a close are left out.
 *
 * @param number of the chart on the page
 */
export function priceChart(
  rows: readonly PriceRow[],
  { number, title, currency }: { readonly number: number; readonly title: string; readonly currency: string },
): Markup | false {
  const { closes } = chartedCloses(rows)
  const points = rows.flatMap(({ date }, at) => {
    const close = closes[at]
    return close === null ? [] : [{ date, close }]
  })
  if (points.length < 2) return false
  const [first] = points
  const last = points[points.length - 1]
  const line = {
    id: `closes-${number}`,
    title,
    description: `From ${shownPrice(first.close)} on ${first.date} to ${shownPrice(last.close)} ${currency} on ${last.date}.`,
    dates: points.map(({ date }) => date),
    days: Float64Array.from(points, ({ date }) => dayNumber(date)),
    values: points.map(({ close }) => close),
    base: first.close,
    isFilled: false,
    isLogarithmic: false,
    height,
    formatTick: tickText,
    formatPoint: (at: number) => `${shownPrice(points[at].close)} ${currency}`,
    isDetailed: true,
  }
  return inBothSizes(size => lineChart(line, size))
}

/**
 * As many digits as tell two ticks apart. The margin has room for about six characters, so large and small prices are
 * shortened.
 */
export function tickText(value: number, step: number): string {
  const decimals = Math.max(0, -powerOf(step))
  const isLarge = Math.abs(value) >= 100_000 || step >= 1_000
  if (value === 0) return '0'
  if (!isLarge && decimals <= 4)
    return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
  return value.toLocaleString('en-US', {
    notation: isLarge ? 'compact' : 'scientific',
    maximumSignificantDigits: Math.max(1, powerOf(Math.abs(value)) - powerOf(step) + 1),
  })
}

const powerOf = (value: number): number => Math.floor(Math.log10(value) + 1e-9)

/** A price that is rounded for reading: to cents, or to four digits below one. */
export const shownPrice = (value: number): string =>
  Math.abs(value) >= 1
    ? value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    : value.toLocaleString('en-US', { maximumSignificantDigits: 4 })
