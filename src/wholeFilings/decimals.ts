import { plainDecimal } from './wholeFiling.ts'

/** The number that JSON can state without changing a plain decimal; null if there is none. */
export function exactNumber(plain: string): number | null {
  const number = Number(plain)
  if (String(number) === plain) return number
  return Number.isFinite(number) && plainDecimal(String(number)) === plain ? number : null
}

/** The exact sum of plain decimals. */
export function sumOfDecimals(plain: readonly string[]): string {
  if (plain.length < maxShort && plain.every(isShort))
    return String(plain.reduce((sum, each) => sum + Number(each), 0))
  const places = Math.max(0, ...plain.map(placesOf))
  return unscaled(
    plain.reduce((sum, each) => sum + scaled(each, places), 0n),
    places,
  )
}

/** `a - b`, exactly. */
export function differenceOfDecimals(a: string, b: string): string {
  if (isShort(a) && isShort(b)) return String(Number(a) - Number(b))
  const places = Math.max(placesOf(a), placesOf(b))
  return unscaled(scaled(a, places) - scaled(b, places), places)
}

/** `a * b`, exactly. */
export const productOfDecimals = (a: string, b: string): string =>
  unscaled(scaled(a, placesOf(a)) * scaled(b, placesOf(b)), placesOf(a) + placesOf(b))

/** Sums of so few whole numbers of so few digits are exact as doubles, which are much faster. */
const maxShort = 500
const isShort = (plain: string) => plain.length <= 13 && !plain.includes('.')

const placesOf = (plain: string) => (plain.includes('.') ? plain.length - plain.indexOf('.') - 1 : 0)

const scaled = (plain: string, places: number) =>
  BigInt(plain.replace('.', '') + '0'.repeat(places - placesOf(plain)))

function unscaled(value: bigint, places: number): string {
  const digits = String(value < 0n ? -value : value).padStart(places + 1, '0')
  const point = digits.length - places
  const fraction = digits.slice(point).replace(/0+$/, '')
  const sign = value < 0n ? '-' : ''
  return `${sign}${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`
}
