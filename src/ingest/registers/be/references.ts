import { Failure } from '../../../errors.ts'
import type { Filing, ParsedDocument } from '../../../facts/reportedFact.ts'
import { dayOf, isRecord, textOf } from '../../reading/fields.ts'
import { NamedFaults, shown } from '../../reading/namedFaults.ts'
import { contentWithoutFigures, type DocumentContent, LeftOut } from '../registerInterface.ts'
import { enterpriseNumber, profileOf } from './enterprises.ts'

/** What the register states of a deposit: whose accounts it holds, for which fiscal year, and when it was made. */
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

/** Reads a list of references and adds them to those of the import. */
export function readReferences(
  items: readonly Readonly<Record<string, unknown>>[],
  fileName: string,
  references: References,
): DocumentContent {
  const enterprises = new Map<string, ParsedDocument>()
  const leftOut = new LeftOut()
  const faults = new NamedFaults()
  for (const item of items) {
    const faultyDay = faultyDayOf(item)
    if (faultyDay !== null) {
      faults.add(faultyDay)
      continue
    }
    const reference = parseReference(item, fileName)
    if (typeof reference === 'string') {
      leftOut.add(reference)
      continue
    }
    references.add(reference)
    const { enterprise, name } = reference
    const filings = enterprises.get(enterprise)?.filings ?? []
    enterprises.set(enterprise, {
      profile: profileOf(enterprise, name),
      reportedFacts: [],
      // If the deposit is already on record with another date, the later date counts.
      filings: [...filings, filingOf(reference)],
    })
  }
  return { ...contentWithoutFigures([...enterprises.values()], leftOut, faults), isAlwaysRead: true }
}

/** Names the first day of a reference that is none. null: there is no such day. */
function faultyDayOf(item: Readonly<Record<string, unknown>>): string | null {
  const { startDate, endDate } = isRecord(item.ExerciseDates) ? item.ExerciseDates : {}
  for (const [field, stated] of Object.entries({ DepositDate: item.DepositDate, startDate, endDate })) {
    const text = textOf(stated)
    if (text !== null && Number.isNaN(dayOf(text.slice(0, 10))))
      return `reference ${shown(item.ReferenceNumber)}, ${field}: ${shown(text)} is not a day`
  }
  return null
}

/** A reference, or the reason why it is left out. */
function parseReference(item: Readonly<Record<string, unknown>>, fileName: string): Reference | string {
  const { ReferenceNumber: number, DepositDate, ExerciseDates, ModelType, Currency, DataVersion } = item
  if (!isReferenceNumber(number)) return 'a reference without its number'
  // An improved version is a later edit by the register, under the same number and deposit date.
  if (DataVersion !== undefined && DataVersion !== null && DataVersion !== 'Authentic') {
    return 'a reference to data that the register edited later'
  }
  const enterprise = enterpriseNumber(item.EnterpriseNumber) ?? enterpriseInName(fileName)
  if (enterprise === null) return 'a reference without an enterprise number in it or in its file name'
  const filed = dayOf(textOf(DepositDate)?.slice(0, 10))
  const dates = isRecord(ExerciseDates) ? ExerciseDates : {}
  const [start, end] = [dates.startDate, dates.endDate].map(text => dayOf(textOf(text)?.slice(0, 10)))
  if (Number.isNaN(filed)) return 'a reference without a deposit date'
  if (!(start < end)) return 'a reference without the first and last day of its fiscal year'
  if (filed <= end) return 'a reference deposited before its fiscal year ended'
  const model = textOf(ModelType)
  const currency = textOf(Currency)
  if (model === null || currency === null || !/^[A-Z]{3}$/.test(currency)) {
    return 'a reference without a model or a currency'
  }
  return { number, enterprise, name: textOf(item.EnterpriseName), filed, start, end, model, currency }
}

export const isReferenceNumber = (text: unknown): text is string =>
  typeof text === 'string' && /^\d{4}-\d{8}$/.test(text)

/** The register's response for one enterprise does not name it: the number is in the file name. */
function enterpriseInName(fileName: string): string | null {
  const base = fileName.slice(fileName.lastIndexOf('/') + 1)
  for (const [digits] of base.matchAll(/(?<!\d)\d{10}(?!\d)/g)) {
    const number = enterpriseNumber(digits)
    if (number !== null) return number
  }
  return null
}

export const filingOf = ({ number, model, filed }: Reference): Filing => ({
  accession: `BE:${number}`,
  form: model,
  filed,
  acceptedAt: null,
})

/** About as many deposits as the register takes in four years. */
const maxReferences = 3_000_000

/** The references that an import has read so far, in any order. */
export class References {
  readonly #byNumber = new Map<string, Reference | null>()
  /** The first days that deposits state, by enterprise and last day of the fiscal year. */
  readonly #starts = new Map<string, { readonly start: number; readonly filed: number }[]>()

  /** null: unknown, or claimed by two enterprises. */
  find(number: string): Reference | null {
    return this.#byNumber.get(number) ?? null
  }

  /** The first day of the enterprise's fiscal year that ended on `end`. NaN if no deposit up to the day `by` states it, or if
   * these deposits disagree. */
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
    if (known === undefined && this.#byNumber.size >= maxReferences) {
      throw new Failure(
        'body_too_large',
        `More than ${maxReferences} references in one import. Import them in parts, each together with its accounts.`,
      )
    }
    // If two sources disagree on the date, the later one counts: nothing may be seen before it was deposited.
    const isSame = known == null || (known.enterprise === enterprise && known.end === end)
    const latest = known == null || known.filed < reference.filed ? reference : known
    this.#byNumber.set(number, known === null || !isSame ? null : latest)
    const year = `${enterprise} ${end}`
    const stated = this.#starts.get(year)
    if (stated === undefined) this.#starts.set(year, [{ start, filed }])
    else if (known === undefined) stated.push({ start, filed })
  }
}
