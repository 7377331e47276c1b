import { addMonths, dayNumber, nearestMonthEnd } from '../../dates.ts'
import type { KnownFiling, StoredFiling } from '../../wholeFilings/knownFilingQueries.ts'
import { isInstant, quartersOf } from '../../wholeFilings/layOut.ts'
import type { FilingsOfCompany } from './company.ts'
import type { FilingReader, WholeFilingDeps } from './filingReader.ts'
import { type FiscalLabel, FiscalYears } from './fiscalYears.ts'

/** A filing that is known on the day and presents statements. */
export interface Report {
  readonly filing: KnownFiling
  /** The last day of its period; the filing day if the source does not state it. */
  readonly end: number
  readonly isAnnual: boolean
  /** Null if the source does not state its period, or the period is not part of the fiscal calendar. */
  readonly label: FiscalLabel | null
  /** 0 for the latest filing. */
  readonly rank: number
}

export interface ReportsOfCompany {
  /** Sorts by the latest period, and filings on one period by the latest filing day. */
  readonly reports: readonly Report[]
  readonly years: FiscalYears
}

/**
 * The reports of a company among its known filings. Fiscal years are those of its annual reports; if there is none,
 * one is inferred from the latest report.
 *
 * @param known the latest first
 */
export async function readReports(
  { annualFormOf }: Pick<WholeFilingDeps, 'annualFormOf'>,
  { market }: Pick<FilingsOfCompany, 'market'>,
  known: readonly KnownFiling[],
  reader: FilingReader,
): Promise<ReportsOfCompany> {
  const annualForm = annualFormOf(market)
  const ends = known.flatMap(({ form, periodEnd }) =>
    periodEnd !== null && annualForm.test(form) ? [dayNumber(periodEnd)] : [],
  )
  const presenting = known.filter(({ lines }) => lines > 0)
  const order = presenting
    .map((filing, rank) => ({ filing, rank, end: dayNumber(filing.periodEnd ?? filing.filed) }))
    .sort((a, b) => b.end - a.end)
  const years =
    ends.length > 0 || order.length === 0
      ? new FiscalYears(ends)
      : yearsFromYearToDate(await reader.read(order[0].filing), order[0].end)
  const reports = order.map(({ filing, end, rank }): Report => {
    const isAnnual = annualForm.test(filing.form)
    const label = filing.periodEnd === null ? null : years.labelOf(end)
    const fits = label !== null && (label.fp === 'FY') === isAnnual
    return { filing, end, isAnnual, label: fits ? label : null, rank }
  })
  return { reports, years }
}

/** Its year begins where the longest period of less than a year in its report does. */
function yearsFromYearToDate({ figuresOf }: StoredFiling, end: number): FiscalYears {
  let quarters = 0
  for (const { context } of figuresOf(null)) {
    if (context.dimensions.length > 0 || isInstant(context)) continue
    if (Math.abs(context.end - end) > roundingDays) continue
    const length = quartersOf(context)
    if (length < 4) quarters = Math.max(quarters, length)
  }
  return new FiscalYears(quarters === 0 ? [] : [addMonths(nearestMonthEnd(end), -3 * quarters)])
}

/** Days by which data sets may move the end of a period to the end of a month. */
const roundingDays = 16

/** How many fiscal years filings show before their own. */
const maxComparativeYears = 5

/** The reports that may have a column for a fiscal period, the latest first. */
export const mayShow = (reports: readonly Report[], { fy, fp }: FiscalLabel): readonly Report[] =>
  reports.filter(
    ({ label }) =>
      label !== null && label.fp === fp && label.fy >= fy && label.fy <= fy + maxComparativeYears,
  )
