/** The range of values from which a stated value may have been rounded. */
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

/** A per-share figure is stated to the cent, or more precisely if it shows more digits. */
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
 * The largest ratio accepted when several shares become several others. Above it, some fraction would fit any
 * exchange of shares in a merger within the rounding of the counts (LPA in 2024: 28.6 million shares became
 * 168,142,740, which fits 47:8).
 */
const maxOddRatio = 5
/** Stock dividends count from 4%, because smaller changes of a share count are indistinguishable from corrections. */
const minChange = 1.04

/**
 * Finds the fraction with the smallest terms in an interval among those by which companies split shares. The smaller
 * term is 1 and the larger at most 1,000, or the smaller is 2 to 20 and the larger at most five times as large. Returns
 * null if there is no such fraction or if the interval contains 1.
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
