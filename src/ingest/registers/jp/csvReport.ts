import { Failure } from '../../../errors.ts'
import { dayOf } from '../../reading/fields.ts'
import { readCsv } from '../../reading/text.ts'
import { jpUses, soloTag } from './concepts.ts'
import {
  type LeftOut,
  ofPart,
  parseContextId,
  type Report,
  type ReportFigure,
  type ReportName,
  reportHead,
} from './report.ts'

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

/** How the register writes that there is nothing. */
const nothing = '－'

/** The report of a CSV that the register makes of an instance (type 5). It names years by their distance only; the days
 * of the last and of the year before it stand among the elements about the document. No days are stated of older years:
 * their figures are left out, as years need not have twelve months. null: the report was left out as a whole. */
export function csvReport(text: string, path: string, name: ReportName, leftOut: LeftOut): Report | null {
  const [first, ...rows] = readCsv(text, '\t')
  if (first === undefined || header.some((column, at) => first[at] !== column)) {
    throw new Failure('body_invalid', `A report as CSV has the columns ${header.join(', ')}, parted by tabs.`)
  }
  const texts = new Map<string, string>()
  for (const [tag, , , , , , , , value] of rows) {
    if (value !== nothing && !texts.has(tag)) texts.set(tag, value)
  }
  const head = reportHead(path, name, tag => texts.get(tag) ?? null)
  if ('reason' in head) {
    leftOut.add(head.reason)
    return null
  }
  const years = yearsOf(tag => dayOf(texts.get(tag)))
  const figures: ReportFigure[] = []
  let figuresRead = 0
  for (const [tag, , contextId, , , , unitId, , value] of rows) {
    const place = parseContextId(contextId)
    if (unitId === nothing) continue
    figuresRead++
    if (place === null) {
      if (jpUses(tag) !== undefined) leftOut.add(ofPart)
      continue
    }
    const year = years[place.yearsAgo]
    if (year === undefined || Number.isNaN(year.end) || (!place.isInstant && Number.isNaN(year.start))) {
      const isCarried = jpUses(place.isSolo ? soloTag(tag) : tag) !== undefined
      if (isCarried) leftOut.add('a figure of a year whose days the CSV does not state')
      continue
    }
    const start = place.isInstant ? null : year.start
    const stated = value === nothing || value === '' ? null : value
    figures.push({ tag, isSolo: place.isSolo, start, end: year.end, unit: unitOfId(unitId), value: stated })
  }
  return { ...head, figures, figuresRead }
}

/** `JPY` of JPY, `JPY/shares` of JPYPerShares; the id itself for others. */
const unitOfId = (id: string) => id.replace(/^([A-Z]{3})PerShares?$/, '$1/shares')

/** The year of the report and the one before it. */
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
