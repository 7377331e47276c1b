import { Failure } from '../../../errors.ts'
import type { Contribution, EntityProfile } from '../../../facts/reportedFact.ts'
import { dayOf, isRecord, textOf } from '../../reading/fields.ts'
import { readCsv } from '../../reading/text.ts'
import type { LeftOut } from './report.ts'

const columns = {
  code: 'ＥＤＩＮＥＴコード',
  yearEnd: '決算日',
  name: '提出者名',
  englishName: '提出者名（英字）',
  kana: '提出者名（ヨミ）',
} as const

/** The first line of the register's own file: the day and how many rows follow. */
const metadata = /^\uFEFF?"?ダウンロード実行日/

export const isCodeList = (text: string): boolean =>
  metadata.test(text) || text.slice(0, 2_000).split(/\r?\n/, 1)[0].includes(columns.code)

/** Reads EdinetcodeDlInfo.csv: every filer of EDINET, of reports, of holdings and of offers. */
export function parseCodeList(text: string, leftOut: LeftOut): EntityProfile[] {
  const [head] = text.slice(0, 1_000).split(/\r?\n/, 1)
  const isOwn = metadata.test(text)
  const [header, ...rows] = readCsv(text, ',', isOwn ? 2 : 1)
  const promised = isOwn ? Number(/(\d+)件/.exec(head)?.[1]) : rows.length
  if (rows.length !== promised) {
    throw new Failure(
      'body_invalid',
      `The list has ${rows.length} rows and promises ${promised}: it was cut off. Download it again.`,
    )
  }
  const place = (column: string) => {
    const at = header?.indexOf(column) ?? -1
    if (at < 0) throw new Failure('body_invalid', `The list of EDINET codes has no column ${column}.`)
    return at
  }
  const at = {
    code: place(columns.code),
    yearEnd: place(columns.yearEnd),
    name: place(columns.name),
    englishName: place(columns.englishName),
    kana: place(columns.kana),
  }
  const profiles = new Map<string, EntityProfile>()
  for (const row of rows) {
    const code = row[at.code].trim()
    if (!/^E\d{5}$/.test(code)) leftOut.add('a row without an EDINET code')
    else if (profiles.has(code)) leftOut.add('an EDINET code that was listed before')
    else profiles.set(code, profileOf(code, row, at, leftOut))
  }
  return [...profiles.values()]
}

type Places = Readonly<Record<keyof typeof columns, number>>

function profileOf(code: string, row: readonly string[], at: Places, leftOut: LeftOut): EntityProfile {
  const name = textOf(row[at.name])
  const others = [textOf(row[at.englishName]), textOf(row[at.kana])]
  const stated = textOf(row[at.yearEnd])
  const fiscalYearEnd = stated === null ? null : yearEndOf(stated)
  if (stated !== null && fiscalYearEnd === null) leftOut.add('the end of a fiscal year that is no day')
  return {
    market: 'JP',
    issuerId: code,
    ...(name === null ? {} : { name }),
    otherNames: others.filter(other => other !== null && other !== name).map(other => other ?? ''),
    tickers: [`${code}.JP`],
    ...(fiscalYearEnd === null ? {} : { fiscalYearEnd }),
    registers: true,
  }
}

/** `MMDD` of 5月31日 and of 2月末日, which is kept as 28 February; null where there is no such day. */
export function yearEndOf(text: string): string | null {
  const parts = /^(\d{1,2})月(末|\d{1,2})日$/.exec(text.normalize('NFKC').replace(/\s/g, ''))
  if (parts === null) return null
  const month = Number(parts[1])
  if (month < 1 || month > 12) return null
  const last = new Date(Date.UTC(2001, month, 0)).getUTCDate()
  const day = parts[2] === '末' ? last : Number(parts[2])
  const most = month === 2 ? 29 : last
  if (day < 1 || day > most) return null
  return `${String(month).padStart(2, '0')}${String(day).padStart(2, '0')}`
}

/** A row of the register's list of what was submitted on a day, under the names of its API. */
export type ListedDocument = Readonly<Record<string, unknown>>

/** Rows of an answer of the API (`/documents.json?type=2`). */
export function documentsOfJson(document: unknown): readonly ListedDocument[] {
  const metadata = isRecord(document) ? document.metadata : undefined
  if (!isRecord(document) || !isRecord(metadata)) {
    throw new Failure('body_invalid', "A list of documents of EDINET's API has `metadata` and `results`.")
  }
  if (metadata.status !== '200') {
    throw new Failure(
      'body_invalid',
      `The API answered ${metadata.status}: ${metadata.message}. Ask it again.`,
    )
  }
  const { results } = document
  if (!Array.isArray(results)) {
    throw new Failure('body_invalid', 'The list has no `results`: ask the API with type=2.')
  }
  const promised = isRecord(metadata.resultset) ? metadata.resultset.count : undefined
  if (promised !== results.length) {
    throw new Failure('body_invalid', `The list has ${results.length} documents and promises ${promised}.`)
  }
  return results.filter(isRecord)
}

export const isDocumentTable = (text: string): boolean =>
  text.slice(0, 2_000).split(/\r?\n/, 1)[0].replaceAll('"', '').split(',').includes('docID')

/** Rows of the same list as a table, with the API's names as its header. */
export function documentsOfCsv(text: string): readonly ListedDocument[] {
  const [header, ...rows] = readCsv(text, ',')
  const twice = header.find((name, at) => header.indexOf(name) !== at)
  if (twice !== undefined) throw new Failure('body_invalid', `line 1: the column ${twice} is there twice.`)
  return rows.map(row =>
    Object.fromEntries(header.map((name, at) => [name, row[at] === '' ? null : row[at]])),
  )
}

/** The annual securities reports of companies on a list, and their amendments, with the minute of their submission.
 * A report that was withdrawn later keeps its filing: until then everybody could read it. */
export function listedFilings(documents: readonly ListedDocument[], leftOut: LeftOut): Contribution[] {
  const contributions: Contribution[] = []
  for (const document of documents) {
    const reason = reasonLeftOut(document)
    const contribution = reason === null ? contributionOf(document) : null
    if (contribution !== null) contributions.push(contribution)
    else leftOut.add(reason ?? 'a document without a number, a filer or a time of submission')
  }
  return contributions
}

/** Ordinances. The reports of funds (030) and of issuers of foreign bonds (020) are of the same types. */
const ofCompanies = '010'
const ofFunds = '030'
const reportTypes: ReadonlySet<unknown> = new Set(['120', '130'])

function reasonLeftOut(document: ListedDocument): string | null {
  if (document.withdrawalStatus === '1') return 'the withdrawal of a document'
  if (textOf(document.docTypeCode) === null) {
    return document.withdrawalStatus === '2'
      ? 'a document that was withdrawn and whose row was emptied'
      : 'a document whose row was emptied'
  }
  if (!reportTypes.has(document.docTypeCode)) return 'a document other than an annual securities report'
  if (document.ordinanceCode === ofFunds || textOf(document.fundCode) !== null)
    return 'an annual securities report of a fund'
  return document.ordinanceCode === ofCompanies
    ? null
    : 'an annual securities report of an issuer of foreign bonds or the like'
}

function contributionOf(document: ListedDocument): Contribution | null {
  const { docID, edinetCode, docTypeCode, submitDateTime } = document
  const parts = /^(\d{4}-\d\d-\d\d) ([01]\d|2[0-3]):([0-5]\d)$/.exec(textOf(submitDateTime) ?? '')
  const filed = dayOf(parts?.[1])
  if (typeof docID !== 'string' || !/^S[0-9A-Z]{7}$/.test(docID) || parts === null || Number.isNaN(filed))
    return null
  if (typeof edinetCode !== 'string' || !/^E\d{5}$/.test(edinetCode)) return null
  const name = textOf(document.filerName)
  const minutes = Number(parts[2]) * 60 + Number(parts[3])
  return {
    profile: {
      market: 'JP',
      issuerId: edinetCode,
      ...(name === null ? {} : { name, nameIsFallback: true }),
      tickers: [`${edinetCode}.JP`],
      registers: true,
    },
    statements: [],
    filings: [
      {
        accession: `JP:${docID}`,
        form: String(docTypeCode),
        filed,
        // Japan is nine hours ahead of UTC all year.
        acceptedAt: filed * 86_400_000 + (minutes - 9 * 60) * 60_000,
      },
    ],
  }
}
