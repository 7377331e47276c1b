import { type FigureContext, plainDecimal, type ReportedFigure, type WholeFiling } from './wholeFiling.ts'

/** All integers of this many digits are exact doubles. */
const maxDigits = 15
export const nilScale = 0
export const textScale = 1

/**
 * The figures of a filing as columns of numbers, in the order in which they were added. Readers of many figures fill them
 * directly: an object for each figure takes as long to make and to collect as all other reading.
 */
export class FigureColumns {
  readonly concepts = new Numbering<string>()
  readonly units = new Numbering<string>()
  readonly accuracies = new Numbering<number | null>()
  readonly contexts = new ContextNumbering()
  readonly conceptOf: number[] = []
  readonly contextOf: number[] = []
  readonly unitOf: number[] = []
  readonly accuracyOf: number[] = []
  /** `nilScale`, `textScale`, or the sign and the exponent of ten, which is a multiple of three if it is positive. */
  readonly scales: number[] = []
  /** The integer; for a number with more digits than a double has, the index of its text. */
  readonly digits: number[] = []
  readonly longValues: string[] = []

  get count(): number {
    return this.scales.length
  }

  /**
   * Adds a figure, unless its value is not a decimal number.
   *
   * @param value in any spelling; null if the fact is nil
   */
  add(
    concept: string,
    context: FigureContext,
    unit: string,
    decimals: number | null,
    value: string | null,
  ): boolean {
    if (value === null) this.#addValue(nilScale, 0)
    else if (!this.#addShort(value) && !this.#addLong(value)) return false
    this.conceptOf.push(this.concepts.number(concept))
    this.contextOf.push(this.contexts.number(context))
    this.unitOf.push(this.units.number(unit))
    this.accuracyOf.push(this.accuracies.number(decimals))
    return true
  }

  toFigures(): ReportedFigure[] {
    const [concepts, contexts] = [this.concepts.values, this.contexts.values]
    return this.scales.map((scale, at) => ({
      concept: concepts[this.conceptOf[at]],
      context: contexts[this.contextOf[at]],
      unit: this.units.values[this.unitOf[at]],
      decimals: this.accuracies.values[this.accuracyOf[at]],
      value: plainValueOf(scale, this.digits[at], this.longValues),
    }))
  }

  #addValue(scale: number, digits: number): void {
    this.scales.push(scale)
    this.digits.push(digits)
  }

  #addNumber(isNegative: boolean, integer: number, exponent: number): void {
    let rest = integer
    let scale = exponent
    // More exponents would compress worse: amounts are mostly in thousands or millions. Multiplying is several times as
    // fast as taking the remainder, and the quotient of a multiple is exact.
    while (scale >= 0 && rest >= 1_000) {
      const thousands = Math.floor(rest / 1_000)
      if (thousands * 1_000 !== rest) break
      rest = thousands
      scale += 3
    }
    this.#addValue(2 + zigzag(scale) * 2 + (isNegative && integer !== 0 ? 1 : 0), rest)
  }

  /** Adds a number that a double holds, without an exponent. */
  #addShort(text: string): boolean {
    const isNegative = text.charCodeAt(0) === 45
    let integer = 0
    let digits = 0
    let exponent = 0
    let zeros = 0
    let inFraction = false
    for (let at = isNegative ? 1 : 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 46 && !inFraction) inFraction = true
      else if (code < 48 || code > 57) return false
      else if (!inFraction) {
        integer = integer * 10 + (code - 48)
        digits++
      } else if (code === 48) zeros++
      else {
        for (; zeros > 0; zeros--) {
          integer *= 10
          exponent--
          digits++
        }
        integer = integer * 10 + (code - 48)
        exponent--
        digits++
      }
      if (digits > maxDigits) return false
    }
    if (digits === 0) return false
    this.#addNumber(isNegative, integer, exponent)
    return true
  }

  #addLong(text: string): boolean {
    // `plainDecimal` may write more digits than it reads: 1e400.
    const plain = longDecimal.test(text) && text.length <= maxPlainLength ? text : plainDecimal(text)
    if (plain === null) return false
    if (!this.#addShort(plain)) {
      this.#addValue(textScale, this.longValues.length)
      this.longValues.push(plain)
    }
    return true
  }
}

/** The form in which `plainDecimal` writes numbers. */
const longDecimal = /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/
/** No number that `plainDecimal` writes is longer: it reads 200 characters and an exponent of three digits. */
const maxPlainLength = 1_300

/** Numbers distinct values in order of their first appearance. */
export class Numbering<T> {
  readonly values: T[] = []
  readonly #numbers = new Map<T, number>()
  #last: T | undefined
  #lastNumber = 0

  number(value: T): number {
    if (value === this.#last) return this.#lastNumber
    this.#last = value
    this.#lastNumber = this.#lookUp(value)
    return this.#lastNumber
  }

  #lookUp(value: T): number {
    const known = this.#numbers.get(value)
    if (known !== undefined) return known
    const added = this.values.length
    this.#numbers.set(value, added)
    this.values.push(value)
    return added
  }
}

/** Numbers the contexts of a filing. Equal contexts get one number, even if they are separate objects. */
class ContextNumbering {
  readonly values: FigureContext[] = []
  readonly #byObject = new Map<FigureContext, number>()
  readonly #byContent = new Map<string, number>()
  #last: FigureContext | undefined
  #lastNumber = 0

  number(context: FigureContext): number {
    if (context === this.#last) return this.#lastNumber
    this.#last = context
    this.#lastNumber = this.#byObject.get(context) ?? this.#add(context)
    return this.#lastNumber
  }

  #add(context: FigureContext): number {
    const { start, end, quarters, dimensions } = context
    const members =
      dimensions.length === 0 ? '' : JSON.stringify(dimensions.flatMap(each => [each.axis, each.member]))
    const content = `${start} ${end} ${quarters} ${members}`
    const number = this.#byContent.get(content) ?? this.values.length
    if (number === this.values.length) {
      this.#byContent.set(content, number)
      this.values.push(context)
    }
    this.#byObject.set(context, number)
    return number
  }
}

export const zigzag = (value: number) => (value < 0 ? -value * 2 - 1 : value * 2)
export const unzigzag = (coded: number) => (coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2)

/** The plain decimal number of a scale and its digits. */
function plainValueOf(scale: number, digits: number, longValues: readonly string[]): string | null {
  if (scale === nilScale) return null
  return scale === textScale ? longValues[digits] : plainOf(scale, digits)
}

const powersOfTen = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent)

export function plainOf(scale: number, digits: number): string {
  const isNegative = (scale - 2) % 2 === 1
  const exponent = unzigzag((scale - 2 - (isNegative ? 1 : 0)) / 2)
  const scaled = exponent >= 0 && exponent < powersOfTen.length ? digits * powersOfTen[exponent] : Number.NaN
  // Nearly all figures: the number is exact.
  if (scaled <= Number.MAX_SAFE_INTEGER) return isNegative ? `-${scaled}` : String(scaled)
  const integer = String(digits)
  const sign = isNegative ? '-' : ''
  if (exponent >= 0) return sign + (integer === '0' ? '0' : integer + '0'.repeat(exponent))
  const padded = integer.padStart(1 - exponent, '0')
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`
}

const columnsByFiling = new WeakMap<object, FigureColumns>()

/** A whole filing whose figures become objects when they are read, not to be changed any more. */
export function columnarFiling(columns: FigureColumns, others: Omit<WholeFiling, 'figures'>): WholeFiling {
  const filing: WholeFiling = {
    ...others,
    get figures() {
      return columns.toFigures()
    },
  }
  columnsByFiling.set(filing, columns)
  return filing
}

/** The figures of a filing as columns. */
export function columnsOf(filing: Pick<WholeFiling, 'figures'>): FigureColumns {
  const known = columnsByFiling.get(filing)
  if (known !== undefined) return known
  const columns = new FigureColumns()
  for (const { concept, context, unit, decimals, value } of filing.figures)
    if (!columns.add(concept, context, unit, decimals, value))
      throw new Error(`${concept} has the value ${value}, which is not a decimal number`)
  return columns
}

export const figureCountOf = (filing: Pick<WholeFiling, 'figures'>): number =>
  columnsByFiling.get(filing)?.count ?? filing.figures.length
