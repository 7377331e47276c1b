import { Type } from '@sinclair/typebox'
import { Failure } from '../../errors.ts'
import { familyReader, type ParameterFamily } from '../../http/parameters.ts'
import { asOfParameter } from '../../markets/asOf.ts'
import { type CrossSectionPeriod, CrossSectionQuery } from '../crossSection/schema.ts'

const { market, fp, max_age_days, currency, checks, cursor } = CrossSectionQuery.properties
const column = Type.Optional(
  Type.String({ pattern: '^[a-z][a-z0-9_]*$', maxLength: 64, allowed: 'the name of a metric, like roe' }),
)

/** The columns of a screen. The form's fields are fixed, so that it works without JavaScript. */
export const columnFields = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'] as const
const defaultColumns = ['revenue', 'net_income', 'net_margin', 'roe'] as const

const ScreenQuery = Type.Object(
  {
    market: Type.Optional(market),
    fp,
    max_age_days,
    currency,
    checks,
    cursor,
    as_of: asOfParameter('Only what was known on this day.', '2010-03-31'),
    sort: Type.Optional(
      Type.String({
        pattern: '^-?[a-z][a-z0-9_]*$',
        maxLength: 65,
        allowed: 'a metric, with - before it for the largest first',
      }),
    ),
    c1: column,
    c2: column,
    c3: column,
    c4: column,
    c5: column,
    c6: column,
  },
  { additionalProperties: false },
)

/** A bound of a screen: `min_roe=10%`, `min_revenue=2.5bn`. */
const bounds: ParameterFamily = {
  pattern: /^(min|max)_[a-z]/,
  named: 'min_<metric>, max_<metric>',
  schema: Type.Number(),
}

const read = familyReader(ScreenQuery, bounds)

/** What a screen shows. */
export interface Screen {
  /** True if nothing has been chosen yet. */
  readonly isBlank: boolean
  readonly market: string
  readonly columns: readonly string[]
  readonly period: CrossSectionPeriod
  readonly maxAgeDays: number | undefined
  readonly asOf: string | undefined
  /** The currency of amounts. Undefined means the market's own, if amounts are compared. */
  readonly currency: string | undefined
  /** States of figures, separated by commas; undefined for all. */
  readonly checks: string | undefined
  readonly cursor: string | undefined
  /** The metric by which the rows are sorted, and whether the largest come first. */
  readonly sort: { readonly metric: string; readonly descending: boolean } | null
  readonly bounds: ReadonlyMap<string, number>
  /** The bounds as typed. */
  readonly typed: ReadonlyMap<string, string>
}

export function readScreen(queryText: string): Screen {
  const typed = new Map<string, string>()
  const plain = queryText
    .split('&')
    .map(field => plainBound(field, typed))
    .join('&')
  const { query, members } = read(plain)
  const columns = columnFields.flatMap(name => query[name] ?? [])
  const { sort } = query
  return {
    isBlank: queryText === '',
    market: query.market ?? 'US',
    columns: columns.length === 0 ? defaultColumns : [...new Set(columns)],
    period: query.fp ?? 'FY',
    maxAgeDays: query.max_age_days,
    asOf: query.as_of,
    currency: query.currency?.toUpperCase(),
    checks: query.checks,
    cursor: query.cursor,
    sort: sort === undefined ? null : { metric: sort.replace(/^-/, ''), descending: sort.startsWith('-') },
    bounds: members,
    typed,
  }
}

const multiples: Readonly<Record<string, number>> = { '%': 0.01, k: 1e3, m: 1e6, bn: 1e9, b: 1e9 }

/** Converts a bound as people type it to the API's format: 10% becomes .1, 2.5bn becomes 2500000000. */
function plainBound(field: string, typed: Map<string, string>): string {
  const [, name, raw] = /^((?:min|max)_[a-z0-9_]+)=(.*)$/.exec(field) ?? []
  if (name === undefined) return field
  let text: string
  try {
    text = decodeURIComponent(raw.replaceAll('+', ' ')).trim()
  } catch {
    return field
  }
  typed.set(name, text)
  const [, digits, multiple] =
    /^(-?\d{1,15}(?:\.\d{1,9})?)\s*(%|k|m|bn|b)?$/i.exec(text.replaceAll(',', '')) ?? []
  if (digits === undefined)
    throw new Failure(
      'parameter_invalid',
      `${name}=${text.slice(0, 48)} is not a number. Send one like 0.1, 10%, 500m or 2.5bn.`,
      {
        param: name,
      },
    )
  const value = Number(digits) * (multiple === undefined ? 1 : (multiples[multiple.toLowerCase()] ?? 1))
  // Rounded to twelve decimals: .07 * 100 must not become 7.000000000000001.
  return `${name}=${Number(value.toFixed(12))}`
}

/** The URL of the same screen with other choices. */
export function screenPath(
  screen: Screen,
  change: Partial<Pick<Screen, 'sort' | 'currency' | 'cursor'>> = {},
): string {
  const { sort, cursor, ...rest } = { ...screen, ...change }
  const fields = new URLSearchParams({ market: rest.market })
  rest.columns.forEach((name, index) => {
    fields.set(columnFields[index] ?? 'c6', name)
  })
  if (rest.period !== 'FY') fields.set('fp', rest.period)
  if (rest.maxAgeDays !== undefined) fields.set('max_age_days', String(rest.maxAgeDays))
  if (rest.asOf !== undefined) fields.set('as_of', rest.asOf)
  if (rest.currency !== undefined) fields.set('currency', rest.currency)
  if (rest.checks !== undefined) fields.set('checks', rest.checks)
  for (const [name, text] of rest.typed) fields.set(name, text)
  if (sort !== null) fields.set('sort', `${sort.descending ? '-' : ''}${sort.metric}`)
  if (cursor !== undefined) fields.set('cursor', cursor)
  return `/screen?${fields.toString()}`
}
