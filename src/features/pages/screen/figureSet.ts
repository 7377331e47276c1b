import type { Markets } from '../../../markets/markets.ts'
import { findValuation } from '../../../markets/valuations.ts'
import type { ScreenedCompany } from '../../crossSection/table.ts'
import { exactFigure, type FigureForm, formOf, shownFigure } from '../figures.ts'

/** A column of a screen: how its figures are shown, and in which currency they can be compared. */
export interface ScreenColumn {
  readonly metric: string
  readonly form: FigureForm
  /** Null if the figures are not money. */
  readonly currency: string | null
}

const millions = { divisor: 1e6, name: 'millions' } as const

/** @param currency in which amounts are compared */
export function screenColumn(
  { metrics }: Pick<Markets, 'metrics'>,
  metric: string,
  currency: string,
): ScreenColumn {
  const unit = (metrics.get(metric) ?? findValuation(metric))?.unit ?? 'pure'
  const named = unit === 'currency' ? 'USD' : unit === 'currency/share' ? 'USD/shares' : unit
  const isMoney = unit === 'currency' || unit === 'currency/share'
  return { metric, form: formOf(metric, named), currency: isMoney ? currency : null }
}

export const cellText = ({ form }: ScreenColumn, value: number): string => shownFigure(value, form, millions)

/** `millions of USD`, `USD per share`, or '' for percentages and ratios. */
export function columnUnit({ form, currency }: ScreenColumn): string {
  switch (form) {
    case 'amount':
      return `millions of ${currency}`
    case 'perShare':
      return `${currency} per share`
    case 'shares':
      return 'millions of shares'
    case 'percent':
    case 'ratio':
    case 'count':
      return ''
    default: {
      const missing: never = form
      return missing
    }
  }
}

/** A figure as a sentence names it: `8,615 million USD`, `12.5%`. */
export function figureText(column: ScreenColumn, value: number): string {
  const { form, currency } = column
  const text = cellText(column, value)
  if (form === 'amount') return `${text} million ${currency}`
  if (form === 'shares') return `${text} million`
  return form === 'perShare' ? `${text} ${currency}` : text
}

/** A figure with all its digits and its unit. */
export function exactText({ form, currency }: ScreenColumn, value: number): string {
  if (form === 'percent') return `${exactFigure(Number((value * 100).toPrecision(15)))}%`
  const unit = form === 'amount' || form === 'perShare' ? ` ${currency}` : form === 'shares' ? ' shares' : ''
  return `${exactFigure(value)}${unit}`
}

const units: readonly (readonly [number, string])[] = [
  [1e12, 'tn'],
  [1e9, 'bn'],
  [1e6, 'm'],
  [1e3, 'k'],
]

/** A round figure in a few characters: 2.5bn, 15%. */
export function shortText({ form }: ScreenColumn, value: number): string {
  if (form === 'percent') return `${Number((value * 100).toPrecision(12))}%`
  const [divisor, suffix] = units.find(([size]) => Math.abs(value) >= size) ?? [1, '']
  return `${Number((value / divisor).toPrecision(12))}${suffix}`
}

/** The figures of a column that can be compared, ascending. */
export interface FigureSet {
  readonly values: Float64Array
  /** How many companies have the figure in another currency. */
  readonly otherCurrency: number
}

export function figureSet(
  companies: readonly ScreenedCompany[],
  { metric, currency }: ScreenColumn,
): FigureSet {
  const values: number[] = []
  let otherCurrency = 0
  for (const { figures } of companies) {
    const figure = figures.get(metric)
    if (figure === undefined) continue
    if (currency === null || figure.unit.split('/')[0] === currency) values.push(figure.value)
    else otherCurrency++
  }
  return { values: Float64Array.from(values).sort(), otherCurrency }
}

/** The middle figure, or the mean of the two middle ones. Null if there is none. */
export function medianOf({ values }: FigureSet): number | null {
  if (values.length === 0) return null
  const middle = values.length >> 1
  return values.length % 2 === 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
}
