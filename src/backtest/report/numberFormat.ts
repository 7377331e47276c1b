/** Shown for a missing value instead of 0. */
export const dash = '–'

type Value = number | null | undefined

/** A ratio such as a Sharpe ratio, or the value of 1 invested. */
export const ratio = (value: Value, digits = 2) => orDash(value, x => fixed(x, digits, 'negative'))

/** A fraction as a percentage. */
export const percent = (value: Value, digits = 1) =>
  orDash(value, x => `${fixed(x * 100, digits, 'negative')}%`)

/** A fraction that is a gain or a loss, as a signed percentage. */
export const signedPercent = (value: Value, digits = 1) =>
  orDash(value, x => `${fixed(x * 100, digits, 'exceptZero')}%`)

export const basisPoints = (value: Value, digits = 1) =>
  orDash(value, x => `${fixed(x, Number.isInteger(x) ? 0 : digits, 'negative')} bps`)

export const count = (value: Value) => orDash(value, x => fixed(x, Number.isInteger(x) ? 0 : 1, 'negative'))

/** A probability, never rounded to impossible or certain. */
export const probability = (value: Value) =>
  orDash(value, x => {
    if (x < 0.001) return 'less than 0.1%'
    if (x > 0.999) return 'more than 99.9%'
    return percent(x)
  })

/** A p-value counted in resamples. If none of 1,000 exceeds the record it is `< 1/1,000`, because a count
 * cannot show more. */
export const pValue = (value: Value, resamples: number) =>
  value === 0 ? `< 1/${count(resamples)}` : orDash(value, x => (x < 0.001 ? ratio(x, 5) : percent(x)))

/** Periods as years, or as months or days if they are less than a year: a short record is never shown as `0.0
 * years`. */
export function duration(periods: number, periodsPerYear: number): string {
  const years = periods / periodsPerYear
  if (years >= 0.95) return `${ratio(years, 1)} years`
  const months = Math.round(12 * years)
  return months >= 1 ? plural(months, 'month') : plural(Math.max(1, Math.round(365.25 * years)), 'day')
}

/** `1 period`, `2 periods`. */
export const plural = (value: number, one: string, many = `${one}s`) =>
  `${count(value)} ${value === 1 ? one : many}`

function orDash(value: Value, format: (value: number) => string): string {
  return value === null || value === undefined || !Number.isFinite(value) ? dash : format(value)
}

/** Cached, because a tear sheet formats thousands of numbers, and each Intl.NumberFormat is slow to build. */
const formatters = new Map<string, Intl.NumberFormat>()

function fixed(value: number, digits: number, signDisplay: 'negative' | 'exceptZero'): string {
  const key = `${digits} ${signDisplay}`
  let formatter = formatters.get(key)
  if (formatter === undefined) {
    formatter = new Intl.NumberFormat('en-US', {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      signDisplay,
    })
    formatters.set(key, formatter)
  }
  const text = Math.abs(value) < 1e9 ? formatter.format(value) : value.toExponential(2)
  return text.replace('-', '−')
}
