/**
 * A filing as the company submitted it: every figure, and the statements that present them. Days are counted
 * from 1970-01-01. Concepts, axes and members carry the prefix of their taxonomy (`us-gaap:Assets`,
 * `aapl:IPhoneMember`), unless the source omits it.
 */
export interface WholeFiling {
  readonly accession: string
  /** The taxonomy version of each prefix, as the source names it: `us-gaap/2009`, or a namespace. */
  readonly taxonomies: ReadonlyMap<string, string>
  /**
   * Every numeric fact, including repeated and contradictory ones, in no particular order because sources have
   * none.
   */
  readonly figures: readonly ReportedFigure[]
  readonly statements: readonly Statement[]
  /** Totals that the filing itself states (calculation linkbase). */
  readonly sums: readonly Sum[]
  /** By axis, the member that a figure without that axis belongs to (definition linkbase). */
  readonly defaultMembers: ReadonlyMap<string, string>
}

export interface ReportedFigure {
  readonly concept: string
  /** Figures of a filing share these objects, which makes storing them fast. */
  readonly context: FigureContext
  /** `USD`, `shares`, `USD/shares`; data sets omit `/shares`. */
  readonly unit: string
  /** The stated accuracy: -6 for millions, Infinity for exact; null if the source does not state it. */
  readonly decimals: number | null
  /** A plain decimal number as `plainDecimal` writes it, never rounded; null if the fact is nil. */
  readonly value: string | null
}

export interface FigureContext {
  /** First day; null for an instant and for data sets, which only count quarters. */
  readonly start: number | null
  /** Last day; for an instant, the day that ends at that instant. */
  readonly end: number
  /** The length in quarters that a data set states; 0 for an instant. Null if the days are exact. */
  readonly quarters: number | null
  /** Sorted by axis; empty for the whole company. */
  readonly dimensions: readonly Dimension[]
}

export interface Dimension {
  readonly axis: string
  /** The text of a typed dimension's member. */
  readonly member: string
}

/** The axis under which the `coreg` column of a data set is stored. */
export const coRegistrantAxis = 'coreg'

/** Kinds as the data sets name them: CP cover page, UN unclassifiable. */
export const statementKinds = ['BS', 'IS', 'CF', 'EQ', 'CI', 'SI', 'CP', 'UN'] as const
export type StatementKind = (typeof statementKinds)[number]

export interface Statement {
  /** The role of the linkbase; for a data set, the number of the report. */
  readonly role: string
  readonly title: string | null
  /** Null if the source does not classify its statements. */
  readonly kind: StatementKind | null
  readonly parenthetical: boolean
  /**
   * What all figures of the statement have in common, where one filing has the same statement twice: that of the
   * company alone beside that of its group. Omitted if they need not have anything in common.
   */
  readonly dimensions?: readonly Dimension[]
  readonly lines: readonly StatementLine[]
}

export interface StatementLine {
  /** Ascending in a statement. Data sets leave out lines without figures, so there may be gaps. */
  readonly order: number
  readonly concept: string
  /** 0 for the root of the presentation; null if the source does not state it. */
  readonly depth: number | null
  /** The company's own words; null if the source has no label. */
  readonly label: string | null
  /** The role of the label that the presentation prefers; null for the standard label. */
  readonly labelRole: string | null
  /** True if the sign is shown reversed. It never changes the figure. */
  readonly negated: boolean
}

export interface Sum {
  readonly role: string
  readonly total: string
  readonly items: readonly { readonly concept: string; readonly weight: number }[]
}

/**
 * Writes a decimal number in its canonical form: no plus sign, no leading zeros, no trailing zeros in the fraction
 * and no exponent. The value is never rounded. Returns null if the text is not a decimal number.
 */
export function plainDecimal(text: string): string | null {
  // Nearly all figures. A number is exact up to 15 digits, and its text does not share the memory of a document's text.
  if (/^-?\d{1,15}$/.test(text)) return String(Number(text))
  if (text.length > maxDecimalLength) return null
  return shortDecimal(text) ?? anyDecimal(text)
}

/**
 * `plainDecimal` of most figures, three times as fast: numbers that a double holds exactly, without an exponent. Null
 * for all other texts.
 */
function shortDecimal(text: string): string | null {
  const isNegative = text.charCodeAt(0) === 45
  let point = -1
  let lastDigit = -1
  for (let at = isNegative ? 1 : 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 46 && point < 0) point = at
    else if (code < 48 || code > 57) return null
    else if (point < 0 || code !== 48) lastDigit = at
  }
  const digits = lastDigit + 1 - (isNegative ? 1 : 0) - (point >= 0 && lastDigit > point ? 1 : 0)
  if (digits < 1 || digits > maxExactDigits) return null
  const value = Number(text)
  // Smaller numbers are written with an exponent.
  return lastDigit > point && point >= 0 && Math.abs(value) < 1e-6 ? null : String(value + 0)
}

/** All decimal numbers of so many digits differ as doubles. */
const maxExactDigits = 15

function anyDecimal(text: string): string | null {
  const parts = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text)
  if (parts === null) return null
  const [, sign, whole, fraction = '', exponent = '0'] = parts
  if (whole === '' && fraction === '') return null
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const at = Math.max(point, 1)
  const plainWhole = padded.slice(0, at).replace(/^0+(?=\d)/, '')
  const plainFraction = padded.slice(at).replace(/0+$/, '')
  const unsigned = plainFraction === '' ? plainWhole : `${plainWhole}.${plainFraction}`
  return sign === '-' && unsigned !== '0' ? `-${unsigned}` : unsigned
}

const maxDecimalLength = 200
