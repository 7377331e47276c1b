import { addMonths, isoDate } from '../../../dates.ts'
import type { Filing, ParsedDocument, ReportedFact } from '../../../facts/reportedFact.ts'
import { dayOf, textOf } from '../../reading/fields.ts'
import { shown } from '../../reading/namedFaults.ts'
import type { LeftOut, Tally } from '../registerInterface.ts'
import { usesOfTag } from './concepts.ts'
import type { Amounts, Deposit, Line } from './deposits.ts'
import { type FormCode, forms, incomePages } from './forms.ts'

/** The figures of one deposit; null if it is left out. */
export function factsOfDeposit(deposit: Deposit, tally: Tally): ParsedDocument | null {
  const faultyDay = faultyDayOf(deposit)
  if (faultyDay !== null) {
    tally.faults.add(faultyDay)
    return null
  }
  const header = headerOf(deposit)
  if (typeof header === 'string') {
    tally.leftOut.add(header)
    return null
  }
  const { siren, name } = header
  const profile = {
    market: 'FR',
    issuerId: siren,
    ...(name === null ? {} : { name }),
    tickers: [`${siren}.FR`],
    registers: true,
  }
  return { profile, reportedFacts: factsOfLines(deposit.lines, header, tally), filings: [] }
}

/** Names the first day of a deposit that is none. null: there is no such day. */
function faultyDayOf({ identity, recordFiled }: Deposit): string | null {
  const { dateDepot, dateClotureExercice, siren = '' } = identity
  const days = { date_depot: dateDepot, dateDepot: recordFiled, date_cloture_exercice: dateClotureExercice }
  for (const [field, day = ''] of Object.entries(days)) {
    if (day !== '' && Number.isNaN(dayIn(day)))
      return `the deposit of ${siren}, ${field}: ${shown(day)} is not a day`
  }
  return null
}

interface Year {
  /** null if the year does not have twelve months: its flows are not those of a year. */
  readonly start: number | null
  readonly end: number
}

interface Header {
  readonly siren: string
  readonly name: string | null
  readonly form: FormCode
  readonly unit: string
  readonly year: Year
  /** null if the deposit does not state when the prior year ended. */
  readonly before: Year | null
  readonly hidesIncome: boolean
  readonly filing: Filing
}

/** What the deposit states about itself, or the reason why it is left out. */
function headerOf({ identity, recordFiled }: Deposit): Header | string {
  const { siren = '', codeGreffe = '', numGestion = '', numDepot = '' } = identity
  if (!isSiren(siren)) return 'a deposit without a company number'
  const form = formOf(identity.codeTypeBilan)
  if (form.startsWith('a ')) return form
  if (identity.codeConfidentialite === '1') return 'confidential accounts'
  const end = dayIn(identity.dateClotureExercice)
  if (Number.isNaN(end)) return 'a deposit without the last day of its fiscal year'
  // If two places of a record differ, the later date counts: nothing may be seen before it was deposited.
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

/** A day as `YYYYMMDD`, as `YYYY-MM-DD` or as midnight of that day in French time. */
function dayIn(text: string | undefined): number {
  const found = /^(\d{4})-?(\d\d)-?(\d\d)(?:T00:00:00(?:\.0+)?(?:[+-]\d\d:\d\d)?)?$/.exec(text ?? '')
  return found === null ? Number.NaN : dayOf(`${found[1]}-${found[2]}-${found[3]}`)
}

const yearOf = (end: number, months: string | undefined): Year => ({
  start: Number(months) === 12 ? addMonths(end, -12) + 1 : null,
  end,
})

/** Courts number their deposits from 1 each year, and accounts of several years may be deposited under one number. The
 * deposit year and the end of the fiscal year make the number unique. */
function accessionOf(
  { codeGreffe, numGestion, numDepot }: { codeGreffe: string; numGestion: string; numDepot: string },
  filed: number,
  end: number,
): string {
  const [year] = isoDate(filed).split('-')
  const closed = isoDate(end).replaceAll('-', '')
  return `FR:${codeGreffe}-${numGestion}-${year}-${numDepot.replace(/^0+(?=.)/, '')}-${closed}`
}

/** The parts of a tag that a page states, for one of its years. */
interface Sum {
  value: number
  parts: number
}

function factsOfLines(lines: readonly Line[], header: Header, tally: Tally): ReportedFact[] {
  const pages = pagesOf(lines, header, tally.leftOut)
  const reportedFacts: ReportedFact[] = []
  for (const [number, page] of Object.entries(forms[header.form])) {
    const stated = pages.get(Number(number))
    if (stated === undefined) continue
    for (const [tag, codes] of Object.entries(page.tags)) {
      for (const [column, year] of [
        [page.year, header.year] as const,
        [page.before, header.before] as const,
      ]) {
        const sum = sumOf(codes, column, stated, {
          name: `${header.filing.accession}, page ${number}`,
          tally,
        })
        if (sum === null) continue
        if (year !== null) reportedFacts.push(...factsOfSum(tag, sum, year, header, tally.leftOut))
        else tally.leftOut.add('a prior-year figure without the end of that year', sum.parts)
      }
    }
  }
  return reportedFacts
}

/** The lines of each page by code; null if two lines of one code differ. */
function pagesOf(lines: readonly Line[], header: Header, leftOut: LeftOut) {
  const pages = new Map<number, Map<string, Amounts | null>>()
  let hidden = 0
  for (const { page, code, amounts } of lines) {
    if (header.hidesIncome && incomePages[header.form].includes(page)) {
      hidden += amounts.filter(amount => amount !== '').length
      continue
    }
    const stated = pages.get(page) ?? new Map<string, Amounts | null>()
    pages.set(page, stated)
    const known = stated.get(code)
    const isNew = known === undefined
    stated.set(code, isNew || (known !== null && known.join() === amounts.join()) ? amounts : null)
  }
  if (header.hidesIncome) leftOut.add('a confidential income statement')
  leftOut.add('a figure on a confidential page', hidden)
  return pages
}

/** null if no line states an amount, or one of the amounts is malformed. */
function sumOf(
  codes: readonly string[],
  column: number,
  page: ReadonlyMap<string, Amounts | null>,
  { name, tally }: { readonly name: string; readonly tally: Tally },
): Sum | null {
  const sum: Sum = { value: 0, parts: 0 }
  let isWhole = true
  for (const code of codes) {
    const amounts = page.get(code)
    if (amounts === undefined) continue
    const text = amounts === null ? 'two lines' : amounts[column]
    if (text === '') continue
    // Whole euros, filled with zeros to fifteen digits: 1.234.567,89 is malformed.
    if (/^[+-]?\d{1,15}$/.test(text)) {
      sum.value += Number(text)
      sum.parts++
    } else {
      const fault = amounts === null ? 'two lines state it' : `${shown(text)} is not a whole number`
      tally.faults.add(`${name}, line ${code}, column ${column + 1}: ${fault}`)
      isWhole = false
    }
  }
  return isWhole && sum.parts > 0 ? sum : null
}

function factsOfSum(
  tag: string,
  { value, parts }: Sum,
  { start, end }: Year,
  { unit, filing }: Header,
  leftOut: LeftOut,
): ReportedFact[] {
  return (usesOfTag(tag) ?? []).flatMap(({ metric, concept }): ReportedFact[] => {
    const isFlow = concept.kind === 'flow'
    if (!isFlow || start !== null)
      return [{ metric, tag, unit, start: isFlow ? start : null, end, value, rounded: false, filing }]
    leftOut.add('a flow over a period other than twelve months', parts)
    return []
  })
}
