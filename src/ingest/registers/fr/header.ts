import { addMonths, isoDate } from '../../../dates.ts'
import type { Filing } from '../../../facts/reportedFact.ts'
import { dayOf, textOf } from '../../reading/fields.ts'
import { shown } from '../../reading/namedFaults.ts'
import type { Deposit } from './deposits.ts'
import type { FormCode } from './forms.ts'

/** Names the first invalid date of a deposit; null if there is none. */
export function faultyDayOf({ identity, recordFiled }: Deposit): string | null {
  const { dateDepot, dateClotureExercice, siren = '' } = identity
  const days = { date_depot: dateDepot, dateDepot: recordFiled, date_cloture_exercice: dateClotureExercice }
  for (const [field, day = ''] of Object.entries(days)) {
    if (day !== '' && Number.isNaN(dayIn(day)))
      return `the deposit of ${siren}, ${field}: ${shown(day)} is not a day`
  }
  return null
}

export interface Year {
  /** The first day, by the stated number of months; null if that is not stated. */
  readonly start: number | null
  readonly end: number
  /** False if the year does not have twelve months, so that its flows are not a year's. */
  readonly isWhole: boolean
}

export interface Header {
  readonly siren: string
  readonly name: string | null
  readonly form: FormCode
  readonly unit: string
  readonly year: Year
  /** Null if the deposit does not state when the prior year ended. */
  readonly before: Year | null
  readonly hidesIncome: boolean
  readonly filing: Filing
}

/** What the deposit states about itself, or the reason why it is left out. */
export function headerOf({ identity, recordFiled }: Deposit): Header | string {
  const { siren = '', codeGreffe = '', numGestion = '', numDepot = '' } = identity
  if (!isSiren(siren)) return 'a deposit without a company number'
  const form = formOf(identity.codeTypeBilan)
  if (form.startsWith('a ')) return form
  if (identity.codeConfidentialite === '1') return 'confidential accounts'
  const end = dayIn(identity.dateClotureExercice)
  if (Number.isNaN(end)) return 'a deposit without the last day of its fiscal year'
  // If two places in a record differ, the later date counts: nothing may be visible before it was deposited.
  const days = [identity.dateDepot, recordFiled].filter(text => text !== undefined && text !== '').map(dayIn)
  const filed = Math.max(...days)
  if (days.length === 0 || Number.isNaN(filed)) return 'a deposit without its date'
  if (filed <= end) return 'a deposit dated before its fiscal year ended'
  if (codeGreffe === '' || numGestion === '' || numDepot === '') {
    return 'a deposit without its number at the court'
  }
  const unit = identity.codeDevise ?? ''
  if (!/^[A-Z]{3}$/.test(unit)) return 'a deposit without a currency'
  const priorEnd = dayIn(identity.dateClotureExerciceNMoins1)
  return {
    siren,
    name: textOf(identity.denomination)?.replace(/\s+/g, ' ') ?? null,
    form: form as FormCode,
    unit,
    year: yearOf(end, identity.dureeExerciceN),
    before: priorEnd < end ? yearOf(priorEnd, identity.dureeExerciceNMoins1) : null,
    hidesIncome: identity.codeConfidentialite === '2',
    filing: {
      accession: accessionOf({ codeGreffe, numGestion, numDepot }, filed, end),
      form: `annual accounts (${form})`,
      filed,
      acceptedAt: null,
    },
  }
}

export const isSiren = (text: string) => /^\d{9}$/.test(text)

/** The kind of accounts, or the reason why it is not read. */
function formOf(code: string | undefined): FormCode | `a ${string}` {
  switch (code) {
    case 'C':
    case 'K':
    case 'S':
      return code
    case 'A':
      return "a deposit in the insurers' form"
    case 'B':
      return "a deposit in the banks' form"
    default:
      return 'a deposit in an unknown form'
  }
}

/** Parses a day as `YYYYMMDD`, as `YYYY-MM-DD`, or as midnight of that day in French time. */
function dayIn(text: string | undefined): number {
  const found = /^(\d{4})-?(\d\d)-?(\d\d)(?:T00:00:00(?:\.0+)?(?:[+-]\d\d:\d\d)?)?$/.exec(text ?? '')
  return found === null ? Number.NaN : dayOf(`${found[1]}-${found[2]}-${found[3]}`)
}

function yearOf(end: number, text: string | undefined): Year {
  const months = Number(text)
  const isStated = Number.isInteger(months) && months > 0 && months <= maxMonths
  return { start: isStated ? addMonths(end, -months) + 1 : null, end, isWhole: months === 12 }
}

/** The field has two digits. */
const maxMonths = 99

/**
 * Courts number their deposits from 1 each year, and accounts of several years may be deposited under one
 * number. Deposit year and fiscal year end make the number unique.
 */
function accessionOf(
  { codeGreffe, numGestion, numDepot }: { codeGreffe: string; numGestion: string; numDepot: string },
  filed: number,
  end: number,
): string {
  const [year] = isoDate(filed).split('-')
  const closed = isoDate(end).replaceAll('-', '')
  return `FR:${codeGreffe}-${numGestion}-${year}-${numDepot.replace(/^0+(?=.)/, '')}-${closed}`
}
