import { startOfMonths } from '../../../dates.ts'
import type { Filing, Statement } from '../../../facts/reportedFact.ts'
import type { TagUse } from '../../concepts.ts'
import { numberOf, textOf, unitOf } from '../../reading/fields.ts'
import { type Closing, monthsOf, periodEnd, type ReceivedReport, type Report } from './closing.ts'
import { krUses, nameMark, type Sheet, sheetOf, soloMark } from './concepts.ts'

export type Line = Record<string, unknown>

/** The lines of one report, of the group or of the company alone. */
export interface ReportLines extends ReceivedReport {
  readonly receipt: string
  readonly corpCode: string
  readonly isSolo: boolean
  readonly lines: Line[]
}

/** Figures that are not carried, by the reason. */
export type LeftOut = Map<string, number>

export interface ReadFigures {
  readonly statements: Statement[]
  malformed: number
  readonly leftOut: LeftOut
}

const sheetOfDivision: Readonly<Record<string, Sheet>> = {
  BS: 'position',
  IS: 'income',
  CIS: 'income',
  CF: 'cashFlow',
}

interface Found {
  readonly line: Line
  readonly division: string
  readonly tag: string
  readonly uses: readonly TagUse[]
}

/** Reads the figures of one report: every amount becomes a statement, is left out for a reason, or is malformed. */
export function readReport(report: ReportLines, closing: Closing, into: ReadFigures): void {
  const filing: Filing = {
    accession: `KR:${report.receipt}`,
    form: report.report,
    filed: report.filed,
    acceptedAt: null,
  }
  const found = findLines(report, into)
  const unique = dropContradictions(found, into)
  const stated = new Set(
    unique.filter(({ division }) => division === 'IS').flatMap(({ uses }) => uses.map(use => use.metric)),
  )
  const hasYearToDate = (division: string) =>
    report.lines.some(line => line.sj_div === division && amountOf(line.thstrm_add_amount) !== null)
  for (const one of unique) {
    const uses = one.division === 'CIS' ? one.uses.filter(use => !stated.has(use.metric)) : one.uses
    if (uses.length === 0) {
      leaveOut(
        into,
        'a line of comprehensive income that the income statement has too',
        countAmounts(one.line),
      )
      continue
    }
    const sheet = sheetOfDivision[one.division]
    const interim = report.report === '11012' || report.report === '11014'
    const isVague = sheet === 'income' && interim && !hasYearToDate(one.division)
    if (isVague) leaveOut(into, 'an interim figure whose months are not told', countAmounts(one.line))
    else readLine({ ...one, uses }, spansOf(sheet, report.report, report.year, closing), filing, into)
  }
}

/** The lines that the service carries, on the sheet on which they are believed. */
function findLines(report: ReportLines, into: ReadFigures): Found[] {
  const found: Found[] = []
  for (const line of report.lines) {
    const division = textOf(line.sj_div) ?? ''
    const sheet = sheetOfDivision[division]
    const tag = tagOf(line)
    const uses = krUses(report.isSolo ? `${soloMark}${tag}` : tag)
    if (sheet === undefined) leaveOut(into, `a line of ${divisionName(division)}`, countAmounts(line))
    else if (uses === undefined || sheetOf(tag) !== sheet) {
      leaveOut(into, 'a line that the service does not carry', countAmounts(line))
    } else found.push({ line, division, tag, uses })
  }
  return found
}

const divisionName = (division: string) =>
  division === 'SCE' ? 'changes in equity (SCE)' : 'an unknown statement'

/** A tag that stands twice on a sheet with different figures could be either. */
function dropContradictions(found: readonly Found[], into: ReadFigures): Found[] {
  const kept: Found[] = []
  for (const same of Map.groupBy(found, ({ division, tag }) => `${division} ${tag}`).values()) {
    const texts = new Set(same.map(({ line }) => columns.map(column => amountOf(line[column])).join(' ')))
    if (texts.size === 1) kept.push(same[0])
    const reason =
      texts.size === 1
        ? 'a line that stands there twice'
        : 'a line that stands there twice with other figures'
    for (const { line } of texts.size === 1 ? same.slice(1) : same) leaveOut(into, reason, countAmounts(line))
  }
  return kept
}

function readLine(
  { line, uses }: Found,
  spans: ReadonlyMap<string, Span>,
  filing: Filing,
  into: ReadFigures,
): void {
  const currency = textOf(line.currency) ?? ''
  /** What was read of a period: the first quarter's three months are also its year to date. */
  const known = new Set<string>()
  for (const column of columns) {
    const amount = amountOf(line[column])
    if (amount === null) continue
    const span = spans.get(column)
    if (span === undefined) {
      leaveOut(into, 'a column whose period is not certain', 1)
      continue
    }
    const period = `${span.start} ${span.end}`
    if (known.has(period)) {
      leaveOut(into, 'a second column of one period', 1)
      continue
    }
    known.add(period)
    const value = numberOf(amount)
    const statements = uses.flatMap(({ metric, concept, tag }): Statement[] => {
      const unit = unitOf(currency, concept.unitKind)
      return unit === null ? [] : [{ metric, tag, unit, ...span, value, rounded: false, filing }]
    })
    if (Number.isNaN(value) || statements.length === 0) into.malformed++
    else into.statements.push(...statements)
  }
}

/** The standard code or, where the filer uses none, the name of the account. Codes of the first years lack `-full`. A
 * preferred share's earnings or those of a part of the business go by their name whatever code they bear. */
function tagOf(line: Line): string {
  const code = (textOf(line.account_id) ?? '').replace(/^ifrs_/, 'ifrs-full_')
  const name = plainName(textOf(line.account_nm) ?? '')
  const isPartial = /PerShare$/.test(code) && /우선주|계속영업|중단영업/.test(name)
  return /^(ifrs-full|dart)_/.test(code) && !isPartial ? code : `${nameMark}${name}`
}

/** No account that is carried has a name as long as this, and brackets without end are looked for from each one. */
const longestName = 300

/** A name without blanks, its number in the statement and what is in brackets: `Ⅴ. 영업이익 (손실)` is `영업이익`. */
const plainName = (name: string) =>
  name
    .slice(0, longestName)
    .replace(/\s+/g, '')
    .replace(/^[ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫIVX\d]+[.．)]/, '')
    .replace(/[([（][^)\]）]*[)\]）]/g, '')

/** The text of an amount; null where there is none. */
function amountOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  return text === '' || text === '-' ? null : text
}

export const countAmounts = (line: Line): number =>
  columns.reduce((sum, column) => sum + (amountOf(line[column]) === null ? 0 : 1), 0)

export function leaveOut({ leftOut }: Pick<ReadFigures, 'leftOut'>, reason: string, count: number): void {
  if (count > 0) leftOut.set(reason, (leftOut.get(reason) ?? 0) + count)
}

export const columns = [
  'thstrm_amount',
  'thstrm_add_amount',
  'frmtrm_amount',
  'frmtrm_q_amount',
  'frmtrm_add_amount',
  'bfefrmtrm_amount',
] as const
export type Column = (typeof columns)[number]

export interface Span {
  /** null: a day's standing. */
  readonly start: number | null
  readonly end: number
}

/** The period of each column of a report's sheet; a column that is missing here names none. An interim income statement
 * has three months and, added up, the year to date; a cash flow statement the year to date only. Whole years beside an
 * interim period are not taken: of some filers they hold a part of the year. */
export function spansOf(
  sheet: Sheet,
  report: Report,
  year: number,
  closing: Closing,
): ReadonlyMap<Column, Span> {
  const months = monthsOf[report]
  const over = (yearsBack: number, length: number): Span => {
    const end = periodEnd(closing, year - yearsBack, report)
    return { start: startOfMonths(end, length), end }
  }
  const on = (yearsBack: number): Span => ({
    start: null,
    end: yearsBack === 0 ? periodEnd(closing, year, report) : periodEnd(closing, year - yearsBack, '11011'),
  })
  if (sheet === 'position') {
    return new Map([
      ['thstrm_amount', on(0)],
      ['frmtrm_amount', on(1)],
      ['bfefrmtrm_amount', on(2)],
    ])
  }
  if (report === '11011') {
    return new Map([
      ['thstrm_amount', over(0, 12)],
      ['frmtrm_amount', over(1, 12)],
      ['bfefrmtrm_amount', over(2, 12)],
    ])
  }
  if (sheet === 'cashFlow') {
    return new Map([
      ['thstrm_amount', over(0, months)],
      ['frmtrm_q_amount', over(1, months)],
    ])
  }
  return new Map([
    ['thstrm_amount', over(0, 3)],
    ['thstrm_add_amount', over(0, months)],
    ['frmtrm_q_amount', over(1, 3)],
    ['frmtrm_add_amount', over(1, months)],
  ])
}
