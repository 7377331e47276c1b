import { dayNumber } from '../../model/date.ts'
import type { Quarter } from './quarter.ts'
import { workingDayFrom } from './workingDay.ts'

/** By when a report has to be filed depends on who files it. Who may be of two kinds is of the later one.
 * - `general`: a domestic listed company of general industry;
 * - `half-year later`: a listed bank, broker or insurer, a foreign company whose first listing is here, a mixed group;
 * - `holding`: a financial holding company;
 * - `unlisted`: a public company that is not listed. */
export type Filer = 'general' | 'half-year later' | 'holding' | 'unlisted'

/** After the first, second and third quarter, and, in the next year, after the year. */
type LastDays = readonly [string, string, string, string]

/** Securities and Exchange Act, article 36: 45 days after a quarter, three months after the year. Under its second
 * paragraph: financial holdings 60 days after the first and third quarter; two months after the half-year for financial
 * institutions and, since 2021, foreign companies; four months after the year for companies that are not listed. */
const lastDays: Readonly<Record<Filer, LastDays>> = {
  general: ['05-15', '08-14', '11-14', '03-31'],
  'half-year later': ['05-15', '08-31', '11-14', '03-31'],
  holding: ['05-30', '08-31', '11-29', '03-31'],
  unlisted: ['05-30', '08-31', '11-29', '04-30'],
}

/** Before the Act was as it is, consolidated reports had 75 days after the half-year, and the year had four months. */
const lastDaysBefore2013: LastDays = ['05-30', '09-13', '11-29', '04-30']

/** The last day on which the report of a quarter may lawfully be filed. */
export function deadline({ year, quarter }: Quarter, filer: Filer): number {
  const days = year < 2013 ? lastDaysBefore2013 : lastDays[filer]
  return workingDayFrom(dayNumber(`${quarter === 4 ? year + 1 : year}-${days[quarter - 1]}`))
}
