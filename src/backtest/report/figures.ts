/** What stands for a value that does not exist. Never 0. */
export const dash = '–'

type Value = number | null | undefined

const formats = new Map<string, Intl.NumberFormat>()

function format(value: number, digits: number, sign: 'negative' | 'exceptZero'): string {
  const key = `${digits} ${sign}`
  let known = formats.get(key)
  if (known === undefined) {
    known = new Intl.NumberFormat('en-US', {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      signDisplay: sign,
    })
    formats.set(key, known)
  }
  const text = Math.abs(value) < 1e9 ? known.format(value) : value.toExponential(2)
  return text.replace('-', '−')
}

function written(value: Value, write: (value: number) => string): string {
  return value === null || value === undefined || !Number.isFinite(value) ? dash : write(value)
}

/** A ratio such as a Sharpe ratio, or the value of 1. */
export const ratio = (value: Value, digits = 2) => written(value, x => format(x, digits, 'negative'))

/** A fraction, as percent. */
export const percent = (value: Value, digits = 1) =>
  written(value, x => `${format(x * 100, digits, 'negative')}%`)

/** A fraction that is a gain or a loss, as percent with its sign. */
export const gain = (value: Value, digits = 1) =>
  written(value, x => `${format(x * 100, digits, 'exceptZero')}%`)

export const basisPoints = (value: Value, digits = 1) =>
  written(value, x => `${format(x, Number.isInteger(x) ? 0 : digits, 'negative')} bps`)

export const count = (value: Value) => written(value, x => format(x, Number.isInteger(x) ? 0 : 1, 'negative'))

/** A probability, never rounded to impossible or certain. */
export const chance = (value: Value) =>
  written(value, x => {
    if (x < 0.001) return 'less than 0.1%'
    if (x > 0.999) return 'more than 99.9%'
    return percent(x)
  })

/** `1 period`, `2 periods`. */
export const counted = (value: number, one: string, many = `${one}s`) =>
  `${count(value)} ${value === 1 ? one : many}`
