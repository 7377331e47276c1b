/** A registration number as somebody may type it: 8 to 10 digits, grouped or not, with or without a suffix. */
export interface RegistrationNumber {
  /** IDs that it may stand for. */
  tickers: string[]
  /** The register's own spellings. */
  numbers: string[]
  /** From the suffix; null without one. */
  market: string | null
}

const shape = /^(\d(?:[\d .\u00a0-]*\d)?)(?:\.(fr|be|dk))?$/i
const digitsOf: Readonly<Record<string, number>> = { FR: 9, BE: 10, DK: 8 }

/** Null where the text is no such number. A Belgian number may have lost its leading 0. */
export function registrationNumber(text: string): RegistrationNumber | null {
  const match = shape.exec(text.normalize('NFKC').trim())
  if (match === null) return null
  const digits = match[1].replace(/\D/g, '')
  if (digits.length < 8 || digits.length > 10) return null
  const market = match[2]?.toUpperCase() ?? null
  const numbers = digits.length === 9 ? [digits, `0${digits}`] : [digits]
  const tickers = Object.entries(digitsOf).flatMap(([code, length]) =>
    numbers.filter(number => number.length === length).map(number => `${number}.${code}`),
  )
  return { tickers, numbers, market }
}
