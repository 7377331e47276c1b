import { isoDate } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import type { Contribution, EntityProfile, Statement } from '../../../facts/reportedFact.ts'
import { dayOf, isRecord, numberOf, textOf } from '../../reading/fields.ts'
import type { DocumentContent } from '../register.ts'
import { newZealandDay, workingDayFrom } from './calendar.ts'
import { concepts, nzUses } from './concepts.ts'

const fields = Object.values(concepts).flatMap(({ tagGroups }) => tagGroups.flat())

interface Return {
  readonly row: Record<string, unknown>
  readonly number: string
  readonly year: number
}

type Reason =
  | 'a row without a registration number'
  | 'a return without YearEnded or its number'
  | 'an older return of the year'
  | 'a return without a currency, of a charity that also names another than NZD'

interface Charity {
  readonly profile: EntityProfile
  readonly returns: Map<number, Return>
}

/** Reads OData of the Charities Register: annual returns, and organisations for their names. Of several returns for one
 * year that with the highest number counts. */
export function readDocument(document: unknown): DocumentContent {
  const charities = new Map<string, Charity>()
  const leftOut: Partial<Record<Reason, number>> = {}
  const leave = (reason: Reason) => {
    leftOut[reason] = (leftOut[reason] ?? 0) + 1
  }
  let figuresRead = 0
  for (const row of rowsOf(document)) {
    const charity = textOf(row.CharityRegistrationNumber)
    if (charity === null || !/^CC\d{4,6}$/.test(charity)) {
      leave('a row without a registration number')
      continue
    }
    const figures = fields.filter(field => row[field] !== null && row[field] !== undefined).length
    figuresRead += figures
    const known = charities.get(charity) ?? { profile: profileOf(charity, row), returns: new Map() }
    charities.set(charity, known)
    const found = returnOf(row)
    if (found === null) {
      // Lists of organisations have no figures; a list of returns that leaves the year out cannot be placed.
      if (figures > 0) leave('a return without YearEnded or its number')
      continue
    }
    const other = known.returns.get(found.year)
    if (other !== undefined) leave('an older return of the year')
    if (other === undefined || Number(found.number) > Number(other.number))
      known.returns.set(found.year, found)
  }
  let malformed = 0
  const contributions = [...charities.values()].map(({ profile, returns }): Contribution => {
    const statements: Statement[] = []
    const namesOther = [...returns.values()].some(({ row }) => (currencyOf(row) ?? 'NZD') !== 'NZD')
    for (const found of returns.values()) {
      // The register writes amounts as the charity gave them: an Australian charity's are in AUD whether or not it says so.
      if (namesOther && currencyOf(found.row) === null)
        leave('a return without a currency, of a charity that also names another than NZD')
      else malformed += readReturn(found, statements)
    }
    return { profile, statements, filings: [] }
  })
  return { contributions, figuresRead, malformed, leftOut }
}

const currencyOf = (row: Record<string, unknown>) => textOf(row.ReportingCurrency)

function rowsOf(document: unknown): readonly Record<string, unknown>[] {
  const list = isRecord(document) ? document.d : undefined
  const rows = isRecord(list) ? list.results : list
  if (Array.isArray(rows)) return rows.filter(isRecord)
  throw new Failure('body_invalid', 'OData of the Charities Register has its rows in `d` or `d.results`.')
}

function profileOf(charity: string, row: Record<string, unknown>): EntityProfile {
  const name = textOf(row.Name)?.replace(/\s+/g, ' ')
  return {
    market: 'NZ',
    issuerId: charity,
    ...(name === undefined ? {} : { name }),
    tickers: [`${charity}.NZ`],
    registers: true,
  }
}

function returnOf(row: Record<string, unknown>): Return | null {
  const year = dayOf(textOf(row.YearEnded)?.slice(0, 10))
  const number = returnNumber(row)
  return year > 0 && number !== null ? { row, number, year } : null
}

/** Returns how many of its figures make no sense. */
function readReturn({ row, number, year: end }: Return, into: Statement[]): number {
  // In a text's order, too, a later return follows an earlier one.
  const accession = `NZ:${number.padStart(9, '0')}`
  const filing = { accession, form: 'annual return', filed: filedOn(row, end), acceptedAt: null }
  const unit = currencyOf(row) ?? 'NZD'
  let malformed = 0
  for (const field of fields) {
    const raw = row[field]
    if (raw === null || raw === undefined) continue
    const value = numberOf(raw)
    if (Number.isNaN(value) || !/^[A-Z]{3}$/.test(unit)) {
      malformed++
      continue
    }
    for (const { metric, concept, tag } of nzUses(field) ?? []) {
      const start = concept.kind === 'flow' ? dayAfter(monthsLater(end, -12)) : null
      into.push({ metric, tag, unit, start, end, value, rounded: false, filing })
    }
  }
  return malformed
}

/** The day on which the return was last modified, else the last of the statutory six months after its year. */
function filedOn(row: Record<string, unknown>, end: number): number {
  const modified = newZealandDay(row.ModifiedOn)
  return modified >= end ? modified : workingDayFrom(monthsLater(end, 6))
}

const dayAfter = (day: number) => day + 1

/** The same day of another month, or its last; the end of a month stays one. */
function monthsLater(day: number, months: number): number {
  const [year, month] = isoDate(day).split('-').map(Number)
  const isMonthEnd = isoDate(day + 1).endsWith('-01')
  const last = Date.UTC(year, month + months, 0) / 86_400_000
  const date = Number(isoDate(day).slice(8))
  return isMonthEnd ? last : Math.min(last, Date.UTC(year, month - 1 + months, date) / 86_400_000)
}

/** The number of an annual return: OData may leave a key out of the fields and has it in the address of the row. */
export function returnNumber(row: Record<string, unknown>): string | null {
  const address = isRecord(row.__metadata) ? textOf(row.__metadata.uri) : null
  const number = String(row.AnnualReturnId ?? /AnnualReturnId=(\d+)/.exec(address ?? '')?.[1])
  return /^\d{1,12}$/.test(number) ? number : null
}
