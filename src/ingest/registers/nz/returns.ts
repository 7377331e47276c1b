import { addMonths } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import type { EntityProfile, ParsedDocument, ReportedFact } from '../../../facts/reportedFact.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { dayOf, isRecord, numberOf, textOf } from '../../reading/fields.ts'
import { WrittenNumber } from '../../reading/json.ts'
import { NamedFaults, shown } from '../../reading/namedFaults.ts'
import { type DocumentContent, LeftOut } from '../registerInterface.ts'
import { newZealandDay, workingDayFrom } from './calendar.ts'
import { concepts, usesOfTag } from './concepts.ts'
import { wholeReturn } from './wholeReturn.ts'

type Row = Record<string, unknown>

interface AnnualReturn {
  readonly row: Row
  readonly number: string
  readonly yearEnd: number
}

interface Charity {
  readonly profile: EntityProfile
  /** Those that count, keyed by the end of the year. */
  readonly returns: Map<number, AnnualReturn>
  readonly allReturns: AnnualReturn[]
}

/**
 * Reads OData of the Charities Register: annual returns, and organisations for their names. If there are
 * several returns for one year, the one with the highest number counts.
 */
export function readReturns(document: unknown): DocumentContent {
  const charities = new Map<string, Charity>()
  const leftOut = new LeftOut()
  const faults = new NamedFaults()
  const wholeFilings: StatedFiling[] = []
  let figuresRead = 0
  for (const row of rowsOf(document)) {
    const charity = textOf(row.CharityRegistrationNumber)
    if (charity === null || !/^CC\d{4,6}$/.test(charity)) {
      leftOut.add('a row without a registration number')
      continue
    }
    const figures = fields.filter(field => row[field] !== null && row[field] !== undefined).length
    figuresRead += figures
    const known: Charity = charities.get(charity) ?? {
      profile: profileOf(charity, row),
      returns: new Map(),
      allReturns: [],
    }
    charities.set(charity, known)
    const faultyDay = faultyDayOf(row)
    if (faultyDay !== null) {
      faults.add(faultyDay, Math.max(figures, 1))
      continue
    }
    const found = returnOf(row)
    if (found === null) {
      // Lists of organisations have no figures; a list of returns that omits the year cannot be dated.
      if (figures > 0) leftOut.add('a return without YearEnded or its number')
      continue
    }
    known.allReturns.push(found)
    const other = known.returns.get(found.yearEnd)
    if (other !== undefined) leftOut.add('an older return of the year')
    if (other === undefined || Number(found.number) > Number(other.number))
      known.returns.set(found.yearEnd, found)
  }
  const parsed = [...charities.values()].map(({ profile, returns, allReturns }): ParsedDocument => {
    const reportedFacts: ReportedFact[] = []
    // The register accepts amounts as the charity gives them: those of an Australian charity are in AUD even if
    // it states no currency.
    const namesOther = [...returns.values()].some(({ row }) => (currencyOf(row) ?? 'NZD') !== 'NZD')
    const isUncertain = (found: AnnualReturn) => namesOther && currencyOf(found.row) === null
    for (const found of allReturns) {
      const stated = currencyOf(found.row) ?? 'NZD'
      const currency = isUncertain(found) ? '' : currencyCode.test(stated) ? stated : null
      const accession = accessionOf(found)
      wholeFilings.push(wholeReturn({ charity: profile.issuerId, accession, currency, ...found }, faults))
    }
    for (const found of returns.values()) {
      if (isUncertain(found))
        leftOut.add('a return without a currency, of a charity that also names one other than NZD')
      else addFacts(found, reportedFacts, faults)
    }
    return { profile, reportedFacts, filings: [] }
  })
  return { parsed, wholeFilings, figuresRead, malformed: faults.count, faults, leftOut: leftOut.counts }
}

const fields = Object.values(concepts).flatMap(({ tagGroups }) => tagGroups.flat())

const currencyCode = /^[A-Z]{3}$/
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
  const number = String(row.AnnualReturnId ?? /AnnualReturnId=(\d+)/.exec(address ?? '')?.[1])
  return /^\d{1,12}$/.test(number) ? number : null
}

/** Zero-padded, so that later returns also sort after earlier ones as text. */
const accessionOf = ({ number }: AnnualReturn) => `NZ:${number.padStart(9, '0')}`

/** Adds the facts of a return, and its malformed figures. */
function addFacts(found: AnnualReturn, into: ReportedFact[], faults: NamedFaults): void {
  const { row, number, yearEnd } = found
  const filing = {
    accession: accessionOf(found),
    form: 'annual return',
    filed: filedOn(row, yearEnd),
    acceptedAt: null,
  }
  const unit = currencyOf(row) ?? 'NZD'
  const isCurrency = currencyCode.test(unit)
  for (const field of fields) {
    const raw = row[field]
    if (raw === null || raw === undefined) continue
    const value = raw instanceof WrittenNumber ? raw.value : numberOf(raw)
    if (Number.isNaN(value) || !isCurrency) {
      const fault = isCurrency ? `${shown(raw)} is not a number` : `its currency is ${shown(unit)}`
      faults.add(`return ${number}, ${field}: ${fault}`)
      continue
    }
    for (const { metric, concept, tag } of usesOfTag(field) ?? []) {
      const start = concept.kind === 'flow' ? addMonths(yearEnd, -12) + 1 : null
      into.push({ metric, tag, unit, start, end: yearEnd, value, rounded: false, filing })
    }
  }
}

/**
 * The day on which the return was last modified; otherwise the last of the statutory six months after its
 * year.
 */
function filedOn(row: Row, yearEnd: number): number {
  const modified = newZealandDay(row.ModifiedOn)
  return modified >= yearEnd ? modified : workingDayFrom(addMonths(yearEnd, 6))
}
