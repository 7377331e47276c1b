import { endOfMonth } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'

export type Report = '11011' | '11012' | '11013' | '11014'

/** Months of the business year that a report covers. */
export const monthsOf: Readonly<Record<Report, number>> = { 11013: 3, 11012: 6, 11014: 9, 11011: 12 }

export const isReport = (text: unknown): text is Report =>
  typeof text === 'string' && Object.hasOwn(monthsOf, text)

/** When a company's business years end: in which month, and how many calendar years after the one they are called by. */
export interface Closing {
  readonly month: number
  readonly yearsLater: number
}

export interface ReceivedReport {
  readonly report: Report
  /** `bsns_year`. */
  readonly year: number
  /** The day of the receipt. */
  readonly filed: number
}

/** Days after a period's end within which a report is due or, by a little, late: 90 of a year, 45 of a part. An amendment
 * may come at any time; a report that is in time shows which period it is on. */
const inTime = (report: Report): readonly [number, number] => (report === '11011' ? [56, 135] : [15, 75])

/** The last day of a report's period. */
export const periodEnd = ({ month, yearsLater }: Closing, year: number, report: Report): number =>
  endOfMonth(year + yearsLater, month - 12 + monthsOf[report])

/** When the business years end of a company of which these reports came in. The register's statements have no dates, so
 * where its overview (`months`) is missing December is assumed if at least one report was received when one on a calendar
 * year is due, and none before its period was over. Null: not to be told; the figures could not be dated.
 *
 * @param months `acc_mt` of the company's overviews; none where unknown */
export function closingOf(reports: readonly ReceivedReport[], months: readonly number[]): Closing | null {
  const candidates = (months.length === 0 ? [12] : months).flatMap((month): Closing[] =>
    (month === 12 ? [0] : [0, 1]).map(yearsLater => ({ month, yearsLater })),
  )
  const delay = (closing: Closing, { report, year, filed }: ReceivedReport) =>
    filed - periodEnd(closing, year, report)
  const possible = candidates.filter(closing => reports.every(report => delay(closing, report) > 0))
  if (months.length === 1 && months[0] === 12) return possible[0] ?? null
  const likely = possible.filter(closing =>
    reports.some(report => {
      const [least, most] = inTime(report.report)
      const days = delay(closing, report)
      return days >= least && days <= most
    }),
  )
  return likely.length === 1 ? likely[0] : null
}

/** More than the companies that ever filed. */
const mostCompanies = 1_000_000

/** The months in which companies' business years end, as the overviews of an import name them, in any order. */
export class ClosingMonths {
  readonly #ofCompany = new Map<string, ReadonlySet<number>>()

  /** Several where overviews of different days differ: a company may have changed its year. */
  of(corpCode: string): readonly number[] {
    return [...(this.#ofCompany.get(corpCode) ?? [])]
  }

  add(corpCode: string, month: number): void {
    const known = this.#ofCompany.get(corpCode)
    if (known === undefined && this.#ofCompany.size >= mostCompanies) {
      throw new Failure(
        'body_too_large',
        `Overviews of more than ${mostCompanies} companies in one import. Import them in parts, each with its statements.`,
      )
    }
    this.#ofCompany.set(corpCode, new Set([...(known ?? []), month]))
  }
}
