import { Failure } from '../../../errors.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import {
  type Dimension,
  type FigureContext,
  plainDecimal,
  type ReportedFigure,
  type Statement,
  type StatementLine,
  type WholeFiling,
} from '../../../wholeFilings/wholeFiling.ts'
import { dayOf, textOf } from '../../reading/fields.ts'
import { type NamedFaults, shown } from '../../reading/namedFaults.ts'
import { readCsv } from '../../reading/text.ts'
import type { Tally } from '../registerInterface.ts'
import { accountsAxis, consolidated, separate } from './axes.ts'
import { soloTag, usesOfTag } from './concepts.ts'
import {
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

/** How the register writes an empty cell. */
const empty = '－'

/** A report from a CSV, with everything that the CSV states of it. */
export interface CsvReport extends Report {
  readonly whole: Pick<WholeFiling, 'figures' | 'statements'>
}

/**
 * Parses a CSV that the register generates from an instance (type 5). A figure's year is stated only as a
 * number of years before the report's year. The document's own elements state the first and last days of the
 * report's year and the prior year. Figures for older years are left out: their days cannot be inferred,
 * because a fiscal year need not have twelve months. Returns null if the report itself is not imported; the
 * reason is then counted in `leftOut`.
 */
export function parseCsvReport(text: string, path: string, name: ReportName, tally: Tally): CsvReport | null {
  const { leftOut, faults } = tally
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
  const whole = new CsvFigures(years, name.filed, tally)
  const figures: ReportFigure[] = []
  let figuresRead = 0
  rows.forEach(([tag, label, contextId, , , , unitId, , value], at) => {
    if (unitId === empty) return
    figuresRead++
    // Text blocks have line breaks, so a row is named by its number and not by a line.
    whole.add({ tag, label, contextId, unitId, value, row: at + 2 })
    const parsed = parseContextId(contextId)
    if (parsed === null) {
      if (usesOfTag(tag) !== undefined) leftOut.add(ofPart)
      return
    }
    const year = years[parsed.yearsAgo]
    if (year === undefined || Number.isNaN(year.end) || (!parsed.isInstant && Number.isNaN(year.start))) {
      const isCarried = usesOfTag(parsed.isSolo ? soloTag(tag) : tag) !== undefined
      if (isCarried) leftOut.add(ofUnstatedYear)
      return
    }
    const start = parsed.isInstant ? null : year.start
    const stated = value === empty || value === '' ? null : value
    figures.push({ tag, isSolo: parsed.isSolo, start, end: year.end, unit: unitOfId(unitId), value: stated })
  })
  return { ...head, figures, figuresRead, whole: whole.content() }
}

const ofUnstatedYear = 'a figure of a year whose first and last day the CSV does not state'
/** Of tags without a metric, whose figures are only in the whole filing. */
const ofUnstatedDays = 'a figure without a metric whose days the CSV does not state'

/** A CSV in full. Its rows are in order, but it does not tell statements apart. */
export function wholeCsvReport({ accession, edinetCode, periodEnd, whole }: CsvReport): StatedFiling {
  return {
    market: 'JP',
    issuerId: edinetCode,
    whole: {
      accession,
      taxonomies: new Map(),
      ...whole,
      sums: [],
      defaultMembers: new Map([[accountsAxis, consolidated]]),
    },
    source: 'figures',
    periodEnd,
  }
}

interface CsvRow {
  readonly tag: string
  readonly label: string
  readonly contextId: string
  readonly unitId: string
  readonly value: string
  readonly row: number
}

interface Days {
  readonly start: number
  readonly end: number
}

/**
 * Not an axis of the register: the rest of a context's ID, which names members but not their axes, as
 * `CapitalStockMember` of `CurrentYearInstant_NonConsolidatedMember_CapitalStockMember`.
 */
const membersAxis = 'edinet:contextId'

/** Every figure of a CSV whose days are known. */
class CsvFigures {
  readonly #years: readonly Days[]
  readonly #filed: number
  readonly #tally: Tally
  readonly #contexts = new Map<string, FigureContext | null>()
  readonly #figures: ReportedFigure[] = []
  readonly #labels = new Map<string, string>()

  constructor(years: readonly Days[], filed: number, tally: Tally) {
    this.#years = years
    this.#filed = filed
    this.#tally = tally
  }

  add({ tag, label, contextId, unitId, value: text, row }: CsvRow): void {
    const { leftOut, faults } = this.#tally
    const isMapped = usesOfTag(tag) !== undefined || usesOfTag(soloTag(tag)) !== undefined
    const context = this.#contextOf(contextId)
    if (context === null) {
      if (!isMapped) leftOut.add(ofUnstatedDays)
      return
    }
    const value = text === empty || text === '' ? null : plainDecimal(text)
    if (value === null && text !== empty && text !== '') {
      // The facts of mapped tags are checked themselves.
      if (!isMapped) faults.add(`row ${row}: ${tag} has the value ${shown(text)}`)
      return
    }
    if (!this.#labels.has(tag)) this.#labels.set(tag, label)
    this.#figures.push({ concept: tag, context, unit: unitOfId(unitId), decimals: null, value })
  }

  content(): CsvReport['whole'] {
    const lines = [...this.#labels].map(
      ([concept, label], at): StatementLine => ({
        order: at + 1,
        concept,
        depth: null,
        label: textOf(label),
        labelRole: null,
        negated: false,
      }),
    )
    const table: Statement = { role: 'CSV', title: null, kind: 'UN', parenthetical: false, lines }
    return { figures: this.#figures, statements: lines.length === 0 ? [] : [table] }
  }

  #contextOf(id: string): FigureContext | null {
    const known = this.#contexts.get(id)
    if (known !== undefined) return known
    const context = this.#readContext(id)
    this.#contexts.set(id, context)
    return context
  }

  /** Null if the CSV does not state the days. */
  #readContext(id: string): FigureContext | null {
    const parts = /^(?:(CurrentYear|Prior(\d)Year)(Duration|Instant)|FilingDateInstant)(?:_(.+))?$/.exec(id)
    if (parts === null) return null
    const [, named, yearsAgo = '0', length, members = ''] = parts
    const filingDay = { start: this.#filed, end: this.#filed }
    const days = named === undefined ? filingDay : this.#years[Number(yearsAgo)]
    const start = length === 'Duration' ? days?.start : null
    if (days === undefined || Number.isNaN(days.end) || start === undefined || Number.isNaN(start))
      return null
    return { start, end: days.end, quarters: null, dimensions: dimensionsOf(members) }
  }
}

function dimensionsOf(members: string): Dimension[] {
  const [, solo, others = ''] = /^(NonConsolidatedMember)?_?(.*)$/.exec(members) ?? []
  return [
    ...(others === '' ? [] : [{ axis: membersAxis, member: others }]),
    ...(solo === undefined ? [] : [{ axis: accountsAxis, member: separate }]),
  ]
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
