/** How the cells of a column are rounded, as far as its values show. */
export interface Rounding {
  /** Cells are multiples of this, a power of ten; 0: none was found. */
  readonly unit: number
  /** The significant digits to which cells are rounded; 0: none were found. */
  readonly digits: number
  /** Whether every cell has passed through a 32-bit float. */
  readonly isSingle: boolean
}

export const unrounded: Rounding = { unit: 0, digits: 0, isSingle: false }

/** With fewer values, trailing zeros may be chance: of five numbers, all end in one in a case of 100,000. */
const fewestValues = 5
/** A double that was computed rather than rounded has more digits than this. */
const mostDigits = 12
/** A 32-bit float with more digits is not a rounded number. */
const mostDigitsOfSingle = 7
const mostDigitsOf = (isSingle: boolean): number => (isSingle ? mostDigitsOfSingle : mostDigits)
/** A number with so many digits is a 32-bit float by chance in one case of 100. */
const tellingDigits = 9
/** Rounding leaves a last digit other than zero in nine of ten numbers, so a rounding that half of the cells break is none. */
const brokenShare = 0.5
/**
 * So many cells may have more digits than the column is rounded to: a column may contain cells in another scale, or
 * divided by a split. They are taken at their own precision.
 */
const finerShare = 0.1

/**
 * Finds how the values of a column are rounded: to a power of ten, to significant digits, or both as far as the values
 * show. The two differ only in large cells, which have no digits down to the unit if they are rounded to digits, and in
 * small ones, which have digits below the unit.
 *
 * @param values may repeat; NaN and 0 are ignored
 */
export function findRounding(values: Float64Array): Rounding {
  const isSingle = areSingle(values)
  const classes = new Map<string, DigitClass>()
  const distinct = new Set<number>()
  let [count, computed] = [0, 0]
  for (const value of values) {
    if (Number.isNaN(value) || value === 0) continue
    count++
    if (distinct.size < fewestValues) distinct.add(Math.abs(value))
    const { place, digits } = lastPlace(isSingle ? shortestSingle(value) : value)
    if (digits > mostDigitsOf(isSingle)) {
      computed++
      continue
    }
    const found = classes.get(`${place} ${digits}`)
    if (found === undefined) classes.set(`${place} ${digits}`, { place, digits, count: 1 })
    else found.count++
  }
  if (distinct.size < fewestValues) return unrounded
  const spared = finerShare * count - computed
  if (spared < 0) return { ...unrounded, isSingle }
  return { ...commonRounding([...classes.values()], spared), isSingle }
}

/** Cells whose last digit other than zero is at one power of ten, with as many digits. */
interface DigitClass {
  readonly place: number
  readonly digits: number
  count: number
}

function commonRounding(classes: readonly DigitClass[], spared: number): Omit<Rounding, 'isSingle'> {
  const lowest = Math.min(...classes.map(({ place }) => place))
  let unit = firstBeyond(classes, one => one.place, spared)
  let digits = -firstBeyond(classes, one => -one.digits, spared)
  // The power of ten to which digits round a cell, which has its first digit at `place + digits - 1`.
  const placeOf = (one: DigitClass, ofDigits: number) => one.place + one.digits - ofDigits
  const isBroken = (cells: readonly DigitClass[], breaks: (one: DigitClass) => boolean) =>
    cells.length > 0 && sum(cells.filter(breaks)) > brokenShare * sum(cells)
  const small = () => classes.filter(one => placeOf(one, digits) < unit)
  while (unit > lowest && isBroken(small(), ({ place }) => place < unit)) unit--
  const large = () => classes.filter(one => placeOf(one, digits) > unit)
  while (isBroken(large(), one => one.place < placeOf(one, digits))) digits++
  return { unit: 10 ** unit, digits: large().length === 0 ? 0 : digits }
}

const sum = (classes: readonly DigitClass[]) => classes.reduce((all, { count }) => all + count, 0)

/** The lowest number of the classes, but for the lowest `spared` cells. */
function firstBeyond(
  classes: readonly DigitClass[],
  numberOf: (one: DigitClass) => number,
  spared: number,
): number {
  const sorted = [...classes].sort((a, b) => numberOf(a) - numberOf(b))
  let before = 0
  const found = sorted.find(({ count }) => {
    before += count
    return before > spared
  })
  return numberOf(found ?? sorted[sorted.length - 1])
}

/** The power of ten of a number's last digit other than zero, and how many digits it has up to there. */
function lastPlace(value: number): { place: number; digits: number } {
  const [mantissa, exponent] = Math.abs(value).toExponential().split('e')
  const digits = mantissa.length === 1 ? 1 : mantissa.length - 1
  return { place: Number(exponent) - digits + 1, digits }
}

/** Whether all values are 32-bit floats, or their shortest decimals, and enough of them have so many digits that this is no chance. */
function areSingle(values: Float64Array): boolean {
  const telling = new Set<number>()
  for (const value of values) {
    if (Number.isNaN(value) || value === 0) continue
    if (Math.fround(value) !== value && shortestSingle(value) !== value) return false
    if (telling.size < fewestValues && lastPlace(value).digits >= tellingDigits) telling.add(Math.abs(value))
  }
  return telling.size === fewestValues
}

/** The decimal with the fewest digits that is the same 32-bit float. */
function shortestSingle(value: number): number {
  const single = Math.fround(value)
  for (let digits = 6; digits < 9; digits++) {
    const decimal = Number(value.toPrecision(digits))
    if (Math.fround(decimal) === single) return decimal
  }
  return Number(value.toPrecision(9))
}

/** Equal but for the last digits of a double, in which two computations of one number may differ. */
export const equalTolerance = 1e-12

export const isEqual = (a: number, b: number): boolean =>
  a === b || Math.abs(a - b) <= equalTolerance * Math.max(Math.abs(a), Math.abs(b))

/**
 * By how much a figure may differ from a cell that shows it rounded. A cell with more digits than the column is rounded
 * to was not rounded so, and may differ by half of its own last digit.
 *
 * @param value the cell, in the unit of the column
 */
export function roundingTolerance({ unit, digits, isSingle }: Rounding, value: number): number {
  const size = Math.abs(isSingle ? shortestSingle(value) : value)
  if (size === 0) return unit / 2
  const place = 10 ** (Math.floor(Math.log10(size)) - digits + 1)
  const isOfUnit = unit > 0 && isMultiple(size, unit)
  let half = 0
  if (isOfUnit && digits === 0) half = unit / 2
  else if (isOfUnit && isMultiple(size, place)) half = Math.max(unit, place) / 2
  else {
    const own = lastPlace(size)
    if (own.digits > mostDigitsOf(isSingle))
      half = isSingle || Math.fround(value) !== value ? 0 : size * 2 ** -24
    else if (unit > 0) half = 10 ** own.place / 2
  }
  if (isSingle) half += size * 2 ** -24
  // The borders belong to the rounding, whichever way a half is rounded.
  return half * (1 + 1e-9)
}

/** Whether a number is a multiple of a power of ten. The quotient of two doubles is not exact. */
function isMultiple(size: number, unit: number): boolean {
  const times = size / unit
  return Math.abs(times - Math.round(times)) <= 1e-3
}

/**
 * Whether a cell has at least three digits of its rounding. With fewer, it equals some other figure of the company by
 * chance too easily to say more than whether it can be the known one.
 *
 * @param tolerance the rounding tolerance of the cell
 */
export const isDistinctive = (tolerance: number, value: number): boolean =>
  Math.abs(value) >= 2 * 99.5 * tolerance * (1 - 1e-6)
