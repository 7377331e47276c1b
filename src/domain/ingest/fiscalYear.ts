const dayMs = 86_400_000

/** Days by which a 52/53-week year may miss its anniversary. */
export const slackDays = 7

/** The same calendar day `years` later; 29 February becomes 1 March. */
export function addYears(day: number, years: number): number {
  const date = new Date(day * dayMs)
  return Date.UTC(date.getUTCFullYear() + years, date.getUTCMonth(), date.getUTCDate()) / dayMs
}

/** A fiscal year is called after the calendar year of its end; one that ends within the first week of January
 * (52 or 53 weeks) belongs to the year before. */
export function fiscalYearName(end: number): number {
  const date = new Date(end * dayMs)
  const early = date.getUTCMonth() === 0 && date.getUTCDate() <= 7
  return date.getUTCFullYear() - (early ? 1 : 0)
}
