import { Failure } from '../../../errors.ts'
import type { Contribution, EntityProfile } from '../../../facts/reportedFact.ts'
import { compactDay, isRecord, textOf } from '../../reading/fields.ts'
import { decodeUtf8, parseJson, parseJsonLines } from '../../reading/json.ts'
import type { DocumentContent, SourceDocument } from '../register.ts'
import { type Closing, ClosingMonths, closingOf, isReport } from './closing.ts'
import {
  assumedTickers,
  type Company,
  isCorpCode,
  isStockCode,
  monthOf,
  parseCorpCode,
  readCompany,
} from './companies.ts'
import {
  countAmounts,
  type LeftOut,
  type Line,
  leaveOut,
  type ReadFigures,
  type ReportLines,
  readReport,
} from './figures.ts'

/** One answer of the interface, and where it stands in the file. */
export interface Answer {
  readonly document: unknown
  /** `line 12: `, or nothing where the file is one answer. */
  readonly place: string
}

/** Reads answers of the interface: statements of companies (`fnlttSinglAcntAll`) and overviews (`company`). Whether
 * statements are the group's (CFS) or the company's alone (OFS) is said by the request, which is kept as `_request`, by
 * the lines or by the name of the file.
 *
 * @param months of the overviews that the import has met; those of this document are added */
export function readDocument(
  answers: readonly Answer[],
  fileName: string,
  months: ClosingMonths,
): DocumentContent {
  const gathered: Gathered = {
    reports: new Map(),
    companies: new Map(),
    hints: new Map(),
    leftOut: new Map(),
  }
  let figuresRead = 0
  for (const answer of answers) figuresRead += gather(answer, fileName, gathered)
  for (const { profile, closingMonth } of gathered.companies.values()) {
    if (closingMonth !== null) months.add(profile.issuerId, closingMonth)
  }
  let waits = false
  let isTentative = false
  const figures: ReadFigures = { statements: [], malformed: 0, leftOut: gathered.leftOut }
  const contributions: Contribution[] = []
  const byCompany = Map.groupBy(gathered.reports.values(), report => report.corpCode)
  for (const corpCode of new Set([...gathered.companies.keys(), ...byCompany.keys()])) {
    const company = gathered.companies.get(corpCode)
    const hint = gathered.hints.get(corpCode)
    const reports = byCompany.get(corpCode) ?? []
    const told = new Set([...months.of(corpCode), monthOf(hint?.acc_mt) ?? []].flat())
    const closing = closingOf(reports, [...told])
    waits ||= reports.length > 0 && closing === null
    isTentative ||= reports.length > 0 && told.size === 0
    const statements = readReports(reports, closing, figures)
    const profile = company?.profile ?? profileOf(corpCode, hint)
    contributions.push({ profile, statements, filings: [] })
  }
  const leftOut = Object.fromEntries(gathered.leftOut)
  return {
    ...{ contributions, figuresRead, malformed: figures.malformed, leftOut },
    ...(waits ? { waits } : {}),
    ...(isTentative ? { isTentative } : {}),
    ...(gathered.companies.size > 0 ? { isAlwaysRead: true } : {}),
  }
}

interface Gathered {
  readonly reports: Map<string, ReportLines>
  readonly companies: Map<string, Company>
  /** What requests say of a company beside its number. */
  readonly hints: Map<string, Record<string, unknown>>
  readonly leftOut: LeftOut
}

/** Returns how many amounts the answer has. */
function gather({ document, place }: Answer, fileName: string, into: Gathered): number {
  const fail = (reason: string) => new Failure('body_invalid', `${place}${reason}`)
  if (!isRecord(document)) throw fail('This is no answer of OpenDART: an object is needed.')
  const company = readCompany(document)
  if (company !== null) {
    into.companies.set(company.profile.issuerId, company)
    if (!company.onBoard) leaveOut(into, 'an overview of a company on neither board', 1)
    return 0
  }
  if (document.status !== '000') {
    const status = textOf(document.status)
    if (status === null) throw fail('This is no answer of OpenDART: it has no `status`.')
    leaveOut(into, `an answer without statements (status ${status.slice(0, 10)})`, 1)
    return 0
  }
  if (!Array.isArray(document.list)) throw fail('An answer of OpenDART has its lines in `list`.')
  const request = isRecord(document._request) ? document._request : {}
  let amounts = 0
  for (const line of document.list) {
    if (!isRecord(line)) throw fail('`list` holds something that is no line of a statement.')
    const isSolo = soloOf(line, request, fileName)
    if (isSolo === null) {
      throw fail(
        'Nothing says whether these statements are consolidated. Name the file ..._CFS.json or ..._OFS.json, or keep the request as `_request` with its `fs_div`.',
      )
    }
    amounts += countAmounts(line)
    const report = reportOf(line, isSolo)
    if (report === null) {
      leaveOut(into, 'a line without a receipt, report, year or company', countAmounts(line))
      continue
    }
    const key = `${report.corpCode} ${report.receipt} ${report.report} ${report.year} ${isSolo}`
    const known = into.reports.get(key)
    if (known === undefined) into.reports.set(key, report)
    else known.lines.push(line)
    into.hints.set(report.corpCode, { ...request, ...into.hints.get(report.corpCode) })
  }
  return amounts
}

function soloOf(line: Line, request: Record<string, unknown>, fileName: string): boolean | null {
  const said = textOf(line.fs_div) ?? textOf(request.fs_div) ?? /_(CFS|OFS)\.jsonl?$/i.exec(fileName)?.[1]
  const basis = said?.toUpperCase()
  return basis === 'CFS' ? false : basis === 'OFS' ? true : null
}

function reportOf(line: Line, isSolo: boolean): ReportLines | null {
  const receipt = textOf(line.rcept_no) ?? ''
  const corpCode = textOf(line.corp_code) ?? ''
  const year = textOf(line.bsns_year) ?? ''
  const filed = compactDay(receipt.slice(0, 8))
  const report = line.reprt_code
  if (!/^\d{14}$/.test(receipt) || !(filed > 0) || !isCorpCode(corpCode)) return null
  if (!isReport(report) || !/^(19|20)\d\d$/.test(year)) return null
  return { receipt, corpCode, year: Number(year), report, filed, isSolo, lines: [line] }
}

function readReports(
  reports: readonly ReportLines[],
  closing: Closing | null,
  into: ReadFigures,
): Contribution['statements'] {
  const own: ReadFigures = { statements: [], malformed: 0, leftOut: into.leftOut }
  for (const report of reports) {
    if (closing !== null) readReport(report, closing, own)
    else {
      const amounts = report.lines.reduce((sum, line) => sum + countAmounts(line), 0)
      leaveOut(into, 'a report whose closing month is not to be told (import its overview with it)', amounts)
    }
  }
  into.malformed += own.malformed
  return own.statements
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

/** Reads the documents of one import. Statements have no dates: in which month a company's years end is in its overview,
 * which may come in another file and after them. */
export function readTogether(): (document: SourceDocument) => DocumentContent {
  const months = new ClosingMonths()
  return ({ name, bytes }) => {
    if (/\.xml$/i.test(name)) return parseCorpCode(decodeUtf8(bytes))
    if (/\.jsonl$/i.test(name)) return readDocument(parseJsonLines(bytes), name, months)
    const document = parseJson(bytes)
    const answers = Array.isArray(document)
      ? document.map((one, index) => ({ document: one, place: `answer ${index + 1}: ` }))
      : [{ document, place: '' }]
    return readDocument(answers, name, months)
  }
}
