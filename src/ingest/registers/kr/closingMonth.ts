import { endOfMonth } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'

/**
 * `reprt_code`: the annual report (11011), half-year (11012), first quarter (11013) and third quarter
 * (11014).
 */
export type ReportCode = '11011' | '11012' | '11013' | '11014'

/** Months of the business year that a report covers. */
export const monthsOf: Readonly<Record<ReportCode, number>> = { 11013: 3, 11012: 6, 11014: 9, 11011: 12 }

export const isReportCode = (text: unknown): text is ReportCode =>
  typeof text === 'string' && Object.hasOwn(monthsOf, text)

/**
 * When a company's business years end: the month, and how many calendar years this is after the year in the
 * business year's name.
 */
export interface Closing {
  readonly month: number
  readonly yearsLater: number
}

export interface ReceivedReport {
  readonly report: ReportCode
  /** `bsns_year`. */
  readonly year: number
  /** The day of the receipt. */
  readonly filed: number
}

/** The last day of a report's period. */
export const periodEnd = ({ month, yearsLater }: Closing, year: number, report: ReportCode): number =>
  endOfMonth(year + yearsLater, month - 12 + monthsOf[report])

/**
 * Determines the month in which a company's fiscal years end from the reports received. The register's
 * statements have no dates. If the overview (`months`) is missing, December is assumed on two conditions: at
 * least one report was received when a report on a calendar year is due, and none before its period ended.
 * Returns null if the month is unknown, so that the figures cannot be dated.
 *
 * @param months `acc_mt` of the company's overviews; empty if unknown
 */
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
      const { min, max } = daysInTime(report.report)
      const days = delay(closing, report)
      return days >= min && days <= max
    }),
  )
  return likely.length === 1 ? likely[0] : null
}

/**
 * Days after the end of a period within which a report is received, on time or slightly late. A year is due
 * after 90 days, a part of it after 45. An amendment may come at any time, but a report on time shows which
 * period it covers.
 */
const daysInTime = (report: ReportCode): { readonly min: number; readonly max: number } =>
  report === '11011' ? { min: 56, max: 135 } : { min: 15, max: 75 }

/** More than the number of companies that ever filed. */
const maxCompanies = 1_000_000

/** The months in which companies' business years end, as an import's overviews state them, in any order. */
export class ClosingMonths {
  readonly #ofCompany = new Map<string, ReadonlySet<number>>()

  /** Several if overviews of different days differ: a company may have changed its year. */
  of(corpCode: string): readonly number[] {
    return [...(this.#ofCompany.get(corpCode) ?? [])]
  }

  add(corpCode: string, month: number): void {
    const known = this.#ofCompany.get(corpCode)
    if (known === undefined && this.#ofCompany.size >= maxCompanies) {
      throw new Failure(
        'body_too_large',
        `Overviews of more than ${maxCompanies} companies in one import. Import them in parts, each together with its statements.`,
      )
    }
    this.#ofCompany.set(corpCode, new Set([...(known ?? []), month]))
  }
}
