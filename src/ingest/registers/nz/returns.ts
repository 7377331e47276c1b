import { addMonths } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import type { EntityProfile, Filing, ParsedDocument, ReportedFact } from '../../../facts/reportedFact.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import {
  type FigureContext,
  plainDecimal,
  type ReportedFigure,
  type StatementLine,
} from '../../../wholeFilings/wholeFiling.ts'
import { dayOf, isRecord, numberOf, textOf, textOfScalar } from '../../reading/fields.ts'
import { asWritten, WrittenNumber } from '../../reading/json.ts'
import { NamedFaults, shown } from '../../reading/namedFaults.ts'
import { type DocumentContent, LeftOut } from '../registerInterface.ts'
import { newZealandDay, workingDayFrom } from './calendar.ts'
import { usesOfTag } from './concepts.ts'
import { isCode, numberFields } from './fields.ts'

type Row = Record<string, unknown>

interface AnnualReturn {
  readonly row: Row
  readonly number: string
  readonly yearEnd: number
}

interface Charity {
  readonly profile: EntityProfile
  /** Keyed by the end of the year. */
  readonly returns: Map<number, AnnualReturn>
}

/**
 * Reads OData of the Charities Register: annual returns, and organisations for their names. If there are
 * several returns for one year, the one with the highest number counts.
 */
export function readReturns(document: unknown): DocumentContent {
  const charities = new Map<string, Charity>()
  const leftOut = new LeftOut()
  const faults = new NamedFaults()
  let figuresRead = 0
  for (const row of rowsOf(document)) {
    const charity = textOf(row.CharityRegistrationNumber)
    if (charity === null || !/^CC\d{4,6}$/.test(charity)) {
      leftOut.add('a row without a registration number')
      continue
    }
    const figures = Object.keys(row).filter(field => isFigure(field, row[field])).length
    const found = returnOf(row)
    // Lists of organisations have no amounts.
    const isReturn = found !== null || amountFields.some(field => isFigure(field, row[field]))
    if (isReturn) figuresRead += figures
    const known = charities.get(charity) ?? { profile: profileOf(charity, row), returns: new Map() }
    charities.set(charity, known)
    const faultyDay = faultyDayOf(row)
    if (faultyDay !== null) {
      faults.add(faultyDay, Math.max(figures, 1))
      continue
    }
    if (found === null) {
      // A list of returns that omits the year cannot be dated.
      if (isReturn) leftOut.add('a return without YearEnded or its number')
      continue
    }
    const other = known.returns.get(found.yearEnd)
    if (other !== undefined) leftOut.add('an older return of the year')
    if (other === undefined || Number(found.number) > Number(other.number))
      known.returns.set(found.yearEnd, found)
  }
  const wholeFilings: StatedFiling[] = []
  const parsed = [...charities.values()].map(({ profile, returns }): ParsedDocument => {
    const reportedFacts: ReportedFact[] = []
    const filings: Filing[] = []
    const namesOther = [...returns.values()].some(({ row }) => (currencyOf(row) ?? 'NZD') !== 'NZD')
    for (const found of returns.values()) {
      // The register accepts amounts as the charity gives them: those of an Australian charity are in AUD
      // even if it states no currency.
      const currency = currencyOf(found.row) ?? (namesOther ? null : 'NZD')
      if (currency === null)
        leftOut.add('a return without a currency, of a charity that also names one other than NZD')
      const { facts, figures, lines, filing } = readFigures(found, currency, { faults, leftOut })
      for (const fact of facts) reportedFacts.push(fact)
      if (figures.length === 0) continue
      if (facts.length === 0) filings.push(filing)
      wholeFilings.push(wholeReturn(profile.issuerId, found, filing.accession, figures, lines))
    }
    return { profile, reportedFacts, filings }
  })
  return { parsed, wholeFilings, figuresRead, malformed: faults.count, faults, leftOut: leftOut.counts }
}

const amountFields = [...numberFields].flatMap(([field, { unit }]) => (unit === null ? [field] : []))

/** A number, or under the name of a figure a text that should be one. */
const isFigure = (field: string, cell: unknown) =>
  numberFields.has(field)
    ? cell !== null && cell !== undefined
    : (typeof cell === 'number' || cell instanceof WrittenNumber) && !isCode(field)

const currencyOf = (row: Row) => textOf(row.ReportingCurrency)

function rowsOf(document: unknown): readonly Row[] {
  const rows = odataRows(document)
  if (rows !== null) return rows.filter(isRecord)
  throw new Failure(
    'body_invalid',
    'OData of the Charities Register must have its rows in `d` or `d.results`.',
  )
}

/** The list in `d` or `d.results`; null if there is none. */
export function odataRows(document: unknown): readonly unknown[] | null {
  const list = isRecord(document) ? document.d : undefined
  const rows = isRecord(list) ? list.results : list
  return Array.isArray(rows) ? rows : null
}

function profileOf(charity: string, row: Row): EntityProfile {
  const name = textOf(row.Name)?.replace(/\s+/g, ' ')
  return {
    market: 'NZ',
    issuerId: charity,
    ...(name === undefined ? {} : { name }),
    tickers: [`${charity}.NZ`],
    registers: true,
  }
}

/** Names the first invalid date of a return; null if there is none. */
function faultyDayOf(row: Row): string | null {
  const days = {
    YearEnded: dayOf(textOf(row.YearEnded)?.slice(0, 10)),
    ModifiedOn: newZealandDay(row.ModifiedOn),
  }
  for (const [field, day] of Object.entries(days)) {
    if (textOf(row[field]) !== null && Number.isNaN(day))
      return `return ${returnNumber(row) ?? 'without a number'}, ${field}: ${shown(row[field])} is not a day`
  }
  return null
}

function returnOf(row: Row): AnnualReturn | null {
  const yearEnd = dayOf(textOf(row.YearEnded)?.slice(0, 10))
  const number = returnNumber(row)
  return yearEnd > 0 && number !== null ? { row, number, yearEnd } : null
}

/**
 * The number of an annual return. OData may omit a key from the fields and put it only into the row's
 * address.
 */
export function returnNumber(row: Row): string | null {
  const address = isRecord(row.__metadata) ? textOf(row.__metadata.uri) : null
  const number = textOfScalar(row.AnnualReturnId ?? /AnnualReturnId=(\d+)/.exec(address ?? '')?.[1])
  return /^\d{1,12}$/.test(number) ? number : null
}

interface ReturnFigures {
  readonly filing: Filing
  /** Empty without a currency. */
  readonly facts: readonly ReportedFact[]
  readonly figures: readonly ReportedFigure[]
  readonly lines: readonly StatementLine[]
}

/** @param currency null if the return does not state it and nothing implies it */
function readFigures(
  { row, number, yearEnd }: AnnualReturn,
  currency: string | null,
  { faults, leftOut }: { readonly faults: NamedFaults; readonly leftOut: LeftOut },
): ReturnFigures {
  // Zero-padded, so that later returns also sort after earlier ones as text.
  const accession = `NZ:${number.padStart(9, '0')}`
  const filing = { accession, form: 'annual return', filed: filedOn(row, yearEnd), acceptedAt: null }
  const year: FigureContext = {
    start: addMonths(yearEnd, -12) + 1,
    end: yearEnd,
    quarters: null,
    dimensions: [],
  }
  const atEnd: FigureContext = { ...year, start: null }
  const isCurrency = currency === null || /^[A-Z]{3}$/.test(currency)
  const figures: ReportedFigure[] = []
  const lines: StatementLine[] = []
  for (const [order, [field, raw]] of Object.entries(row).entries()) {
    if (!isFigure(field, raw)) continue
    const cell = asWritten(raw)
    const known = numberFields.get(field)
    if (known === undefined) {
      leftOut.add('a number under a name whose unit and period are not known')
      continue
    }
    const value = Number.isNaN(numberOf(cell)) ? null : plainDecimal(String(cell))
    if (value === null || (known.unit === null && !isCurrency)) {
      const fault = value === null ? `${shown(cell)} is not a number` : `its currency is ${shown(currency)}`
      faults.add(`return ${number}, ${field}: ${fault}`)
      continue
    }
    const unit = known.unit ?? currency ?? unstatedCurrency
    figures.push({ concept: field, context: known.isBalance ? atEnd : year, unit, decimals: null, value })
    lines.push({ order, concept: field, depth: null, label: null, labelRole: null, negated: false })
  }
  const facts = figures.flatMap(({ concept: field, unit, value }): ReportedFact[] =>
    (currency === null ? [] : (usesOfTag(field) ?? [])).map(({ metric, concept, tag }) => ({
      metric,
      tag,
      unit,
      start: concept.kind === 'flow' ? year.start : null,
      end: yearEnd,
      value: numberOf(value),
      rounded: false,
      filing,
    })),
  )
  return { filing, facts, figures, lines }
}

/** The unit of amounts whose return names no currency although its charity does not always report in NZD. */
const unstatedCurrency = 'unstated currency'

/** The register's table has one row per return, so its columns are the lines of one statement. */
const wholeReturn = (
  issuerId: string,
  { yearEnd }: AnnualReturn,
  accession: string,
  figures: readonly ReportedFigure[],
  lines: readonly StatementLine[],
): StatedFiling => ({
  market: 'NZ',
  issuerId,
  whole: {
    accession,
    taxonomies: new Map(),
    figures,
    statements: [{ role: 'GrpOrgAllReturns', title: null, kind: null, parenthetical: false, lines }],
    sums: [],
    defaultMembers: new Map(),
  },
  source: 'dataSet',
  periodEnd: yearEnd,
})

/**
 * The day on which the return was last modified; otherwise the last of the statutory six months after its
 * year.
 */
function filedOn(row: Row, yearEnd: number): number {
  const modified = newZealandDay(row.ModifiedOn)
  return modified >= yearEnd ? modified : workingDayFrom(addMonths(yearEnd, 6))
}
