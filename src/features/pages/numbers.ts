/** What a unit counts, which decides how its figures are shown. */
export type UnitKind = 'money' | 'shares' | 'other'

export const unitKind = (unit: string): UnitKind =>
  /^(iso4217:)?[A-Z]{3}$/.test(unit) ? 'money' : /^(xbrli:)?shares$/.test(unit) ? 'shares' : 'other'

/** `EarningsPerShareBasic`, `IncomeLossFromContinuingOperationsPerBasicShare`; not `StockIssuedDuringPeriodValueShares`. */
const perShareTag = /Per(?=[A-Z])[A-Za-z]*(Share|Unit)/

/** An amount with cents below this is one per share, or a rate. */
const minAmount = 1_000

/**
 * What the figures of a line count. Filings of 2009 state figures per share in plain dollars, and a scale of millions
 * would turn earnings of 1.38 per share into 0.00000138.
 *
 * @param amounts the line's figures in units of money, as stated
 */
export function isPerShare(tag: string, amounts: readonly string[]): boolean {
  if (perShareTag.test(tag)) return true
  return (
    amounts.some(value => value.includes('.')) && amounts.every(value => Math.abs(Number(value)) < minAmount)
  )
}

/** How many decimal places the figures of a kind are shifted: 6 for millions. */
export type Power = 0 | 3 | 6

export const powerNames: Readonly<Record<Power, string>> = { 0: '', 3: 'thousands', 6: 'millions' }

/** This share of the figures must be whole in a scale. The few others are shown with their decimals. */
const minWhole = 0.9

/**
 * The scale in which a statement shows its figures: the largest in which they are whole, so it is the one in which the
 * company presents them. Showing a figure never rounds it.
 *
 * @param values as stated
 */
export function powerOf(values: readonly string[]): Power {
  const stated = values.filter(value => value !== '0')
  const isScale = (power: Power) => {
    const whole = stated.filter(value => !value.includes('.') && value.endsWith('0'.repeat(power)))
    return stated.length > 0 && whole.length >= stated.length * minWhole
  }
  return isScale(6) ? 6 : isScale(3) ? 3 : 0
}

/** A plain decimal with thousands separators: all its digits, and its sign as a minus. */
export const exactDecimal = (plain: string): string => {
  const { sign, whole, fraction } = partsOf(plain)
  return `${sign}${grouped(whole)}${fraction === '' ? '' : `.${fraction}`}`
}

/**
 * A figure as statements show it, exactly: in its scale, with thousands separators, and in parentheses if it is
 * negative. Other figures than amounts and shares have at least two decimals if they have any, as those per share do.
 */
export function shownDecimal(plain: string, kind: UnitKind, power: Power): string {
  const { sign, whole, fraction } = partsOf(plain)
  const padded = whole.padStart(power + 1, '0')
  const point = padded.length - power
  const decimals = `${padded.slice(point)}${fraction}`.replace(/0+$/, '')
  const shown = kind === 'other' && decimals !== '' ? decimals.padEnd(2, '0') : decimals
  const text = `${grouped(padded.slice(0, point))}${shown === '' ? '' : `.${shown}`}`
  return sign === '' ? text : `(${text})`
}

function partsOf(plain: string): {
  readonly sign: string
  readonly whole: string
  readonly fraction: string
} {
  const [, sign = '', whole = plain, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(plain) ?? []
  return { sign, whole, fraction }
}

const grouped = (digits: string) => digits.replace(/\B(?=(\d{3})+$)/g, ',')
