import { dayNumber, isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { UnitKind } from './conceptTable.ts'

/** Filings name only a few thousand different days, so day numbers are cached. */
const dayCache = new Map<string, number>()
const maxCachedDays = 100_000

/** Converts `YYYY-MM-DD` to days since 1970-01-01; NaN if there is no such day. */
export function dayOf(text: unknown): number {
  if (typeof text !== 'string') return Number.NaN
  const cached = dayCache.get(text)
  if (cached !== undefined) return cached
  if (!isIsoDate(text)) return Number.NaN
  const day = dayNumber(text)
  if (dayCache.size < maxCachedDays) dayCache.set(text, day)
  return day
}

/** The text of a field of JSON. An object has none: its own `toString` may be anything, and is not called. */
export const textOfScalar = (value: unknown): string =>
  typeof value === 'object' || value === undefined ? (JSON.stringify(value) ?? '') : String(value)

/** Converts `YYYYMMDD` to days since 1970-01-01; NaN if there is no such day. */
export const compactDay = (text: string) => dayOf(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`)

/** Names, numbers and days from registers are all shorter. */
const maxTextLength = 10_000

/**
 * Cleans a text for storage: control characters become spaces (PostgreSQL rejects NUL, and none belongs in a
 * name). Returns null if nothing is left. Throws if the text is too long to be a name, because the index of
 * names makes many terms of each.
 */
export function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (value.length > maxTextLength) {
    const start = JSON.stringify(value.slice(0, 40))
    throw new Failure(
      'body_invalid',
      `The text that starts with ${start} has ${value.length} characters; the limit for a name is ${maxTextLength}.`,
    )
  }
  const text = value.replace(/\p{Cc}+/gu, ' ').trim()
  return text === '' ? null : text
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Parses a plain number (`-1234.5`, `1e3`). NaN for anything else: a text like 1.234,567 is ambiguous.
 * Negative zero becomes 0.
 */
export function numberOf(text: unknown): number {
  if (typeof text === 'number') return Number.isFinite(text) ? text + 0 : Number.NaN
  if (typeof text !== 'string' || !/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number.NaN
  const value = Number(text)
  return Number.isFinite(value) ? value + 0 : Number.NaN
}

const currency = /^[A-Z]{3}$/
const perShare = /^[A-Z]{3}\/shares$/

/**
 * The unit of a figure in the service's spelling; null if it does not fit the metric's kind. The Financial
 * Statement Data Sets omit `/shares`.
 */
export function unitOf(raw: string, kind: UnitKind): string | null {
  switch (kind) {
    case 'money':
      return currency.test(raw) ? intern(raw) : null
    case 'perShare':
      return perShare.test(raw) ? intern(raw) : currency.test(raw) ? intern(`${raw}/shares`) : null
    case 'shares':
      return raw === 'shares' ? 'shares' : null
  }
}

const internedUnits = new Map<string, string>()

/** Returns one string object per unit: a slice of the file's text would keep the whole text in memory. */
function intern(unit: string): string {
  const existing = internedUnits.get(unit)
  if (existing !== undefined) return existing
  const copy = Buffer.from(unit).toString()
  internedUnits.set(copy, copy)
  return copy
}
