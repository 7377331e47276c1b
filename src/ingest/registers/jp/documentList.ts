import { Failure } from '../../../errors.ts'
import type { Filing, ParsedDocument } from '../../../facts/reportedFact.ts'
import { dayOf, isRecord, textOf } from '../../reading/fields.ts'
import { shown } from '../../reading/namedFaults.ts'
import { readCsv } from '../../reading/text.ts'
import type { Tally } from '../registerInterface.ts'

/** A row of the register's list of the documents submitted on a day, with the field names of its API. */
export type ListedDocument = Readonly<Record<string, unknown>>

/** Rows of a response of the API (`/documents.json?type=2`). */
export function parseJsonDocumentList(document: unknown): readonly ListedDocument[] {
  const metadata = isRecord(document) ? document.metadata : undefined
  if (!isRecord(document) || !isRecord(metadata)) {
    throw new Failure(
      'body_invalid',
      "This is not a list of documents of EDINET's API: it must have `metadata` and `results`.",
    )
  }
  if (metadata.status !== '200') {
    throw new Failure(
      'body_invalid',
      `The API responded with ${metadata.status}: ${metadata.message}. Download the list again.`,
    )
  }
  const { results } = document
  if (!Array.isArray(results)) {
    throw new Failure('body_invalid', 'The list has no `results`. Request it from the API with type=2.')
  }
  const announced = isRecord(metadata.resultset) ? metadata.resultset.count : undefined
  if (announced !== results.length) {
    throw new Failure(
      'body_invalid',
      `The list has ${results.length} documents, but states ${announced}. Download it again.`,
    )
  }
  return results.filter(isRecord)
}

export const isDocumentTable = (text: string): boolean =>
  text.slice(0, 2_000).split(/\r?\n/, 1)[0].replaceAll('"', '').split(',').includes('docID')

/** Rows of the same list as a table, with the API's field names as its header. */
export function parseCsvDocumentList(text: string): readonly ListedDocument[] {
  const [header, ...rows] = readCsv(text, ',')
  const twice = header.find((name, at) => header.indexOf(name) !== at)
  if (twice !== undefined) throw new Failure('body_invalid', `line 1: the column ${twice} appears twice.`)
  return rows.map(row =>
    Object.fromEntries(header.map((name, at) => [name, row[at] === '' ? null : row[at]])),
  )
}

/** The annual securities reports of companies on a list, and their amendments, with the minute of their submission. A report
 * that was withdrawn later keeps its filing: it was public until then. */
export function listedFilings(
  documents: readonly ListedDocument[],
  { leftOut, faults }: Tally,
): ParsedDocument[] {
  const parsed: ParsedDocument[] = []
  for (const document of documents) {
    const { docID, submitDateTime } = document
    const reason = reasonLeftOut(document)
    if (reason === null && textOf(submitDateTime) !== null && submissionOf(document) === null) {
      faults.add(`document ${shown(docID)}: submitDateTime is ${shown(submitDateTime)}, not a day and a time`)
      continue
    }
    const filed = reason === null ? filingOf(document) : null
    if (filed !== null) parsed.push(filed)
    else leftOut.add(reason ?? 'a document without a number, a filer or a time of submission')
  }
  return parsed
}

/** Ordinances. Reports of funds (030) and of issuers of foreign bonds (020) have the same document types. */
const ofCompanies = '010'
const ofFunds = '030'
const reportTypes: ReadonlySet<unknown> = new Set(['120', '130'])

function reasonLeftOut(document: ListedDocument): string | null {
  if (document.withdrawalStatus === '1') return 'the withdrawal of a document'
  if (textOf(document.docTypeCode) === null) {
    return document.withdrawalStatus === '2'
      ? 'a withdrawn document with an emptied row'
      : 'a document with an emptied row'
  }
  if (!reportTypes.has(document.docTypeCode)) return 'a document other than an annual securities report'
  if (document.ordinanceCode === ofFunds || textOf(document.fundCode) !== null)
    return 'an annual securities report of a fund'
  return document.ordinanceCode === ofCompanies
    ? null
    : 'an annual securities report of an issuer of foreign bonds or the like'
}

function filingOf(document: ListedDocument): ParsedDocument | null {
  const { docID, edinetCode, docTypeCode } = document
  const submission = submissionOf(document)
  if (typeof docID !== 'string' || !/^S[0-9A-Z]{7}$/.test(docID) || submission === null) return null
  if (typeof edinetCode !== 'string' || !/^E\d{5}$/.test(edinetCode)) return null
  const name = textOf(document.filerName)
  return {
    profile: {
      market: 'JP',
      issuerId: edinetCode,
      ...(name === null ? {} : { name, nameIsFallback: true }),
      tickers: [`${edinetCode}.JP`],
      registers: true,
    },
    reportedFacts: [],
    filings: [
      {
        accession: `JP:${docID}`,
        form: String(docTypeCode),
        ...submission,
        ...(name === null ? {} : { companyName: name }),
      },
    ],
  }
}

/** The day of a submission in Japan, and its minute; null if the list states neither. */
function submissionOf({ submitDateTime }: ListedDocument): Pick<Filing, 'filed' | 'acceptedAt'> | null {
  const parts = /^(\d{4}-\d\d-\d\d) ([01]\d|2[0-3]):([0-5]\d)$/.exec(textOf(submitDateTime) ?? '')
  const filed = dayOf(parts?.[1])
  if (parts === null || Number.isNaN(filed)) return null
  const minutes = Number(parts[2]) * 60 + Number(parts[3])
  // Japan is nine hours ahead of UTC all year.
  return { filed, acceptedAt: filed * 86_400_000 + (minutes - 9 * 60) * 60_000 }
}
