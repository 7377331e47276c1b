import { addMonths, isoDate } from '../../../dates.ts'
import type { Contribution, Filing, Statement } from '../../../facts/reportedFact.ts'
import { dayOf, textOf } from '../../reading/fields.ts'
import { frUses } from './concepts.ts'
import { type Amounts, type Deposit, type FormCode, forms, incomePages, type Line } from './deposit.ts'

/** What reading deposits tells on its way. */
export interface DepositReport {
  malformed: number
  leftOut(reason: string, more?: number): void
}

/** The accounts that one deposit states; null where it is left out. */
export function readDeposit(deposit: Deposit, report: DepositReport): Contribution | null {
  const header = headerOf(deposit)
  if (typeof header === 'string') {
    report.leftOut(header)
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
  return { profile, statements: readLines(deposit.lines, header, report), filings: [] }
}

interface Year {
  /** null where the year is not of twelve months: what it earned is no year's figure. */
  readonly start: number | null
  readonly end: number
}

interface Header {
  readonly siren: string
  readonly name: string | null
  readonly form: FormCode
  readonly unit: string
  readonly year: Year
  /** null where the deposit does not say when the year before ended. */
  readonly before: Year | null
  readonly hidesIncome: boolean
  readonly filing: Filing
}

/** What the deposit says of itself, or why it is left out. */
function headerOf({ identity, filedAgain }: Deposit): Header | string {
  const { siren = '', codeGreffe = '', numGestion = '', numDepot = '' } = identity
  if (!isSiren(siren)) return 'a deposit without a company number'
  const form = formOf(identity.codeTypeBilan)
  if (form.startsWith('a ')) return form
  if (identity.codeConfidentialite === '1') return 'confidential accounts'
  const end = dayIn(identity.dateClotureExercice)
  if (Number.isNaN(end)) return 'a deposit without the day on which its year ended'
  // Where two places of a record differ, the later day counts: nothing may be seen before it was deposited.
  const days = [identity.dateDepot, filedAgain].filter(text => text !== undefined && text !== '').map(dayIn)
  const filed = Math.max(...days)
  if (days.length === 0 || Number.isNaN(filed)) return 'a deposit without its day'
  if (filed <= end) return 'a deposit that is dated before its year was over'
  if (codeGreffe === '' || numGestion === '' || numDepot === '') {
    return 'a deposit without its number at the court'
  }
  const unit = identity.codeDevise ?? ''
  if (!/^[A-Z]{3}$/.test(unit)) return 'a deposit without a currency'
  const beforeEnd = dayIn(identity.dateClotureExerciceNMoins1)
  const hasBefore = beforeEnd < end
  return {
    siren,
    name: textOf(identity.denomination)?.replace(/\s+/g, ' ') ?? null,
    form: form as FormCode,
    unit,
    year: yearOf(end, identity.dureeExerciceN),
    before: hasBefore ? yearOf(beforeEnd, identity.dureeExerciceNMoins1) : null,
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

/** The kind of accounts, or why it is not read. */
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

/** Courts count their deposits anew each year; several years' accounts may come in under one number. */
function accessionOf(
  { codeGreffe, numGestion, numDepot }: { codeGreffe: string; numGestion: string; numDepot: string },
  filed: number,
  end: number,
): string {
  const [year] = isoDate(filed).split('-')
  const closed = isoDate(end).replaceAll('-', '')
  return `FR:${codeGreffe}-${numGestion}-${year}-${numDepot.replace(/^0+(?=.)/, '')}-${closed}`
}

/** The pieces of a tag that a page states, for one of its years. */
interface Sum {
  value: number
  parts: number
}

function readLines(lines: readonly Line[], header: Header, report: DepositReport): Statement[] {
  const pages = pagesOf(lines, header, report)
  const statements: Statement[] = []
  for (const [number, page] of Object.entries(forms[header.form])) {
    const stated = pages.get(Number(number))
    if (stated === undefined) continue
    for (const [tag, codes] of Object.entries(page.tags)) {
      for (const [column, year] of [
        [page.year, header.year] as const,
        [page.before, header.before] as const,
      ]) {
        const sum = sumOf(codes, column, stated, report)
        if (sum === null) continue
        if (year === null) report.leftOut('a figure of the year before, whose end is not stated', sum.parts)
        else addStatement(tag, sum, year, header, statements, report)
      }
    }
  }
  return statements
}

/** The lines of each page by code. Two lines of one code that differ say nothing. */
function pagesOf(lines: readonly Line[], header: Header, report: DepositReport) {
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
  if (header.hidesIncome) report.leftOut('a confidential income statement')
  if (hidden > 0) report.leftOut('a figure on a confidential page', hidden)
  return pages
}

/** null where no line states an amount, or one of them states none that can be read. */
function sumOf(
  codes: readonly string[],
  column: number,
  page: ReadonlyMap<string, Amounts | null>,
  report: DepositReport,
): Sum | null {
  const sum: Sum = { value: 0, parts: 0 }
  let isWhole = true
  for (const code of codes) {
    const amounts = page.get(code)
    if (amounts === undefined) continue
    const text = amounts === null ? 'two lines' : amounts[column]
    if (text === '') continue
    // Whole euros, filled with zeros to fifteen digits: 1.234.567,89 is none.
    if (/^[+-]?\d{1,15}$/.test(text)) {
      sum.value += Number(text)
      sum.parts++
    } else {
      report.malformed++
      isWhole = false
    }
  }
  return isWhole && sum.parts > 0 ? sum : null
}

function addStatement(
  tag: string,
  { value, parts }: Sum,
  { start, end }: Year,
  { unit, filing }: Header,
  into: Statement[],
  report: DepositReport,
): void {
  for (const { metric, concept } of frUses(tag) ?? []) {
    const isFlow = concept.kind === 'flow'
    if (isFlow && start === null) report.leftOut('a figure earned over other than twelve months', parts)
    else into.push({ metric, tag, unit, start: isFlow ? start : null, end, value, rounded: false, filing })
  }
}
