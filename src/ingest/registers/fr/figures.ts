import type { ParsedDocument, ReportedFact } from '../../../facts/reportedFact.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { shown } from '../../reading/namedFaults.ts'
import type { LeftOut, Tally } from '../registerInterface.ts'
import { usesOfTag } from './concepts.ts'
import { type Amounts, type Deposit, isAmount, type Line } from './deposits.ts'
import { forms, incomePages } from './forms.ts'
import { faultyDayOf, type Header, headerOf, type Year } from './header.ts'
import { wholeFilingOf } from './wholeDeposit.ts'

interface DepositContent {
  readonly parsed: ParsedDocument
  readonly whole: StatedFiling
}

/** The content of one deposit; null if it is left out. */
export function contentOfDeposit(deposit: Deposit, tally: Tally): DepositContent | null {
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
  const lines = publicLines(deposit.lines, header, tally.leftOut)
  const reportedFacts = factsOfLines(lines, header, tally)
  // Facts date their filing themselves, by the first of all observations.
  const filings = reportedFacts.length === 0 ? [header.filing] : []
  return { parsed: { profile, reportedFacts, filings }, whole: wholeFilingOf(lines, header, tally) }
}

/** The parts of a tag that a page states for one of its years. */
interface Sum {
  value: number
  parts: number
}

function factsOfLines(lines: readonly Line[], header: Header, tally: Tally): ReportedFact[] {
  const pages = pagesOf(lines)
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

/** The lines without those of pages that the company keeps confidential. */
function publicLines(
  lines: readonly Line[],
  { form, hidesIncome }: Header,
  leftOut: LeftOut,
): readonly Line[] {
  if (!hidesIncome) return lines
  const [hidden, kept] = [true, false].map(isHidden =>
    lines.filter(({ page }) => incomePages[form].includes(page) === isHidden),
  )
  leftOut.add('a confidential income statement')
  leftOut.add(
    'a figure on a confidential page',
    hidden.reduce((sum, { amounts }) => sum + amounts.filter(amount => amount !== '').length, 0),
  )
  return kept
}

/** The lines of each page by code; null if two lines of one code differ. */
function pagesOf(lines: readonly Line[]): ReadonlyMap<number, ReadonlyMap<string, Amounts | null>> {
  const pages = new Map<number, Map<string, Amounts | null>>()
  for (const { page, code, amounts } of lines) {
    const stated = pages.get(page) ?? new Map<string, Amounts | null>()
    pages.set(page, stated)
    const known = stated.get(code)
    const isNew = known === undefined
    stated.set(code, isNew || (known !== null && known.join() === amounts.join()) ? amounts : null)
  }
  return pages
}

/** Null if no line states an amount or one of the amounts is malformed. */
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
    if (isAmount(text)) {
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
  { start, end, isWhole }: Year,
  { unit, filing }: Header,
  leftOut: LeftOut,
): ReportedFact[] {
  return (usesOfTag(tag) ?? []).flatMap(({ metric, concept }): ReportedFact[] => {
    const isFlow = concept.kind === 'flow'
    if (!isFlow || isWhole)
      return [{ metric, tag, unit, start: isFlow ? start : null, end, value, rounded: false, filing }]
    leftOut.add('a flow over a period other than twelve months', parts)
    return []
  })
}
