import { Failure } from '../../errors.ts'
import { dayOf, textOf } from '../fields.ts'
import type { Report } from './report.ts'
import { documentIdIn, type ReportName } from './reportName.ts'

/** Two days of filing further apart are no slip of a few days, so neither is believed. */
const mostDaysApart = 31

/** What a report says of itself, from its name and the elements about the document.
 *
 * @param path of the file, which may bear the number of the document
 * @param stated the text of an element such as `jpdei_cor:EDINETCodeDEI`
 * @returns a reason where the report has no day of filing that can be believed */
export function reportHead(
  path: string,
  name: ReportName,
  stated: (tag: string) => string | null,
): Omit<Report, 'figures' | 'figuresRead'> | { readonly reason: string } {
  const code = stated('jpdei_cor:EDINETCodeDEI')
  if (code !== null && code !== name.code) {
    throw new Failure('body_invalid', `The report is named after ${name.code} and is of ${code}.`)
  }
  const filed = filedOn(name.filed, dayOf(stated('jpcrp_cor:FilingDateCoverPage')))
  if (Number.isNaN(filed)) return { reason: 'a report without a day of filing' }
  const isAmendment = stated('jpdei_cor:AmendmentFlagDEI') === 'true' || name.submission > 1
  const isGroup = stated('jpdei_cor:WhetherConsolidatedFinancialStatementsArePreparedDEI') === 'true'
  const yearEnd = dayOf(stated('jpdei_cor:CurrentFiscalYearEndDateDEI'))
  return {
    accession: `JP:${documentIdIn(path) ?? name.stem}`,
    edinetCode: name.code,
    form: isAmendment ? '130' : '120',
    filed,
    groupYearEnd: isGroup && yearEnd > 0 ? yearEnd : null,
    name: textOf(stated('jpdei_cor:FilerNameInJapaneseDEI')),
    englishName: textOf(stated('jpdei_cor:FilerNameInEnglishDEI')),
  }
}

/** The day in the file's name and the day on the cover are one as a rule. Where they differ by little the later counts:
 * nothing may be seen before it was filed. */
function filedOn(named: number, onCover: number): number {
  if (Number.isNaN(named)) return onCover
  if (Number.isNaN(onCover)) return named
  return Math.abs(named - onCover) > mostDaysApart ? Number.NaN : Math.max(named, onCover)
}
