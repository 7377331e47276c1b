import { Type } from '@sinclair/typebox'
import { Failure } from '../../../errors.ts'
import { familyReader, type ParameterFamily } from '../../../http/parameters.ts'
import { asOfParameter } from '../../../markets/asOf.ts'
import { type CrossSectionPeriod, CrossSectionQuery } from '../../crossSection/schema.ts'

const {
  market,
  fp,
  currency,
  checks,
  group,
  cursor,
  prices,
  max_age_days: days,
} = CrossSectionQuery.properties
const column = Type.Optional(
  Type.String({ pattern: '^[a-z][a-z0-9_]*$', maxLength: 64, allowed: 'the name of a metric, like roe' }),
)

/** The columns of a screen. The form's fields are fixed, so that it works without JavaScript. */
export const columnFields = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'] as const
const defaultColumns = ['revenue', 'net_income', 'net_margin', 'roe'] as const

/** How long ago a period may have ended by default: a year, and the time in which reports on it are filed. */
export const recentDays = 550
export const anyAge = 'any'

export const screenPeriods = [
  'FY',
  'Q1',
  'Q2',
  'Q3',
  'Q4',
  'TTM',
  'latest',
] as const satisfies readonly CrossSectionPeriod[]

const ScreenQuery = Type.Object(
  {
    market: Type.Optional(market),
    fp,
    max_age_days: Type.Optional(
      Type.String({
        pattern: `^(${anyAge}|[0-9]{1,4}|[12][0-9]{4}|3[0-5][0-9]{3}|36[0-4][0-9]{2}|36500)$`,
        allowed: `a number of days up to ${days.maximum}, or ${anyAge}`,
      }),
    ),
    currency,
    checks,
    group,
    companies: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]{0,31}(,[A-Za-z0-9][A-Za-z0-9._/-]{0,31})*$',
        maxLength: 6_000,
        allowed: 'symbols or other IDs separated by commas, spaces or line breaks, like AAPL, MSFT',
      }),
    ),
    cursor,
    prices,
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

export interface ScreenSort {
  readonly metric: string
  readonly descending: boolean
}

/** What a screen shows. */
export interface Screen {
  /** True if at most the market has been chosen. */
  readonly isBlank: boolean
  readonly market: string
  readonly columns: readonly string[]
  readonly period: CrossSectionPeriod
  /** How many days ago a period may have ended. Undefined if nothing was chosen; null for any age. */
  readonly maxAge: number | null | undefined
  readonly asOf: string | undefined
  /** The currency of amounts. Undefined means the market's own, if amounts are compared. */
  readonly currency: string | undefined
  /** States of figures, separated by commas; undefined for all. */
  readonly checks: string | undefined
  readonly group: string | undefined
  /** The IDs of the only companies, each once; undefined for all of the market. */
  readonly companies: readonly string[] | undefined
  readonly cursor: string | undefined
  /** The set of prices of valuations; undefined: the only one that the visitor may see. */
  readonly prices: string | undefined
  /** The column by which the rows are sorted. */
  readonly sort: ScreenSort
  readonly bounds: ReadonlyMap<string, number>
  /** The bounds as typed. */
  readonly typed: ReadonlyMap<string, string>
}

/** A screen as sent. */
export interface SentScreen {
  /** What the readable fields ask for. */
  readonly screen: Screen
  /** The fields as they were sent, to fill the form again. */
  readonly sent: ReadonlyMap<string, string>
  /** Why fields cannot be read, by their names. */
  readonly failures: ReadonlyMap<string, Failure>
}

/** Reads a screen. Fields that cannot be read are left out and their failures collected, so that the form keeps the others. */
export function readScreen(queryText: string): SentScreen {
  const sent = new Map(new URLSearchParams(queryText))
  const typed = new Map<string, string>()
  const failures = new Map<string, Failure>()
  const plain = queryText.split('&').flatMap(field => {
    try {
      return [plainBound(plainList(field), typed)]
    } catch (error) {
      collect(failures, error)
      return []
    }
  })
  for (let fields = plain; ; ) {
    try {
      const { query, members } = read(fields.join('&'))
      for (const name of typed.keys()) if (!members.has(name)) typed.delete(name)
      return { screen: screenOf(query, members, typed), sent, failures }
    } catch (error) {
      const name = collect(failures, error)
      const others = fields.filter(field => nameOf(field) !== name)
      if (others.length === fields.length) throw error
      fields = others
    }
  }
}

function collect(failures: Map<string, Failure>, error: unknown): string {
  if (!(error instanceof Failure) || error.details.param === undefined) throw error
  const { param } = error.details
  if (!failures.has(param)) failures.set(param, error)
  return param
}

const nameOf = (field: string): string => [...new URLSearchParams(field).keys()][0]?.slice(0, 64) ?? ''

function screenOf(
  query: ReturnType<typeof read>['query'],
  bounds: ReadonlyMap<string, number>,
  typed: ReadonlyMap<string, string>,
): Screen {
  const columns = [...new Set(columnFields.flatMap(name => query[name] ?? []))]
  const shown: readonly string[] = columns.length === 0 ? defaultColumns : columns
  const metric = query.sort?.replace(/^-/, '') ?? ''
  const isBlank = Object.keys(query).every(name => name === 'market') && bounds.size === 0
  return {
    isBlank,
    market: query.market?.toUpperCase() ?? 'US',
    columns: shown,
    period: query.fp ?? 'FY',
    maxAge: ageOf(query.max_age_days),
    asOf: query.as_of,
    currency: query.currency?.toUpperCase(),
    checks: query.checks,
    group: query.group,
    companies:
      query.companies === undefined ? undefined : [...new Set(query.companies.toUpperCase().split(','))],
    cursor: query.cursor,
    prices: query.prices,
    sort: shown.includes(metric)
      ? { metric, descending: query.sort?.startsWith('-') === true }
      : { metric: shown[0] ?? '', descending: true },
    bounds,
    typed,
  }
}

function ageOf(sent: string | undefined): number | null | undefined {
  if (sent === undefined) return undefined
  return sent === anyAge ? null : Number(sent)
}

/** Companies are pasted from anywhere: one per line, or separated by commas, semicolons or spaces. */
function plainList(field: string): string {
  const [, raw] = /^companies=(.*)$/.exec(field) ?? []
  if (raw === undefined) return field
  const ids = decoded(raw)
    ?.split(/[\s,;]+/)
    .filter(id => id !== '')
  if (ids === undefined) return field
  return ids.length === 0 ? '' : `companies=${ids.map(encodeURIComponent).join(',')}`
}

function decoded(raw: string): string | null {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '))
  } catch {
    return null
  }
}

const multiples: Readonly<Record<string, number>> = { '%': 0.01, k: 1e3, m: 1e6, bn: 1e9, b: 1e9 }

/** Converts a bound as people type it to the API's format: 10% becomes .1, 2.5bn becomes 2500000000. */
function plainBound(field: string, typed: Map<string, string>): string {
  const [, name, raw] = /^((?:min|max)_[a-z0-9_]+)=(.*)$/.exec(field) ?? []
  if (name === undefined || name === 'max_age_days') return field
  const text = decoded(raw)?.trim()
  if (text === undefined) return field
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
  typed.set(name, text)
  const value = Number(digits) * (multiple === undefined ? 1 : (multiples[multiple.toLowerCase()] ?? 1))
  // Rounded to twelve decimals: .07 * 100 must not become 7.000000000000001.
  return `${name}=${Number(value.toFixed(12))}`
}

/** Choices of a screen that links change. */
export type ScreenChange = Partial<
  Pick<
    Screen,
    'sort' | 'currency' | 'cursor' | 'maxAge' | 'group' | 'companies' | 'asOf' | 'checks' | 'period' | 'typed'
  >
>

/** The URL of the same screen with other choices. */
export const screenPath = (screen: Screen, change: ScreenChange = {}): string =>
  `/screen?${screenFields({ ...screen, ...change }).toString()}`

/** A screen as the fields of its query. */
export function screenFields(screen: Screen): URLSearchParams {
  const { sort, cursor, maxAge, companies } = screen
  const fields = new URLSearchParams({ market: screen.market })
  screen.columns.forEach((name, index) => {
    fields.set(columnFields[index] ?? 'c6', name)
  })
  if (screen.period !== 'FY') fields.set('fp', screen.period)
  if (maxAge !== undefined) fields.set('max_age_days', String(maxAge ?? anyAge))
  if (screen.asOf !== undefined) fields.set('as_of', screen.asOf)
  if (screen.currency !== undefined) fields.set('currency', screen.currency)
  if (screen.checks !== undefined) fields.set('checks', screen.checks)
  if (screen.group !== undefined) fields.set('group', screen.group)
  if (screen.prices !== undefined) fields.set('prices', screen.prices)
  if (companies !== undefined) fields.set('companies', companies.join(','))
  for (const [name, text] of screen.typed) fields.set(name, text)
  if (!sort.descending || sort.metric !== screen.columns[0])
    fields.set('sort', `${sort.descending ? '-' : ''}${sort.metric}`)
  if (cursor !== undefined) fields.set('cursor', cursor)
  return fields
}
