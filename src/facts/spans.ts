/**
 * The length of a period: 0 for a single day (a balance), 1 a quarter, 2 half a year, 3 nine months, 4 a
 * year.
 */
export type Span = 0 | 1 | 2 | 3 | 4

/** Minimum and maximum days of each span. Retailers' quarters have 12 to 17 weeks, years 52 or 53. */
const bounds: readonly (readonly [Span, number, number])[] = [
  [1, 75, 125],
  [2, 155, 210],
  [3, 240, 295],
  [4, 350, 380],
]

/** Returns null for a period that is not part of any fiscal year (a month, two years). */
export function spanOf(start: number | null, end: number): Span | null {
  if (start === null) return 0
  const days = end - start + 1
  for (const [span, min, max] of bounds) if (days >= min && days <= max) return span
  return null
}

/** Expected number of days of each span. */
export const nominalDays: Readonly<Record<Span, number>> = { 0: 0, 1: 91, 2: 182, 3: 273, 4: 365 }

/**
 * The name under which a metric is served. Half-years and nine months get the suffix `_ytd`, so that they
 * never mix with quarters and years.
 */
export const storedMetric = (metric: string, span: Span): string =>
  span === 2 || span === 3 ? `${metric}_ytd` : metric

const trailingSuffix = '_ttm'

/** The name under which a metric's trailing twelve months are stored. They are served only on request. */
export const trailingMetric = (metric: string): string => `${metric}${trailingSuffix}`

/** Removes the suffix of trailing twelve months, if the stored name has it. */
export const withoutTrailing = (stored: string): string =>
  stored.endsWith(trailingSuffix) ? stored.slice(0, -trailingSuffix.length) : stored

/** The inverse of `storedMetric`. */
export const reportedMetric = (stored: string, span: Span): string =>
  (span === 2 || span === 3) && stored.endsWith('_ytd') ? stored.slice(0, -4) : stored

const dayMs = 86_400_000

/** Days by which a 52/53-week year may differ from its anniversary. */
export const slackDays = 7

/** The same calendar day `years` later; 29 February becomes 1 March. */
export function addYears(day: number, years: number): number {
  const date = new Date(day * dayMs)
  return Date.UTC(date.getUTCFullYear() + years, date.getUTCMonth(), date.getUTCDate()) / dayMs
}

/**
 * A fiscal year is named after the calendar year in which it ends. One that ends in the first week of January
 * (52 or 53 weeks) belongs to the year before.
 */
export function fiscalYearName(end: number): number {
  const date = new Date(end * dayMs)
  const early = date.getUTCMonth() === 0 && date.getUTCDate() <= 7
  return date.getUTCFullYear() - (early ? 1 : 0)
}
