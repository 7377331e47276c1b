/**
 * Longer texts are neither numbers nor dates. Without this limit the patterns below take quadratic time: two
 * minutes for 300,000 characters.
 */
const maxShownLength = 200

/**
 * Converts a displayed number to a plain one without sign, by the transformation that the format names. Null
 * if the text does not match the format; undefined if the format is unknown. Reference: Inline XBRL
 * Transformation Registry, 2010-04-20 to 4.
 */
export function plainNumber(text: string, format: string): string | null | undefined {
  if (text.replace(/\s+/g, ' ').length > maxShownLength) return null
  switch (baseName(format)) {
    case '':
      return matched(text, /^\d+(\.\d+)?$/)
    case 'numdotdecimal':
    case 'numcommadot':
    case 'numspacedot':
      return matched(text.replace(/[,\s]/g, ''), /^(\d+(\.\d+)?|\.\d+)$/)
    case 'numcommadecimal':
    case 'numdotcomma':
    case 'numspacecomma':
      return matched(text.replace(/[.\s]/g, '').replace(',', '.'), /^(\d+(\.\d+)?|\.\d+)$/)
    case 'numunitdecimal': {
      const parts = /^([\d,]+)\D+(\d{1,2})\D*$/.exec(text.replace(/\s/g, ''))
      return parts ? `${parts[1].replaceAll(',', '')}.${parts[2].padStart(2, '0')}` : null
    }
    case 'numdash':
    case 'zerodash':
      return /^[-‐-―－−]$/.test(text) ? '0' : null
    case 'fixedzero':
      return '0'
    case 'numwordsen':
      return numberInWords(text)
    default:
      return undefined
  }
}

const smallNumbers =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const largeNumbers = ['thousand', 'million', 'billion', 'trillion']

/** `one hundred and twenty-five thousand`; null if a word is not part of an English number. */
function numberInWords(text: string): string | null {
  const words = text
    .toLowerCase()
    .split(/[\s,-]+/)
    .filter(word => word !== '' && word !== 'and')
  if (words.length === 0) return null
  if (words.length === 1 && /^(no|none|nil)$/.test(words[0])) return '0'
  let total = 0
  let group = 0
  for (const word of words) {
    if (word === 'hundred') group = Math.max(group, 1) * 100
    else if (largeNumbers.includes(word)) {
      total += Math.max(group, 1) * 1000 ** (largeNumbers.indexOf(word) + 1)
      group = 0
    } else {
      const small = smallNumbers.indexOf(word)
      const ten = tens.indexOf(word)
      if (small < 0 && ten < 0) return null
      group += small >= 0 ? small : (ten + 2) * 10
    }
  }
  return String(total + group)
}

/**
 * Converts a displayed text that is not a number: Japanese dates become `YYYY-MM-DD`, fixed formats their
 * fixed value.
 */
export function plainText(text: string, format: string): string {
  if (text.length > maxShownLength) return text
  switch (baseName(format)) {
    case 'dateyearmonthdaycjk':
    case 'dateyearmonthday':
      return isoDateOf(text, 0)
    case 'dateerayearmonthdayjp':
      return isoDateOf(text, yearBeforeEra(text))
    case 'booleantrue':
    case 'fixedtrue':
      return 'true'
    case 'booleanfalse':
    case 'fixedfalse':
      return 'false'
    case 'nocontent':
    case 'fixedempty':
      return ''
    default:
      return text
  }
}

/**
 * The name that all registry versions share: `numdotdecimal` for `ixt:numdotdecimal` and
 * `ixt4:num-dot-decimal`.
 */
const baseName = (format: string) => format.slice(format.indexOf(':') + 1).replaceAll('-', '')

const matched = (text: string, pattern: RegExp) => (pattern.test(text) ? text : null)

/** The year before the first year of each Japanese era. */
const yearsBeforeEras = { 令和: 2018, 平成: 1988, 昭和: 1925 } as const

function yearBeforeEra(text: string): number {
  for (const [era, yearBefore] of Object.entries(yearsBeforeEras)) if (text.includes(era)) return yearBefore
  return Number.NaN
}

function isoDateOf(text: string, yearBefore: number): string {
  const parts = /(\d+|元)\s*年\s*(\d+)\s*月\s*(\d+)\s*日/.exec(text.normalize('NFKC'))
  if (parts === null || Number.isNaN(yearBefore)) return text
  const year = yearBefore + (parts[1] === '元' ? 1 : Number(parts[1]))
  return `${String(year).padStart(4, '0')}-${parts[2].padStart(2, '0')}-${parts[3].padStart(2, '0')}`
}

/** Multiplies a plain number by a power of ten exactly, by moving the decimal point. */
export function shiftDecimal(plain: string, scale: number): string {
  const [whole, fraction = ''] = plain.split('.')
  const digits = whole + fraction
  const point = whole.length + scale
  if (point <= 0) return withoutLeadingZeros(`0.${'0'.repeat(-point)}${digits}`)
  if (point >= digits.length) return withoutLeadingZeros(digits + '0'.repeat(point - digits.length))
  return withoutLeadingZeros(`${digits.slice(0, point)}.${digits.slice(point)}`)
}

const withoutLeadingZeros = (number: string) => number.replace(/^0+(?=\d)/, '')
