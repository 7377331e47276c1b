import {
  type ChosenStatement,
  kindOfName,
  type StatementName,
  statementNames,
} from '../../wholeFilings/kindOfStatement.ts'
import type { StoredFiling } from '../../wholeFilings/knownFilingQueries.ts'
import type { Presentation } from '../../wholeFilings/knownStatement.ts'
import { isInstant, layOutStatement, type Period, quartersOf } from '../../wholeFilings/layOut.ts'
import { presentationIn } from '../../wholeFilings/presentedLine.ts'
import type { StatementKind } from '../../wholeFilings/wholeFiling.ts'
import { mayShow, type Report, type ReportsOfCompany } from './chooseFilings.ts'
import { refused } from './company.ts'
import { type FilingReader, maxFilingsRead } from './filingReader.ts'
import type { FiscalLabel, FiscalYears } from './fiscalYears.ts'
import type { StatementPlan } from './statementPlan.ts'
import { defaultFilings } from './statementSchema.ts'

/** A filing with the statement that was asked for. */
interface Presented extends ChosenStatement, Presentation {
  readonly report: Report
}

interface Choice {
  /** The latest presentation first. Empty if there is none. */
  readonly used: readonly Presented[]
  /** The last day of the period that was asked for. */
  readonly lastDay?: number
  readonly notes: readonly string[]
}

/**
 * The filings whose presentations answer a request. Each statement comes from the latest filing that presents it, so
 * an amendment with one statement changes that one alone.
 */
export async function choosePresentations(
  plan: StatementPlan,
  { reports, years }: ReportsOfCompany,
  reader: FilingReader,
): Promise<Choice> {
  const { ticker, asOf, asked, statement, accession, view } = plan
  const kind = kindOfName[statement]
  if (accession !== null) {
    const report = reports.find(({ filing }) => filing.accession === accession)
    if (report === undefined)
      throw refused(
        'accession',
        `accession=${accession} is not a filing of ${ticker} with statements that was public on ${asOf}. GET /api/v1/filings?ticker=${ticker} lists its filings.`,
      )
    const found = await findPresented(reader, [report], kind, () => true)
    return found === null
      ? { used: [], notes: [`The filing ${accession} presents no ${wordsOf(statement)}.`] }
      : { used: [found], notes: [] }
  }
  const { fp, fy } = asked
  const own = reports.filter(
    ({ label }) => (fp === undefined || label?.fp === fp) && (fy === undefined || label?.fy === fy),
  )
  const target = fp === undefined && fy === undefined ? null : targetOf(asked, own)
  const isOfPeriod = view === 'as_known' && target !== null
  const candidates = isOfPeriod ? mayShow(reports, target) : own
  // Nearly always the first one presents the statement, so that one SQL statement reads all.
  const [first] = candidates
  if (view === 'as_known' && first !== undefined)
    reader.expect([first, ...earlierThan(first, reports)].slice(0, plan.filings).map(({ filing }) => filing))
  const accepts = (each: Presented) => !isOfPeriod || lastDayOf(each, years, target) !== null
  const found = await findPresented(reader, candidates, kind, accepts)
  if (found === null) return { used: [], notes: [noneNote(plan, reports.length, reader)] }
  if (view === 'as_filed') return { used: [found], notes: [] }
  const lastDay = target === null ? null : lastDayOf(found, years, target)
  const earlier = earlierThan(found.report, reports)
  const read = earlier.slice(0, Math.min(plan.filings - 1, reader.left))
  const wholes = await reader.readAll(read.map(({ filing }) => filing))
  const further = read.flatMap((report, at) => presentedIn(report, wholes[at], kind) ?? [])
  return {
    used: [found, ...further],
    notes: earlier.length > read.length ? [moreNote(plan, earlier.length - read.length)] : [],
    ...(lastDay === null ? {} : { lastDay }),
  }
}

/** The reports that may add columns to those of a report, the latest first. */
const earlierThan = (report: Report, reports: readonly Report[]): readonly Report[] =>
  reports
    .filter(each => each !== report && each.isAnnual === report.isAnnual && each.end <= report.end)
    .sort((a, b) => a.rank - b.rank)

/**
 * The statements that the latest of some reports present, in the usual order. If income and comprehensive income are one
 * statement, it counts as that of income.
 *
 * @param reports the latest first
 */
export async function presentedStatements(
  reports: readonly Report[],
  reader: FilingReader,
): Promise<readonly StatementName[]> {
  const latest = reports.slice(0, Math.min(defaultFilings, reader.left))
  const wholes = await reader.readAll(latest.map(({ filing }) => filing))
  const isPresented = (name: StatementName) =>
    latest.some((report, at) => {
      const found = presentedIn(report, wholes[at], kindOfName[name])
      return found !== null && !(found.isCombined && name === 'comprehensive')
    })
  return statementNames.filter(isPresented)
}

const wordsOf = (statement: StatementName) =>
  ({
    income: 'income statement',
    balance: 'balance sheet',
    cash_flow: 'statement of cash flows',
    equity: 'statement of equity',
    comprehensive: 'statement of comprehensive income',
  })[statement]

function noneNote(
  { ticker, asOf, asked: { fp, fy }, statement }: StatementPlan,
  reports: number,
  reader: FilingReader,
): string {
  if (reports === 0)
    return `No filing of ${ticker} that was public on ${asOf} is on record with its statements.`
  if (reader.left === 0 && reports > maxFilingsRead)
    return `The latest ${maxFilingsRead} reports of ${ticker} that were public on ${asOf} present no ${wordsOf(statement)}. Earlier ones were not read: send fy for an earlier year, or accession for one filing.`
  const period = [fp, fy].filter(part => part !== undefined).join(' of ')
  const on = period === '' ? '' : ` on ${period}`
  return `No report of ${ticker}${on} that was public on ${asOf} presents a${statement === 'income' ? 'n' : ''} ${wordsOf(statement)}.`
}

function moreNote({ filings }: StatementPlan, left: number): string {
  const more = left === 1 ? '1 earlier filing' : `${left} earlier filings`
  const mend =
    filings < maxFilingsRead
      ? `send filings=${Math.min(maxFilingsRead, filings + left)} for more`
      : 'send an earlier fy for those before'
  return `${more} of the same kind could add columns: ${mend}.`
}

/** The first report whose presentation is accepted. Every report that is read counts towards the request's limit. */
async function findPresented(
  reader: FilingReader,
  reports: readonly Report[],
  kind: StatementKind,
  accepts: (presented: Presented) => boolean,
): Promise<Presented | null> {
  for (const report of reports) {
    if (reader.left === 0) return null
    const presented = presentedIn(report, await reader.read(report.filing), kind)
    if (presented !== null && accepts(presented)) return presented
  }
  return null
}

/** Null if the filing does not present the statement with figures. */
function presentedIn(report: Report, filing: StoredFiling, kind: StatementKind): Presented | null {
  const presentation = presentationIn(filing, kind)
  return presentation === null ? null : { ...presentation, report }
}

/** The requested fiscal period. If the request names only a year, or a quarter without a year, the latest one on record. */
function targetOf({ fp, fy }: StatementPlan['asked'], own: readonly Report[]): FiscalLabel | null {
  return fp !== undefined && fy !== undefined ? { fp, fy } : (own.at(0)?.label ?? null)
}

/** The last day of a fiscal period if a presentation shows it; otherwise null. */
function lastDayOf(presented: Presented, years: FiscalYears, { fy, fp }: FiscalLabel): number | null {
  const { columns, rows } = layOutStatement(presented, presented.statement)
  const shows = (period: Period | null) => {
    if (period === null) return false
    const label = years.labelOf(period.end)
    const isYear = quartersOf(period) === 4
    return label?.fy === fy && label.fp === fp && (isInstant(period) || isYear === (fp === 'FY'))
  }
  const ends = [...columns, ...rows].flatMap(({ period }) =>
    period !== null && shows(period) ? [period.end] : [],
  )
  return ends.length === 0 ? null : Math.max(...ends)
}
