import { addMonths } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import type { EntityProfile, ParsedDocument, ReportedFact } from '../../../facts/reportedFact.ts'
import { dayOf, isRecord, numberOf, textOf } from '../../reading/fields.ts'
import { NamedFaults, shown } from '../../reading/namedFaults.ts'
import { type DocumentContent, LeftOut } from '../registerInterface.ts'
import { newZealandDay, workingDayFrom } from './calendar.ts'
import { concepts, usesOfTag } from './concepts.ts'

type Row = Record<string, unknown>

interface AnnualReturn {
  readonly row: Row
  readonly number: string
  readonly yearEnd: number
}

interface Charity {
  readonly profile: EntityProfile
  /** By the end of the year. */
  readonly returns: Map<number, AnnualReturn>
}

/** Reads OData of the Charities Register: annual returns, and organisations for their names. Of several returns for one
 * year the one with the highest number counts. */
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
    const figures = fields.filter(field => row[field] !== null && row[field] !== undefined).length
    figuresRead += figures
    const known = charities.get(charity) ?? { profile: profileOf(charity, row), returns: new Map() }
    charities.set(charity, known)
    const faultyDay = faultyDayOf(row)
    if (faultyDay !== null) {
      faults.add(faultyDay, Math.max(figures, 1))
      continue
    }
    const found = returnOf(row)
    if (found === null) {
      // Lists of organisations have no figures; a list of returns that leaves the year out cannot be dated.
      if (figures > 0) leftOut.add('a return without YearEnded or its number')
      continue
    }
    const other = known.returns.get(found.yearEnd)
    if (other !== undefined) leftOut.add('an older return of the year')
    if (other === undefined || Number(found.number) > Number(other.number))
      known.returns.set(found.yearEnd, found)
  }
  const parsed = [...charities.values()].map(({ profile, returns }): ParsedDocument => {
    const reportedFacts: ReportedFact[] = []
    const namesOther = [...returns.values()].some(({ row }) => (currencyOf(row) ?? 'NZD') !== 'NZD')
    for (const found of returns.values()) {
      // The register takes amounts as the charity gives them: an Australian charity's are in AUD even if it states no
      // currency.
      if (namesOther && currencyOf(found.row) === null)
        leftOut.add('a return without a currency, of a charity that also names one other than NZD')
      else addFacts(found, reportedFacts, faults)
    }
    return { profile, reportedFacts, filings: [] }
  })
  return { parsed, figuresRead, malformed: faults.count, faults, leftOut: leftOut.counts }
}

const fields = Object.values(concepts).flatMap(({ tagGroups }) => tagGroups.flat())

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

/** Names the first day of a return that is none. null: there is no such day. */
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

/** The number of an annual return: OData may leave a key out of the fields and put it only into the address of the row. */
export function returnNumber(row: Row): string | null {
  const address = isRecord(row.__metadata) ? textOf(row.__metadata.uri) : null
  const number = String(row.AnnualReturnId ?? /AnnualReturnId=(\d+)/.exec(address ?? '')?.[1])
  return /^\d{1,12}$/.test(number) ? number : null
}

/** Adds the facts of a return, and what is malformed in it. */
function addFacts({ row, number, yearEnd }: AnnualReturn, into: ReportedFact[], faults: NamedFaults): void {
  // Padded, so that a later return follows an earlier one in the order of texts, too.
  const accession = `NZ:${number.padStart(9, '0')}`
  const filing = { accession, form: 'annual return', filed: filedOn(row, yearEnd), acceptedAt: null }
  const unit = currencyOf(row) ?? 'NZD'
  const isCurrency = /^[A-Z]{3}$/.test(unit)
  for (const field of fields) {
    const raw = row[field]
    if (raw === null || raw === undefined) continue
    const value = numberOf(raw)
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

/** The day on which the return was last modified, else the last of the statutory six months after its year. */
function filedOn(row: Row, yearEnd: number): number {
  const modified = newZealandDay(row.ModifiedOn)
  return modified >= yearEnd ? modified : workingDayFrom(addMonths(yearEnd, 6))
}
