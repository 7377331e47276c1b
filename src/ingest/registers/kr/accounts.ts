import { Failure } from '../../../errors.ts'
import type { EntityProfile, ParsedDocument, ReportedFact } from '../../../facts/reportedFact.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { compactDay, isRecord, textOf } from '../../reading/fields.ts'
import { shown } from '../../reading/namedFaults.ts'
import { type DocumentContent, Tally } from '../registerInterface.ts'
import { type Closing, type ClosingMonths, closingOf, isReportCode } from './closingMonth.ts'
import { assumedTickers, type Company, isCorpCode, isStockCode, monthOf, parseOverview } from './companies.ts'
import { countAmounts, factsOfReport, filingOf, type Line, type ReportLines } from './figures.ts'
import { wholeFilingsOf } from './wholeReport.ts'

/** One response of the API, and its location in the file. */
export interface Answer {
  readonly document: unknown
  /** For messages: `line 12: `; empty if the file is a single response. */
  readonly location: string
}

/**
 * Reads responses of the API: statements of companies (`fnlttSinglAcntAll`) and overviews (`company`).
 * Statements are the group's (CFS) or those of the company alone (OFS), as stated in the lines, the request
 * (stored as `_request`) or the file name.
 *
 * @param months from the overviews that the import has read so far; those of this document are added
 */
export function readAccounts(
  answers: readonly Answer[],
  fileName: string,
  months: ClosingMonths,
): DocumentContent {
  const gathered: Gathered = {
    reports: new Map(),
    companies: new Map(),
    hints: new Map(),
    tally: new Tally(),
    faultyReceipts: new Map(),
  }
  let figuresRead = 0
  for (const answer of answers) figuresRead += gather(answer, fileName, gathered)
  for (const { profile, closingMonth } of gathered.companies.values()) {
    if (closingMonth !== null) months.add(profile.issuerId, closingMonth)
  }
  let waits = false
  let isTentative = false
  const { tally } = gathered
  for (const [receipt, figures] of gathered.faultyReceipts)
    tally.faults.add(
      `receipt ${receipt}: ${shown(receipt.slice(0, 8))}, its filing day, is not a day`,
      figures,
    )
  const parsed: ParsedDocument[] = []
  const wholeFilings: StatedFiling[] = []
  const byCompany = Map.groupBy(gathered.reports.values(), report => report.corpCode)
  for (const corpCode of new Set([...gathered.companies.keys(), ...byCompany.keys()])) {
    const hint = gathered.hints.get(corpCode)
    const reports = byCompany.get(corpCode) ?? []
    const stated = new Set([...months.of(corpCode), monthOf(hint?.acc_mt) ?? []].flat())
    const closing = closingOf(reports, [...stated])
    waits ||= reports.length > 0 && closing === null
    isTentative ||= reports.length > 0 && stated.size === 0
    const profile = gathered.companies.get(corpCode)?.profile ?? profileOf(corpCode, hint)
    if (closing !== null) {
      for (const whole of wholeFilingsOf(reports, closing, tally)) wholeFilings.push(whole)
    }
    const reportedFacts = factsOfReports(reports, closing, tally)
    parsed.push({ profile, reportedFacts, filings: closing === null ? [] : reports.map(filingOf) })
  }
  return {
    parsed,
    wholeFilings,
    figuresRead,
    ...tally.counts,
    ...(waits ? { waits } : {}),
    ...(isTentative ? { isTentative } : {}),
    ...(gathered.companies.size > 0 ? { isAlwaysRead: true } : {}),
  }
}

interface Gathered {
  readonly reports: Map<string, ReportLines>
  readonly companies: Map<string, Company>
  /** What requests state about a company besides its number. */
  readonly hints: Map<string, Record<string, unknown>>
  readonly tally: Tally
  /** Receipts whose number does not begin with a valid day, and the number of their amounts. */
  readonly faultyReceipts: Map<string, number>
}

/** Returns the number of amounts in the response. */
function gather({ document, location }: Answer, fileName: string, into: Gathered): number {
  const fail = (reason: string) => new Failure('body_invalid', `${location}${reason}`)
  if (!isRecord(document)) throw fail('This is not a response of OpenDART: it must be an object.')
  const company = parseOverview(document)
  if (company !== null) {
    into.companies.set(company.profile.issuerId, company)
    if (!company.onBoard) into.tally.leftOut.add('an overview of a company that is listed on neither board')
    return 0
  }
  if (document.status !== '000') {
    const status = textOf(document.status)
    if (status === null) throw fail('This is not a response of OpenDART: it has no `status`.')
    into.tally.leftOut.add(`a response without statements (status ${status.slice(0, 10)})`)
    return 0
  }
  if (!Array.isArray(document.list)) throw fail('A response of OpenDART must have its lines in `list`.')
  const request = isRecord(document._request) ? document._request : {}
  let amounts = 0
  for (const line of document.list) {
    if (!isRecord(line)) throw fail('`list` has an element that is not a line of a statement.')
    const isSolo = soloOf(line, request, fileName)
    if (isSolo === null) {
      throw fail(
        'It is not stated whether these statements are consolidated. Name the file ..._CFS.json or ..._OFS.json, or store the request as `_request` with its `fs_div`.',
      )
    }
    amounts += countAmounts(line)
    gatherLine(line, { isSolo, location }, request, into)
  }
  return amounts
}

function gatherLine(
  line: Line,
  accounts: Pick<ReportLines, 'isSolo' | 'location'>,
  request: Record<string, unknown>,
  into: Gathered,
): void {
  const receipt = textOf(line.rcept_no) ?? ''
  if (/^\d{14}$/.test(receipt) && !(filingDay(receipt) > 0)) {
    into.faultyReceipts.set(receipt, (into.faultyReceipts.get(receipt) ?? 0) + countAmounts(line))
    return
  }
  const report = reportOf(line, accounts)
  if (report === null) {
    into.tally.leftOut.add('a line without a receipt, report, year or company', countAmounts(line))
    return
  }
  const key = `${report.corpCode} ${report.receipt} ${report.report} ${report.year} ${report.isSolo}`
  const known = into.reports.get(key)
  if (known === undefined) into.reports.set(key, report)
  else known.lines.push(line)
  into.hints.set(report.corpCode, { ...request, ...into.hints.get(report.corpCode) })
}

function soloOf(line: Line, request: Record<string, unknown>, fileName: string): boolean | null {
  const stated = textOf(line.fs_div) ?? textOf(request.fs_div) ?? /_(CFS|OFS)\.jsonl?$/i.exec(fileName)?.[1]
  const basis = stated?.toUpperCase()
  return basis === 'CFS' ? false : basis === 'OFS' ? true : null
}

function reportOf(line: Line, accounts: Pick<ReportLines, 'isSolo' | 'location'>): ReportLines | null {
  const receipt = textOf(line.rcept_no) ?? ''
  const corpCode = textOf(line.corp_code) ?? ''
  const year = textOf(line.bsns_year) ?? ''
  const filed = filingDay(receipt)
  const report = line.reprt_code
  if (!/^\d{14}$/.test(receipt) || !(filed > 0) || !isCorpCode(corpCode)) return null
  if (!isReportCode(report) || !/^(19|20)\d\d$/.test(year)) return null
  return { receipt, corpCode, year: Number(year), report, filed, ...accounts, lines: [line] }
}

const filingDay = (receipt: string): number => compactDay(receipt.slice(0, 8))

function factsOfReports(
  reports: readonly ReportLines[],
  closing: Closing | null,
  tally: Tally,
): readonly ReportedFact[] {
  if (closing !== null) return reports.flatMap(report => factsOfReport(report, closing, tally))
  for (const { lines } of reports) {
    const amounts = lines.reduce((sum, line) => sum + countAmounts(line), 0)
    tally.leftOut.add('a report whose closing month is unknown (import its overview with it)', amounts)
  }
  return []
}

function profileOf(corpCode: string, request: Record<string, unknown> = {}): EntityProfile {
  const stockCode = textOf(request.stock_code)
  const name = textOf(request.corp_name)
  return {
    market: 'KR',
    issuerId: corpCode,
    ...(name === null ? {} : { name, nameIsFallback: true }),
    ...(stockCode !== null && isStockCode(stockCode)
      ? { tickers: assumedTickers(stockCode), tickersAssumed: true }
      : {}),
    registers: true,
  }
}
