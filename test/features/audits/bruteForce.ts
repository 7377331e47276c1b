import type { Sql } from '../../../src/postgres/client.ts'

/* What `POST /api/v1/audits` says about one cell, written from the documentation and without any code of the service: each cell
 * looks at every stored vintage of its company and of the others. */

const dayMs = 86_400_000
export const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayMs

export type Fp = 'FY' | 'Q' | 'TTM' | 'latest'

export interface Stored {
  readonly end: number
  /** Which of the periods with one last day: 0 for years and trailing twelve months where no other kind is asked for. */
  readonly rank: number
  readonly filed: number
  readonly unit: string
  readonly value: number
  readonly accession: string
  /** Whether it is current at the time that was asked for. */
  readonly current: boolean
}

/** The last day that has ended in a zone at an instant. */
export function lastEnded(zone: string, ms: number): number {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(new Date(ms))
  return dayOf(shown) - 1
}

/** Every vintage of one kind of figure that is public on a day or at an instant. */
export async function publicVintages(
  sql: Sql,
  entity: number,
  metric: string,
  fp: Fp,
  when: { readonly day: string } | { readonly at: string; readonly ended: string },
): Promise<Stored[]> {
  const facts = 'day' in when ? sql`fact_as_of(${when.day})` : sql`fact_at(${when.at}, ${when.ended})`
  const trailing =
    'day' in when ? sql`trailing_as_of(${when.day})` : sql`trailing_at(${when.at}, ${when.ended})`
  const yearLast = sql`(case when f.fp = 0 then 5 else f.fp end)::int`
  const zero = sql`0`
  const shown = (rank: typeof zero) => sql`
    f.period_end - date '1970-01-01' as "end", ${rank} as rank, f.filed - date '1970-01-01' as filed, u.name as unit,
    f.value, coalesce(f.accession, '') as accession, f.current`
  const of = (name: string) => sql`
    join unit u using (unit_id) join metric m using (metric_id)
    where f.entity_id = ${entity} and m.name = ${name} and f.period_end <= f.filed`
  const text = {
    FY: sql`select ${shown(zero)} from ${facts} f ${of(metric)} and f.fp = 0`,
    Q: sql`select ${shown(yearLast)} from ${facts} f ${of(metric)} and (f.fp between 1 and 4 or f.period_start is null)`,
    latest: sql`select ${shown(yearLast)} from ${facts} f ${of(metric)}`,
    TTM: sql`
      select ${shown(zero)} from ${trailing} f ${of(`${metric}_ttm`)}
      union all
      select ${shown(zero)} from ${facts} f ${of(metric)} and f.fp = 0 and f.period_start is not null and u.name not like '%shares'`,
  }[fp]
  return sql<Stored[]>`${text}`
}

export interface Release {
  readonly filed: number
  /** Milliseconds since 1970; null: unknown. */
  readonly at: number | null
  /** The day at whose end it is known if its time does not count. */
  readonly known: number
}

export interface CellQuestion {
  readonly value: number
  readonly scale: number
  readonly sign: number
  readonly currency: string | null
  readonly rounding: { readonly unit: number | null; readonly digits: number | null }
  readonly maxAge: number | null
  readonly ownDay: number
  /** The last day that has ended for the row. */
  readonly endedDay: number
  readonly instant: number | null
  /** Whether the row is between two filings of one day. Then periods with the same last day count as one. */
  readonly isBetween: boolean
  /** Public by then, and ever; null: the company is unknown. */
  readonly own: { readonly known: readonly Stored[]; readonly ever: readonly Stored[] } | null
  readonly others: readonly { readonly known: readonly Stored[]; readonly ever: readonly Stored[] }[]
  readonly otherPeriods: readonly { readonly known: readonly Stored[]; readonly ever: readonly Stored[] }[]
  /** Of the company, in order. */
  readonly releases: readonly Release[]
}

export interface CellAnswer {
  readonly state: string
  readonly known: number | null
  /** The vintages that the cell may be said to be: more than one only if they are equal in everything that decides. */
  readonly vintages: readonly Stored[]
}

const scales = [1, 1e3, 1e6, 1e9, 1e-2, 1e-3, 1e-6]
const same = (a: Stored, b: Stored) =>
  a.end === b.end &&
  a.rank === b.rank &&
  a.filed === b.filed &&
  a.accession === b.accession &&
  a.value === b.value
const samePeriod = (a: Stored, b: Stored) => a.end === b.end && a.rank === b.rank

/** Those that no other precedes. */
const first = (vintages: readonly Stored[], order: (a: Stored, b: Stored) => number) =>
  vintages.filter(one => vintages.every(other => order(one, other) <= 0))
const latestFirst = (a: Stored, b: Stored) => b.end - a.end || b.filed - a.filed
const earliestFirst = (a: Stored, b: Stored) => a.filed - b.filed

export function answerCell(question: CellQuestion): CellAnswer {
  const { value, scale, sign, currency, rounding, maxAge, ownDay, own } = question
  const counts = ({ unit }: Stored) =>
    currency === null || unit === currency || unit.startsWith(`${currency}/`)
  const figure = value * sign * scale
  const half = halfOf(value, rounding)
  // Whole numbers of the rounding's unit, each 2 * half wide.
  const hasThreeDigits = Math.abs(value) >= 2 * 99.5 * half * (1 - 1e-6)
  const within = (sought: number, { value: other }: Stored, tolerance: number) =>
    Math.abs(sought - other) <=
    Math.max(tolerance * (1 + 1e-9), 1e-12 * Math.max(Math.abs(sought), Math.abs(other)))
  const tolerance = hasThreeDigits ? half * scale : 0
  const matches = (stored: readonly Stored[], sought = figure, by = 1) =>
    stored.filter(one => counts(one) && within(sought, one, tolerance * by))
  const best = (
    { known, ever }: { known: readonly Stored[]; ever: readonly Stored[] },
    sought = figure,
    by = 1,
  ) => {
    const earlier = matches(known, sought, by)
    return earlier.length > 0 ? first(earlier, latestFirst) : first(matches(ever, sought, by), earliestFirst)
  }

  let shown: number | null = null
  if (own !== null) {
    const current = first(
      own.known.filter(one => one.current),
      (a, b) => b.end - a.end || b.rank - a.rank || b.filed - a.filed || b.value - a.value,
    )
    const [latest] = current
    if (latest !== undefined && counts(latest) && (maxAge === null || ownDay - latest.end <= maxAge)) {
      shown = (latest.value / scale) * sign + 0
      if (within(figure, latest, 0)) return { state: 'known', known: shown, vintages: current }
      if (within(figure, latest, half * scale)) return { state: 'rounded', known: shown, vintages: current }
    }
    const later = matches(own.ever).filter(one => !own.known.some(other => same(one, other)))
    const isKnownPeriod = (one: Stored) =>
      own.known.some(other => (question.isBetween ? one.end === other.end : samePeriod(one, other)))
    const firstDay = (one: Stored) =>
      Math.min(...own.ever.filter(other => samePeriod(one, other)).map(({ filed }) => filed))
    const unknown = later.filter(one => !isKnownPeriod(one))
    // First on record as a comparative figure of a filing that also states a later period.
    const isRepeated = (one: Stored) =>
      one.filed === firstDay(one) &&
      own.ever.some(other => counts(other) && other.filed === one.filed && other.end > one.end)
    const repeated = unknown.filter(one => isRepeated(one) && one.end <= ownDay)
    const unseen = unknown.filter(one => !repeated.includes(one))
    const announced = unseen.filter(
      one => one.filed === firstDay(one) && !isRepeated(one) && isReleased(question, one),
    )
    if (value === 0) {
      const past = matches(own.known)
      if (past.length > 0) return { state: 'stale', known: shown, vintages: first(past, latestFirst) }
    }
    if (value !== 0 && announced.length > 0)
      return { state: 'announced', known: shown, vintages: first(announced, earliestFirst) }
    const stale = matches(own.known)
    if (stale.length > 0) return { state: 'stale', known: shown, vintages: first(stale, latestFirst) }
    const restated = later.filter(isKnownPeriod)
    if (value !== 0 && restated.length > 0)
      return { state: 'restated', known: shown, vintages: first(restated, earliestFirst) }
    if (value !== 0 && unknown.length > 0) {
      const [one] = first(repeated, earliestFirst)
      const soonest = first(unseen, earliestFirst)
      if (one !== undefined && (soonest.length === 0 || one.filed <= soonest[0].filed))
        return { state: 'not_covered', known: shown, vintages: [] }
      return { state: 'early', known: shown, vintages: soonest }
    }
  }
  const ofOthers = (value === 0 ? [] : question.others)
    .map(other => best(other))
    .filter(({ length }) => length > 0)
  if (ofOthers.length > 0) return { state: 'other_company', known: shown, vintages: ofOthers.flat() }
  if (own !== null) {
    const inOtherWay = [
      ...question.otherPeriods.map(other => best(other)),
      ...(value === 0 ? [] : [best(own, -figure)]),
      ...(value === 0
        ? []
        : scales
            .filter(other => other !== scale)
            .map(other => best(own, figure * (other / scale), other / scale))),
    ].find(({ length }) => length > 0)
    if (inOtherWay !== undefined) return { state: 'no_match', known: shown, vintages: inOtherWay }
    if (value !== 0 && currency !== null) {
      const everUnit = [own.known, own.ever].map(stored =>
        stored.filter(one => !counts(one) && within(figure, one, tolerance)),
      )
      const [known, ever] = everUnit
      const found = known.length > 0 ? first(known, latestFirst) : first(ever, earliestFirst)
      if (found.length > 0) return { state: 'no_match', known: shown, vintages: found }
    }
    if (own.known.some(counts)) return { state: 'no_match', known: shown, vintages: [] }
  }
  return { state: 'not_covered', known: shown, vintages: [] }
}

/** The exponent of the first digit of a number. */
const placeOf = (value: number) => Number(value.toExponential().split('e')[1])

/** Whether the last release between the end of a period and its filing was public. */
function isReleased({ releases, instant, endedDay }: CellQuestion, { end, filed }: Stored): boolean {
  const last = releases.filter(release => release.filed > end && release.filed <= filed).at(-1)
  if (last === undefined) return false
  if (instant !== null && last.at !== null) return last.at <= instant
  return last.known <= endedDay
}

/** By how much a cell may differ from what it shows rounded, in the unit of the column. */
function halfOf(value: number, { unit, digits }: CellQuestion['rounding']): number {
  const size = Math.abs(value)
  if (size === 0) return (unit ?? 0) / 2
  const isMultipleOf = (power: number) => Math.abs(size / power - Math.round(size / power)) <= 1e-3
  if (unit !== null && isMultipleOf(unit)) {
    if (digits === null) return unit / 2
    const place = 10 ** (placeOf(value) - digits + 1)
    if (isMultipleOf(place)) return Math.max(unit, place) / 2
  }
  const [mantissa, exponent] = size.toExponential().split('e')
  const own = mantissa.replace('.', '').length
  // More digits than any rounding leaves: computed, or a 32-bit float.
  if (own > 12) return Math.fround(value) === value ? size * 2 ** -24 : 0
  return unit === null ? 0 : 10 ** (Number(exponent) - own + 1) / 2
}
