/** No number or date is longer. The patterns below take the square of a text's length. */
const longestShown = 200

/** The number that a text shows, plain and without a sign, by the registered transformation that its format names;
 * null where the text is not of that form, undefined where the format is none that is known. */
export function plainNumber(text: string, format: string): string | null | undefined {
  if (text.replace(/\s+/g, ' ').length > longestShown) return null
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
    default:
      return undefined
  }
}

/** What a text that is no number says: Japanese dates as `YYYY-MM-DD`, fixed words as themselves. */
export function plainText(text: string, format: string): string {
  if (text.length > longestShown) return text
  switch (baseName(format)) {
    case 'dateyearmonthdaycjk':
    case 'dateyearmonthday':
      return isoOf(text, 0)
    case 'dateerayearmonthdayjp':
      return isoOf(text, eraStart(text))
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

/** `numdotdecimal` of `ixt:numdotdecimal` and of `ixt4:num-dot-decimal`. */
const baseName = (format: string) => format.slice(format.indexOf(':') + 1).replaceAll('-', '')

const matched = (text: string, pattern: RegExp) => (pattern.test(text) ? text : null)

/** The year before the first of each era. */
const eras = { 令和: 2018, 平成: 1988, 昭和: 1925 } as const

function eraStart(text: string): number {
  for (const [era, before] of Object.entries(eras)) if (text.includes(era)) return before
  return Number.NaN
}

function isoOf(text: string, before: number): string {
  const parts = /(\d+|元)\s*年\s*(\d+)\s*月\s*(\d+)\s*日/.exec(text.normalize('NFKC'))
  if (parts === null || Number.isNaN(before)) return text
  const year = before + (parts[1] === '元' ? 1 : Number(parts[1]))
  return `${String(year).padStart(4, '0')}-${parts[2].padStart(2, '0')}-${parts[3].padStart(2, '0')}`
}

/** A plain number times a power of ten, exactly: the digits stay, the point moves. */
export function shiftDecimal(plain: string, scale: number): string {
  const [whole, fraction = ''] = plain.split('.')
  const digits = whole + fraction
  const point = whole.length + scale
  if (point <= 0) return trimmed(`0.${'0'.repeat(-point)}${digits}`)
  if (point >= digits.length) return trimmed(digits + '0'.repeat(point - digits.length))
  return trimmed(`${digits.slice(0, point)}.${digits.slice(point)}`)
}

const trimmed = (number: string) => number.replace(/^0+(?=\d)/, '')
