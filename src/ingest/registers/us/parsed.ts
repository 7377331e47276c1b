import { Failure } from '../../../errors.ts'
import type { Statement } from '../../../facts/reportedFact.ts'
import { textOf } from '../../reading/fields.ts'

/** What reading a file gave, and how much of it was understood. */
export interface ParsedFigures {
  /** Figures in the file, mapped or not. */
  figuresRead: number
  /** Figures of a mapped tag that make no sense (no date, no number). */
  malformed: number
  statements: Statement[]
}

/** The ten digits of a CIK that a source writes as a number or padded; null for anything else. */
export function cikOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^\d{1,10}$/.test(text)) return null
  return text.padStart(10, '0')
}

const longestTicker = 30

/** A ticker as a source writes it; null where there is none. */
export function tickerOf(value: unknown): string | null {
  const ticker = textOf(value)
  if (ticker === null || ticker.length <= longestTicker) return ticker
  throw new Failure(
    'body_invalid',
    `${JSON.stringify(ticker.slice(0, 40))}... is no ticker: it has ${ticker.length} characters.`,
  )
}
