import { dayNumber, isIsoDate } from '../../model/date.ts'
import type { Statement } from '../../model/statement.ts'

/** What reading a file gave, and how much of it was understood. */
export interface ParsedFigures {
  /** Figures in the file, mapped or not. */
  figuresRead: number
  /** Figures of a mapped tag that make no sense (no date, no number). */
  malformed: number
  statements: Statement[]
}

const days = new Map<string, number>()

/** Days since 1970-01-01 of `YYYY-MM-DD`; NaN where the text is none. The few thousand days that filings name
 * are remembered. */
export function dayOf(text: unknown): number {
  if (typeof text !== 'string') return Number.NaN
  const known = days.get(text)
  if (known !== undefined) return known
  if (!isIsoDate(text)) return Number.NaN
  const day = dayNumber(text)
  if (days.size < 100_000) days.set(text, day)
  return day
}

/** The ten digits of a CIK that a source writes as a number or padded; null for anything else. */
export function cikOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^\d{1,10}$/.test(text)) return null
  return text.padStart(10, '0')
}

/** A text that can be stored and shown; null where nothing is left of it. A NUL is no character of PostgreSQL's, and
 * no other control character belongs in a name. */
export function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value.replace(/\p{Cc}+/gu, ' ').trim()
  return text === '' ? null : text
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
