import { Failure } from '../../../errors.ts'
import type { EntityProfile, Filing } from '../../../facts/reportedFact.ts'
import { dayOf, isRecord, textOf } from '../../reading/fields.ts'
import { type CsvRows, csvRows } from '../../reading/text.ts'

/** What the register says of a deposit: whose accounts it holds, of which year, and on which day it came in. */
export interface Reference {
  readonly number: string
  readonly enterprise: string
  readonly name: string | null
  readonly filed: number
  readonly start: number
  readonly end: number
  readonly model: string
  readonly currency: string
}

/** About as many deposits as the register takes in four years. */
const mostReferences = 3_000_000

export const isReferenceNumber = (text: unknown): text is string =>
  typeof text === 'string' && /^\d{4}-\d{8}$/.test(text)

/** The references that an import has met, in any order. */
export class References {
  readonly #byNumber = new Map<string, Reference | null>()
  /** The first days that deposits state, by enterprise and last day. */
  readonly #starts = new Map<string, { readonly start: number; readonly filed: number }[]>()

  /** null: not known, or claimed by two enterprises. */
  find(number: string): Reference | null {
    return this.#byNumber.get(number) ?? null
  }

  /** The first day of the enterprise's year that ended on `end`, as far as deposits up to the day `by` state one and the
   * same; else NaN. */
  startOfYear(enterprise: string, end: number, by: number): number {
    const stated = this.#starts.get(`${enterprise} ${end}`)?.filter(({ filed }) => filed <= by) ?? []
    const [first] = stated
    return first !== undefined && stated.every(({ start }) => start === first.start)
      ? first.start
      : Number.NaN
  }

  add(reference: Reference): void {
    const { number, enterprise, start, end, filed } = reference
    const known = this.#byNumber.get(number)
    if (known === undefined && this.#byNumber.size >= mostReferences) {
      throw new Failure(
        'body_too_large',
        `More than ${mostReferences} references in one import. Import them in parts, each with its accounts.`,
      )
    }
    // Where two sources disagree on the day, the later one counts: nothing may be seen before it was deposited.
    const isSame = known == null || (known.enterprise === enterprise && known.end === end)
    const latest = known == null || known.filed < reference.filed ? reference : known
    this.#byNumber.set(number, known === null || !isSame ? null : latest)
    const year = `${enterprise} ${end}`
    const stated = this.#starts.get(year)
    if (stated === undefined) this.#starts.set(year, [{ start, filed }])
    else if (known === undefined) stated.push({ start, filed })
  }
}

export const filingOf = ({ number, model, filed }: Reference): Filing => ({
  accession: `BE:${number}`,
  form: model,
  filed,
  acceptedAt: null,
})

/** A reference, or why it is left out. */
export function referenceOf(item: Readonly<Record<string, unknown>>, fileName: string): Reference | string {
  const { ReferenceNumber: number, DepositDate, ExerciseDates, ModelType, Currency, DataVersion } = item
  if (!isReferenceNumber(number)) return 'a reference without its number'
  // An improved version is the register's own later edit, under the same number and day.
  if (DataVersion !== undefined && DataVersion !== null && DataVersion !== 'Authentic') {
    return 'a reference to data that the register edited later'
  }
  const enterprise = enterpriseNumber(item.EnterpriseNumber) ?? enterpriseInName(fileName)
  if (enterprise === null) return 'a reference without an enterprise number in it or in its file name'
  const filed = dayOf(textOf(DepositDate)?.slice(0, 10))
  const dates = isRecord(ExerciseDates) ? ExerciseDates : {}
  const [start, end] = [dates.startDate, dates.endDate].map(text => dayOf(textOf(text)?.slice(0, 10)))
  if (Number.isNaN(filed)) return 'a reference without the day of its deposit'
  if (!(start < end)) return 'a reference without the days of its year'
  if (filed <= end) return 'a reference that is dated before its year was over'
  const model = textOf(ModelType)
  const currency = textOf(Currency)
  if (model === null || currency === null || !/^[A-Z]{3}$/.test(currency)) {
    return 'a reference without a model or a currency'
  }
  return { number, enterprise, name: textOf(item.EnterpriseName), filed, start, end, model, currency }
}

/** The register's answer on one enterprise does not say which it is: the number is in the name of the file. */
function enterpriseInName(fileName: string): string | null {
  const base = fileName.slice(fileName.lastIndexOf('/') + 1)
  for (const [digits] of base.matchAll(/(?<!\d)\d{10}(?!\d)/g)) {
    const number = enterpriseNumber(digits)
    if (number !== null) return number
  }
  return null
}

export interface TableContent {
  readonly profiles: readonly EntityProfile[]
  readonly leftOut: Readonly<Record<string, number>>
}

/** Names from a table of enterprises. Most of them never deposit accounts, so it registers nobody. Other tables on
 * enterprises are recognised and left out: accounts by the year have no day of deposit. */
export function readTable(text: string): TableContent {
  const rows = csvRows(text)
  const { header } = rows
  const has = (...names: string[]) => names.every(name => header.includes(name))
  if (has('enterprisenumber', 'denomination')) return readNames(rows)
  const reason = has('enterprise_number', 'year', '20/58')
    ? 'a row of accounts without the day of its deposit'
    : has('code', 'description')
      ? 'a row of a list of codes'
      : has('enterprisenumber') || has('enterprise_number')
        ? 'a row that says other things of an enterprise than its name'
        : null
  if (reason === null) {
    throw new Failure(
      'body_invalid',
      'line 1: the table has no column `enterprisenumber`. Names are read from `enterprisenumber` and `denomination`.',
    )
  }
  return { profiles: [], leftOut: { [reason]: rows.records.length } }
}

function readNames(rows: CsvRows): TableContent {
  const profiles: EntityProfile[] = []
  const leftOut: Record<string, number> = {}
  const skip = (reason: string) => {
    leftOut[reason] = (leftOut[reason] ?? 0) + 1
  }
  for (const row of rows.records) {
    const issuerId = enterpriseNumber(row.enterprisenumber)
    const name = textOf(row.denomination)
    if (issuerId === null) skip('an enterprise without a number')
    else if (name === null) skip('an enterprise without a name')
    else profiles.push({ market: 'BE', issuerId, name, nameIsFallback: true, registers: false })
  }
  return { profiles, leftOut }
}

/** The ten digits of an enterprise number, however it is written (`BE 0410.682.657`, `410682657`); null where its last two
 * are not the check on the others. */
export function enterpriseNumber(text: unknown): string | null {
  if (typeof text !== 'string') return null
  const digits = text.trim().replace(/^BE/i, '').replaceAll(/[\s.]/g, '')
  if (!/^\d{9,10}$/.test(digits)) return null
  const number = digits.padStart(10, '0')
  return Number(number.slice(8)) === 97 - (Number(number.slice(0, 8)) % 97) ? number : null
}
