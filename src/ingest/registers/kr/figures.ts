import type { Filing, ReportedFact } from '../../../facts/reportedFact.ts'
import type { TagUse } from '../../reading/conceptTable.ts'
import { numberOf, textOf, unitOf } from '../../reading/fields.ts'
import { shown } from '../../reading/namedFaults.ts'
import type { LeftOut, Tally } from '../registerInterface.ts'
import type { Closing, ReceivedReport } from './closingMonth.ts'
import { amountOf, columns, countAmounts, type Line, type Span, spansOf } from './columns.ts'
import { nameMark, type Sheet, sheetOf, soloMark, usesOfTag } from './concepts.ts'

/** The lines of one report, of the group or of the company alone. */
export interface ReportLines extends ReceivedReport {
  readonly receipt: string
  readonly corpCode: string
  readonly isSolo: boolean
  readonly lines: Line[]
}

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
    if (isOfUnknownLength(report, division)) {
      tally.leftOut.add('an interim figure whose number of months is not stated', countAmounts(line))
      return []
    }
    const spans = spansOf(sheet, report.report, report.year, closing)
    return factsOfLine({ ...mapped, uses }, spans, filing, tally)
  })
}

/**
 * True for an interim income statement of three months or the year to date: it has one column and does not say
 * which of the two it is.
 */
export function isOfUnknownLength({ report, lines }: ReportLines, division: string): boolean {
  if (sheetOfDivision[division] !== 'income' || (report !== '11012' && report !== '11014')) return false
  return !lines.some(line => line.sj_div === division && amountOf(line.thstrm_add_amount) !== null)
}

/** Whether a metric may come from the line: its faults are named with that metric. */
export function isMapped(line: Line, isSolo: boolean): boolean {
  const tag = tagOf(line)
  const sheet = sheetOfDivision[textOf(line.sj_div) ?? '']
  return (
    sheet !== undefined &&
    sheetOf(tag) === sheet &&
    usesOfTag(isSolo ? `${soloMark}${tag}` : tag) !== undefined
  )
}

/** The filing of a report. */
export const filingOf = ({ receipt, report, filed }: ReportLines): Filing => ({
  accession: `KR:${receipt}`,
  form: report,
  filed,
  acceptedAt: null,
})

const sheetOfDivision: Readonly<Record<string, Sheet>> = {
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
  const currency = textOf(line.currency) ?? ''
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
    const value = numberOf(amount)
    const facts = uses.flatMap(({ metric, concept, tag }): ReportedFact[] => {
      const unit = unitOf(currency, concept.unitKind)
      return unit === null ? [] : [{ metric, tag, unit, ...span, value, rounded: false, filing }]
    })
    const location = `receipt ${line.rcept_no}, ${division} ${lineTag}, ${column}`
    if (Number.isNaN(value)) tally.faults.add(`${location}: ${shown(line[column])} is not a finite number`)
    else if (facts.length === 0) tally.faults.add(`${location}: its currency is ${shown(line.currency)}`)
    else taken.push(...facts)
  }
  return taken
}

/**
 * The standard code or, if the filer uses none, the name of the account. Codes of the first years lack
 * `-full`. Earnings of a preferred share or of a part of the business are recognised by name, whatever their
 * code.
 */
function tagOf(line: Line): string {
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
