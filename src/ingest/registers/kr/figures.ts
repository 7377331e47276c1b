import { startOfMonths } from '../../../dates.ts'
import type { Filing, ReportedFact } from '../../../facts/reportedFact.ts'
import { plainDecimal } from '../../../wholeFilings/wholeFiling.ts'
import type { TagUse } from '../../reading/conceptTable.ts'
import { numberOf, textOf, textOfScalar, unitOf } from '../../reading/fields.ts'
import { shown } from '../../reading/namedFaults.ts'
import type { LeftOut, Tally } from '../registerInterface.ts'
import { type Closing, monthsOf, periodEnd, type ReceivedReport, type ReportCode } from './closingMonth.ts'
import { nameMark, type Sheet, sheetOf, soloMark, usesOfTag } from './concepts.ts'

/** A line of a statement, with the API's field names. */
export type Line = Record<string, unknown>

/** The lines of one report, of the group or of the company alone. */
export interface ReportLines extends ReceivedReport {
  readonly receipt: string
  readonly corpCode: string
  readonly isSolo: boolean
  readonly lines: Line[]
  /** For messages: where in the file its first lines are. */
  readonly location: string
}

/** The number of a receipt as that of a filing. */
export const accessionOf = (receipt: string): string => `KR:${receipt}`

export const filingOf = ({ receipt, report, filed }: ReportLines): Filing => ({
  accession: accessionOf(receipt),
  form: report,
  filed,
  acceptedAt: null,
})

/**
 * The figures of one report. Every amount becomes a reported fact, is left out for a reason, or is malformed.
 */
export function factsOfReport(report: ReportLines, closing: Closing, tally: Tally): ReportedFact[] {
  const filing = filingOf(report)
  const lines = dropContradictions(mappedLines(report, tally.leftOut), report, tally)
  const inIncomeStatement = new Set(
    lines.filter(({ division }) => division === 'IS').flatMap(({ uses }) => uses.map(use => use.metric)),
  )
  return lines.flatMap(mapped => {
    const { line, division } = mapped
    const uses =
      division === 'CIS' ? mapped.uses.filter(use => !inIncomeStatement.has(use.metric)) : mapped.uses
    if (uses.length === 0) {
      tally.leftOut.add(
        'a line of comprehensive income that is also in the income statement',
        countAmounts(line),
      )
      return []
    }
    const sheet = sheetOfDivision[division]
    if (sheet === 'income' && !statesMonths(report.report, division, report.lines)) {
      tally.leftOut.add('an interim figure whose number of months is not stated', countAmounts(line))
      return []
    }
    const spans = spansOf(sheet, report.report, report.year, closing)
    return factsOfLine({ ...mapped, uses }, spans, filing, tally)
  })
}

/**
 * False for an interim income statement with one column: three months or the year to date, and it does not say which
 * of the two.
 */
export function statesMonths(report: ReportCode, division: string, lines: readonly Line[]): boolean {
  const isInterim = report === '11012' || report === '11014'
  return (
    !isInterim || lines.some(line => line.sj_div === division && amountOf(line.thstrm_add_amount) !== null)
  )
}

export const sheetOfDivision: Readonly<Record<string, Sheet>> = {
  BS: 'position',
  IS: 'income',
  CIS: 'income',
  CF: 'cashFlow',
}

interface MappedLine {
  readonly line: Line
  readonly division: string
  readonly tag: string
  readonly uses: readonly TagUse[]
}

/** The lines whose tag has a metric and is on the sheet on which it is trusted. */
function mappedLines(report: ReportLines, leftOut: LeftOut): MappedLine[] {
  const mapped: MappedLine[] = []
  for (const line of report.lines) {
    const division = textOf(line.sj_div) ?? ''
    const sheet = sheetOfDivision[division]
    const tag = tagOf(line)
    const uses = usesOfTag(report.isSolo ? `${soloMark}${tag}` : tag)
    if (sheet === undefined) leftOut.add(`a line of ${divisionName(division)}`, countAmounts(line))
    else if (uses === undefined || sheetOf(tag) !== sheet) {
      leftOut.add('a line without a metric', countAmounts(line))
    } else mapped.push({ line, division, tag, uses })
  }
  return mapped
}

const divisionName = (division: string) =>
  division === 'SCE' ? 'changes in equity (SCE)' : 'an unknown statement'

/** If a sheet states a tag twice with different figures, either could be right, so both are dropped. */
function dropContradictions(
  mapped: readonly MappedLine[],
  { receipt }: ReportLines,
  { leftOut, contradictions }: Tally,
): MappedLine[] {
  const taken: MappedLine[] = []
  for (const same of Map.groupBy(mapped, ({ division, tag }) => `${division} ${tag}`).values()) {
    const texts = new Set(same.map(({ line }) => columns.map(column => amountOf(line[column])).join(' ')))
    const agree = texts.size === 1
    if (agree) taken.push(same[0])
    for (const column of columns) {
      const values = new Set(same.map(({ line }) => amountOf(line[column]) ?? 'nothing'))
      if (values.size === 1) continue
      const [{ division, tag }] = same
      contradictions.add(
        `receipt ${receipt}, ${division} ${tag}, ${column}: ${[...values].join(' and ')}; none is taken`,
      )
    }
    const reason = agree ? 'a line that is stated twice' : 'a line that is stated twice with different values'
    for (const { line } of agree ? same.slice(1) : same) leftOut.add(reason, countAmounts(line))
  }
  return taken
}

function factsOfLine(
  { line, division, tag: lineTag, uses }: MappedLine,
  spans: ReadonlyMap<string, Span>,
  filing: Filing,
  tally: Tally,
): ReportedFact[] {
  const currency = textOf(line.currency)
  const taken: ReportedFact[] = []
  /** The first quarter's three months are also its year to date, so a period may have two columns. */
  const periods = new Set<string>()
  for (const column of columns) {
    const amount = amountOf(line[column])
    if (amount === null) continue
    const span = spans.get(column)
    if (span === undefined) {
      tally.leftOut.add('a column whose period is not certain')
      continue
    }
    const period = `${span.start} ${span.end}`
    if (periods.has(period)) {
      tally.leftOut.add('a second column of one period')
      continue
    }
    periods.add(period)
    // The whole filing has named an amount that has no currency, or that is not a decimal number.
    if (currency === null) continue
    const value = numberOf(amount)
    const facts = uses.flatMap(({ metric, concept, tag }): ReportedFact[] => {
      const unit = unitOf(currency, concept.unitKind)
      return unit === null ? [] : [{ metric, tag, unit, ...span, value, rounded: false, filing }]
    })
    const location = `receipt ${line.rcept_no}, ${division} ${lineTag}, ${column}`
    if (Number.isNaN(value)) {
      if (plainDecimal(amount) !== null)
        tally.faults.add(`${location}: ${shown(line[column])} is not a finite number`)
    } else if (facts.length === 0) tally.faults.add(`${location}: its currency is ${shown(line.currency)}`)
    else taken.push(...facts)
  }
  return taken
}

/**
 * The standard code or, if the filer uses none, the name of the account. Codes of the first years lack
 * `-full`. Earnings of a preferred share or of a part of the business are recognised by name, whatever their
 * code.
 */
export function tagOf(line: Line): string {
  const code = (textOf(line.account_id) ?? '').replace(/^ifrs_/, 'ifrs-full_')
  const name = plainName(textOf(line.account_nm) ?? '')
  const isPartial = /PerShare$/.test(code) && /우선주|계속영업|중단영업/.test(name)
  return /^(ifrs-full|dart)_/.test(code) && !isPartial ? code : `${nameMark}${name}`
}

/**
 * Longer than the name of any mapped account. Without a limit, unclosed brackets would make `plainName`
 * quadratic.
 */
const maxNameLength = 300

/** A name without spaces, numbering and bracketed text: `Ⅴ. 영업이익 (손실)` becomes `영업이익`. */
const plainName = (name: string) =>
  name
    .slice(0, maxNameLength)
    .replace(/\s+/g, '')
    .replace(/^[ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫIVX\d]+[.．)]/, '')
    .replace(/[([（][^)\]）]*[)\]）]/g, '')

/** The text of an amount; null if there is none. */
export function amountOf(value: unknown): string | null {
  const text = value === undefined || value === null ? '' : textOfScalar(value).trim()
  return text === '' || text === '-' ? null : text
}

export const countAmounts = (line: Line): number =>
  columns.reduce((sum, column) => sum + (amountOf(line[column]) === null ? 0 : 1), 0)

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
  /** Null for an instant. */
  readonly start: number | null
  readonly end: number
}

/**
 * The period of each column of a report's sheet; columns not listed have no certain period. An interim income
 * statement has three months and the year to date; a cash flow statement has only the year to date. The
 * whole-year column of an interim report is ignored: some filers put a part of the year in it.
 */
export function spansOf(
  sheet: Sheet,
  report: ReportCode,
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
