/** The length of a period: 0 a single day (a balance), 1 a quarter, 2 half a year, 3 nine months, 4 a year. */
export type Span = 0 | 1 | 2 | 3 | 4

/** Minimum and maximum days of each span. Retailers' quarters have 12 to 17 weeks, years 52 or 53. */
const bounds: readonly (readonly [Span, number, number])[] = [
  [1, 75, 125],
  [2, 155, 210],
  [3, 240, 295],
  [4, 350, 380],
]

/** null: a period that no fiscal year is reported in (a month, two years). */
export function spanOf(start: number | null, end: number): Span | null {
  if (start === null) return 0
  const days = end - start + 1
  for (const [span, min, max] of bounds) if (days >= min && days <= max) return span
  return null
}

/** Days that a span is expected to have. */
export const nominalDays: Readonly<Record<Span, number>> = { 0: 0, 1: 91, 2: 182, 3: 273, 4: 365 }

/** The name under which a metric is served. Half-years and nine months get the suffix `_ytd`: they must not mix with quarters
 * and years. */
export const storedMetric = (metric: string, span: Span): string =>
  span === 2 || span === 3 ? `${metric}_ytd` : metric

const trailingSuffix = '_ttm'

/** The name under which the trailing twelve months of a metric are stored, apart from all that is served unasked. */
export const trailingMetric = (metric: string): string => `${metric}${trailingSuffix}`

/** The metric of a stored name, of trailing twelve months or not. */
export const withoutTrailing = (stored: string): string =>
  stored.endsWith(trailingSuffix) ? stored.slice(0, -trailingSuffix.length) : stored

/** The inverse of `storedMetric`. */
export const reportedMetric = (stored: string, span: Span): string =>
  (span === 2 || span === 3) && stored.endsWith('_ytd') ? stored.slice(0, -4) : stored

const dayMs = 86_400_000

/** Days by which a 52/53-week year may miss its anniversary. */
export const slackDays = 7

/** The same calendar day `years` later; 29 February becomes 1 March. */
export function addYears(day: number, years: number): number {
  const date = new Date(day * dayMs)
  return Date.UTC(date.getUTCFullYear() + years, date.getUTCMonth(), date.getUTCDate()) / dayMs
}

/** A fiscal year is named after the calendar year in which it ends. One that ends within the first week of January
 * (52 or 53 weeks) belongs to the year before. */
export function fiscalYearName(end: number): number {
  const date = new Date(end * dayMs)
  const early = date.getUTCMonth() === 0 && date.getUTCDate() <= 7
  return date.getUTCFullYear() - (early ? 1 : 0)
}
