export { changeInPercent, shownChange } from '../../http/pages/assets/trends.js'

/** How a figure is shown. */
export type FigureForm = 'amount' | 'shares' | 'perShare' | 'percent' | 'ratio' | 'count'

/** The unit in which a page shows amounts. */
export interface Scale {
  readonly divisor: number
  /** The name used in headings. */
  readonly name: string
}

const millions: Scale = { divisor: 1e6, name: 'millions' }
const thousands: Scale = { divisor: 1e3, name: 'thousands' }
const ones: Scale = { divisor: 1, name: 'units' }

/**
 * Amounts are shown in millions. A small company's would all be zero, so they are shown in thousands or in
 * full.
 */
export function scaleOf(amounts: Iterable<number>): Scale {
  let largest = 0
  for (const amount of amounts) if (Math.abs(amount) > largest) largest = Math.abs(amount)
  if (largest >= 100e6 || largest === 0) return millions
  return largest >= 100e3 ? thousands : ones
}

const percentMetrics = /((_margin|^roe|^roa)(_ttm)?|_yield)$/

/** How figures of this unit are shown. The unit alone does not say that margins are percentages. */
export function formOf(metric: string, unit: string): FigureForm {
  if (unit === 'pure') return percentMetrics.test(metric) ? 'percent' : 'ratio'
  if (unit === 'shares') return 'shares'
  if (unit.endsWith('/shares')) return 'perShare'
  return /^[A-Z]{3}$/.test(unit) ? 'amount' : 'count'
}

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const oneDigit = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const twoDigits = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** The figure as a cell shows it: 36,537 for 36,537,000,000 dollars, 22.5% for .2254. */
export function shownFigure(value: number, form: FigureForm, scale: Scale): string {
  switch (form) {
    case 'amount':
    case 'shares':
      return scaled(value / scale.divisor, scale)
    case 'percent':
      return noMinusZero(`${oneDigit.format(value * 100)}%`)
    case 'perShare':
    case 'ratio':
      return noMinusZero(twoDigits.format(value))
    case 'count':
      return whole.format(value)
    default: {
      const missing: never = form
      return missing
    }
  }
}

/** Amounts below ten get one more digit, so that 3.4 and 3.9 differ. */
const scaled = (value: number, { divisor }: Scale): string =>
  noMinusZero(
    divisor > 1 && value !== 0 && Math.abs(value) < 9.95 ? oneDigit.format(value) : whole.format(value),
  )

const noMinusZero = (text: string) => (/^-[0.,]*%?$/.test(text) ? text.slice(1) : text)

/**
 * The figure with all its digits. A fraction is written as JSON writes it, because a formatter would add
 * spurious digits.
 */
export const exactFigure = (value: number): string =>
  Number.isInteger(value) ? whole.format(value) : String(value)
