const powersOfTen = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`))
const inversePowers = powersOfTen.map(power => 1 / power)
const splitter = 134_217_729 // 2^27 + 1

/** The double nearest to (head 10^tailDigits + tail) 10^exponent, or NaN where this way cannot tell and the runtime's
 * own, ten times slower, conversion has to.
 *
 * Up to 15 digits are an exact integer, and 10^22 an exact double: one operation rounds once (Clinger 1990). With more,
 * the quotient is computed to about 100 bits (two doubles, Dekker 1971); if moving it by more than its error does not
 * change the rounding, the rounding is right.
 *
 * @param head at most 9 digits, the first not 0 unless there is no other
 * @param tail at most 15 digits */
export function decimalToDouble(
  head: number,
  headDigits: number,
  tail: number,
  tailDigits: number,
  exponent: number,
): number {
  if (tailDigits > 15 || exponent < -22 || exponent > 22) return head + tail === 0 ? 0 : Number.NaN
  const scale = powersOfTen[tailDigits]
  const product = head * scale
  const whole = product + tail
  if (headDigits + tailDigits <= 15) {
    return exponent < 0 ? whole / powersOfTen[-exponent] : whole * powersOfTen[exponent]
  }
  if (exponent >= 0) return Number.NaN
  const wholeLow = productError(head, scale, product) + (tail - (whole - product))
  const power = powersOfTen[-exponent]
  const quotient = whole / power
  const back = quotient * power
  const rest = whole - back - productError(quotient, power, back) + wholeLow
  const quotientLow = rest * inversePowers[-exponent]
  const slack = quotient * 1e-29
  const rounded = quotient + (quotientLow - slack)
  return rounded === quotient + (quotientLow + slack) ? rounded : Number.NaN
}

/** a * b - product, exactly. */
function productError(a: number, b: number, product: number): number {
  const aBig = splitter * a
  const aHigh = aBig - (aBig - a)
  const aLow = a - aHigh
  const bBig = splitter * b
  const bHigh = bBig - (bBig - b)
  const bLow = b - bHigh
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)
}
