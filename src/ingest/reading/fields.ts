import { dayNumber, isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { UnitKind } from '../concepts.ts'

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

/** The same of `YYYYMMDD`. */
export const compactDay = (text: string) => dayOf(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`)

/** No name, number or day that a register states is longer. */
const longestText = 10_000

/** A text that can be stored and shown; null where nothing is left of it. A NUL is no character of PostgreSQL's, and
 * no other control character belongs in a name. One that is too long to be a name is refused: the index of names makes
 * many terms of each. */
export function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (value.length > longestText) {
    const beginning = JSON.stringify(value.slice(0, 40))
    throw new Failure(
      'body_invalid',
      `The text that begins with ${beginning} has ${value.length} characters; no name has more than ${longestText}.`,
    )
  }
  const text = value.replace(/\p{Cc}+/gu, ' ').trim()
  return text === '' ? null : text
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A number written plainly (`-1234.5`, `1e3`); NaN for anything else: 1.234.567,89 could be two numbers. A zero has no
 * sign. */
export function numberOf(text: unknown): number {
  if (typeof text === 'number') return Number.isFinite(text) ? text + 0 : Number.NaN
  if (typeof text !== 'string' || !/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number.NaN
  const value = Number(text)
  return Number.isFinite(value) ? value + 0 : Number.NaN
}

const currency = /^[A-Z]{3}$/
const perShare = /^[A-Z]{3}\/shares$/

const known = new Map<string, string>()

/** One string for all units of a name: a piece cut from a file would keep the file in memory. */
function oneOf(unit: string): string {
  const first = known.get(unit)
  if (first !== undefined) return first
  const copy = Buffer.from(unit).toString()
  known.set(copy, copy)
  return copy
}

/** The unit of a figure as the service writes it, null where it is not of the kind that the metric has. The
 * Financial Statement Data Sets leave `/shares` out. */
export function unitOf(raw: string, kind: UnitKind): string | null {
  switch (kind) {
    case 'money':
      return currency.test(raw) ? oneOf(raw) : null
    case 'perShare':
      return perShare.test(raw) ? oneOf(raw) : currency.test(raw) ? oneOf(`${raw}/shares`) : null
    case 'shares':
      return raw === 'shares' ? 'shares' : null
  }
}
