/** All values that a stated value may have been rounded from. */
export interface Interval {
  readonly low: number
  readonly high: number
}

const maxCountUnit = 1e6
const maxPerShareUnit = 0.01

/** A share count is stated in units, thousands or millions: its trailing zeros may be rounded digits. */
export function statedCount(value: number): Interval {
  let unit = 1
  while (unit < maxCountUnit && value % (unit * 10) === 0) unit *= 10
  return { low: value - unit / 2, high: value + unit / 2 }
}

/** A per-share figure is stated to the cent, or to as many further digits as it shows. */
export function statedPerShare(value: number): Interval {
  const decimals = /\.(\d+)$/.exec(value.toFixed(6).replace(/0+$/, ''))?.[1].length ?? 0
  const unit = Math.min(maxPerShareUnit, 10 ** -decimals)
  return { low: value - unit / 2, high: value + unit / 2 }
}

/** `above` over `below`, times a factor. */
export function ratioOf(above: Interval, below: Interval, factor: number): Interval {
  // If the denominator may be zero or of either sign, there is no ratio: the interval contains everything and
  // proves nothing.
  if (below.low <= 0 && below.high >= 0)
    return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY }
  const ends = [above.low, above.high].flatMap(a => [below.low, below.high].map(b => (a / b) * factor))
  return { low: Math.min(...ends), high: Math.max(...ends) }
}

/** The intersection, which is empty if `low` exceeds `high`. */
export const commonOf = (a: Interval, b: Interval): Interval => ({
  low: Math.max(a.low, b.low),
  high: Math.min(a.high, b.high),
})

export interface Fraction {
  readonly numerator: number
  readonly denominator: number
}

const maxSmallSide = 20
/** The largest n in a split of n to 1 or 1 to n. */
const maxLargeSide = 1_000
/**
 * The largest ratio accepted when several shares become several others: beyond it, some fraction fits any
 * exchange of shares at a merger within the rounding of its counts (LPA 2024: 28.6 million became
 * 168,142,740, which 47:8 fits).
 */
const maxOddRatio = 5
/** Stock dividends count from 4%: smaller changes of a count cannot be told from a correction. */
const minChange = 1.04

/**
 * The fraction with the smallest terms in an interval, if shares are split by it: one to up to 1,000, or 2 to
 * 20 to up to five times as many. Null if there is none or it is 1.
 */
export function simplestFraction({ low, high }: Interval): Fraction | null {
  if (!(low > 0) || low > high || !Number.isFinite(high) || (low <= 1 && 1 <= high)) return null
  for (let small = 1; small <= maxSmallSide; small++) {
    // The larger side over `small`, or its inverse.
    const [from, to] = low > 1 ? [low * small, high * small] : [small / high, small / low]
    const large = Math.ceil(from)
    const max = small === 1 ? maxLargeSide : small * maxOddRatio
    if (large > to || large > max || large / small < minChange) continue
    return low > 1 ? { numerator: large, denominator: small } : { numerator: small, denominator: large }
  }
  return null
}
