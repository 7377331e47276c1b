import { Failure } from '../../../errors.ts'
import { dayOf } from '../../reading/fields.ts'
import { type NamedFaults, shown } from '../../reading/namedFaults.ts'
import { readCsv } from '../../reading/text.ts'
import type { Tally } from '../registerInterface.ts'
import { soloTag, usesOfTag } from './concepts.ts'
import {
  ofPart,
  parseContextId,
  type Report,
  type ReportFigure,
  type ReportName,
  reportHead,
} from './report.ts'
import { type CsvFigure, wholeCsv } from './wholeCsv.ts'

const header = [
  '要素ID',
  '項目名',
  'コンテキストID',
  '相対年度',
  '連結・個別',
  '期間・時点',
  'ユニットID',
  '単位',
  '値',
]

/** How the register writes an empty cell. */
const empty = '－'

/**
 * Parses a CSV that the register generates from an instance (type 5). A figure's year is stated only as a
 * number of years before the report's year. The document's own elements state the first and last days of the
 * report's year and the prior year. Figures for older years are left out: their days cannot be inferred,
 * because a fiscal year need not have twelve months. Returns null if the report itself is not imported; the
 * reason is then counted in `leftOut`.
 */
export function parseCsvReport(
  text: string,
  path: string,
  name: ReportName,
  { leftOut, faults }: Tally,
): Report | null {
  const [first, ...rows] = readCsv(text, '\t')
  if (first === undefined || header.some((column, at) => first[at] !== column)) {
    throw new Failure(
      'body_invalid',
      `This is not a report as CSV: it must have the columns ${header.join(', ')}, separated by tabs.`,
    )
  }
  const texts = new Map<string, string>()
  for (const [tag, , , , , , , , value] of rows) {
    if (value !== empty && !texts.has(tag)) texts.set(tag, value)
  }
  const head = reportHead(path, name, tag => texts.get(tag) ?? null)
  if ('reason' in head) {
    leftOut.add(head.reason)
    return null
  }
  const years = yearsOf(tag => dayIn(texts.get(tag), tag, faults))
  const figures: ReportFigure[] = []
  let figuresRead = 0
  const whole: CsvFigure[] = []
  for (const [index, [tag, label, contextId, , , , unitId, , value]] of rows.entries()) {
    const parsed = parseContextId(contextId)
    if (unitId === empty) continue
    figuresRead++
    const stated = value === empty || value === '' ? null : value
    whole.push({ row: index + 2, tag, label, contextId, unit: unitOfId(unitId), value: stated })
    if (parsed === null) {
      if (usesOfTag(tag) !== undefined) leftOut.add(ofPart)
      continue
    }
    const year = years[parsed.yearsAgo]
    if (year === undefined || Number.isNaN(year.end) || (!parsed.isInstant && Number.isNaN(year.start))) {
      const isCarried = usesOfTag(parsed.isSolo ? soloTag(tag) : tag) !== undefined
      if (isCarried) leftOut.add('a figure of a year whose first and last day the CSV does not state')
      continue
    }
    const start = parsed.isInstant ? null : year.start
    figures.push({ tag, isSolo: parsed.isSolo, start, end: year.end, unit: unitOfId(unitId), value: stated })
  }
  const isNamed = ({ tag, contextId }: CsvFigure) =>
    usesOfTag(tag) !== undefined && parseContextId(contextId) !== null
  return {
    ...head,
    figures,
    figuresRead,
    whole: wholeCsv(whole, { filed: head.filed, years }, name.kind, figure => {
      if (!isNamed(figure))
        faults.add(`row ${figure.row}, ${figure.tag}: ${shown(figure.value)} is not a decimal number`)
    }),
  }
}

/** `JPY` for JPY, `JPY/shares` for JPYPerShares; any other ID unchanged. */
const unitOfId = (id: string) => id.replace(/^([A-Z]{3})PerShares?$/, '$1/shares')

/** NaN if the report does not state the day. */
function dayIn(text: string | undefined, tag: string, faults: NamedFaults): number {
  const day = dayOf(text)
  if (text !== undefined && Number.isNaN(day)) faults.add(`${tag}: ${shown(text)} is not a day`)
  return day
}

/** The report's year and the prior year. */
const yearsOf = (dayIn: (tag: string) => number) => [
  {
    start: dayIn('jpdei_cor:CurrentFiscalYearStartDateDEI'),
    end: dayIn('jpdei_cor:CurrentFiscalYearEndDateDEI'),
  },
  {
    start: dayIn('jpdei_cor:PreviousFiscalYearStartDateDEI'),
    end: dayIn('jpdei_cor:PreviousFiscalYearEndDateDEI'),
  },
]
