import { Failure } from '../../../errors.ts'
import type { Contribution, EntityProfile, Filing } from '../../../facts/reportedFact.ts'
import { dayOf, isRecord, textOf } from '../../reading/fields.ts'
import type { DocumentContent } from '../register.ts'

type Reason =
  | 'a publication without a CVR number'
  | 'a publication without a day of publication'
  | 'a publication without an XBRL report'
  | 'a publication whose group accounts are in ESEF, which is not read'
  | 'a publication of several XBRL reports'

/** Reads the register's index of publications: which company published which document when. It has no figures. */
export function readIndex(document: unknown): DocumentContent {
  const filings = new Map<string, Filing[]>()
  const leftOut: Partial<Record<Reason, number>> = {}
  for (const hit of hitsOf(document)) {
    const found = readPublication(isRecord(hit._source) ? hit._source : hit)
    if (typeof found === 'string') leftOut[found] = (leftOut[found] ?? 0) + 1
    else {
      const ofCompany = filings.get(found.cvr)
      if (ofCompany === undefined) filings.set(found.cvr, [found.filing])
      else ofCompany.push(found.filing)
    }
  }
  const contributions = [...filings].map(
    ([cvr, ofCompany]): Contribution => ({
      profile: companyOf(cvr, null),
      statements: [],
      filings: ofCompany,
    }),
  )
  return { contributions, figuresRead: 0, malformed: 0, leftOut }
}

/** The answer of a search, its list of hits, or one hit. */
function hitsOf(document: unknown): readonly Record<string, unknown>[] {
  const outer = isRecord(document) && isRecord(document.hits) ? document.hits.hits : document
  const list = isRecord(outer) && ('_source' in outer || 'dokumenter' in outer) ? [outer] : outer
  if (Array.isArray(list) && list.every(isRecord)) return list
  throw new Failure(
    'body_invalid',
    'An index of publications has its hits in `hits.hits` or is a list of them.',
  )
}

function readPublication(source: Record<string, unknown>): { cvr: string; filing: Filing } | Reason {
  const cvr = cvrOf(source.cvrNummer)
  if (cvr === null) return 'a publication without a CVR number'
  const published = danishDay(source.offentliggoerelsesTidspunkt)
  if (published === null) return 'a publication without a day of publication'
  const documents = Array.isArray(source.dokumenter) ? source.dokumenter.filter(isRecord) : []
  const reports = documents.filter(({ dokumentMimeType }) => textOf(dokumentMimeType) === 'application/xml')
  // The group's accounts are in the ESEF report then, and beside it stand at most those of the parent company.
  if (documents.some(({ dokumentType }) => /_ESEF$/.test(textOf(dokumentType) ?? '')))
    return 'a publication whose group accounts are in ESEF, which is not read'
  if (reports.length > 1) return 'a publication of several XBRL reports'
  const accession = accessionOf(cvr, textOf(reports[0]?.dokumentUrl) ?? '')
  if (accession === null) return 'a publication without an XBRL report'
  const form = textOf(reports[0].dokumentType) ?? 'unnamed'
  // Figures of a report that replaces another (omgoerelse) are vintages of its own day like any other's.
  return { cvr, filing: { accession, form, filed: published.day, acceptedAt: published.at } }
}

const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

const inCopenhagen = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Europe/Copenhagen',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
})

/** A moment of the register's index, and the day it is in Denmark: 22:00Z is the next day there in summer, 23:00Z in winter.
 * null where the text is no moment: one without a zone could be of two days. */
export function danishDay(text: unknown): { readonly day: number; readonly at: number } | null {
  if (typeof text !== 'string' || !stamp.test(text) || Number.isNaN(dayOf(text.slice(0, 10)))) return null
  const at = Date.parse(text)
  if (Number.isNaN(at)) return null
  const day = dayOf(inCopenhagen.format(at))
  return Number.isNaN(day) ? null : { day, at }
}

/** Addresses end in the name under which the register stores a document; it is kept by whoever downloads it. */
const documentName = /(?:^|[/\\!])([A-Za-z0-9._~=-]{1,200})\.(?:xml|xbrl)$/i

const cvrNumber = /^[1-9]\d{7}$/

/** A CVR number, by which the register knows a company; null for anything else. */
export function cvrOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  return cvrNumber.test(text) ? text : null
}

/** What identifies a published report: its company and the name of its document, which the index's `dokumentUrl` and the
 * downloaded file have in common. Neither company nor period would do: a report that was replaced has both, too, and its
 * figures may not be dated by the first one's day. */
export function accessionOf(cvr: string, addressOrPath: string): string | null {
  const name = documentName.exec(addressOrPath)?.[1]
  return name === undefined ? null : `DK:${cvr}/${name}`
}

/** A company by its CVR number. A report names it as it was called then, so a name that is known stays. */
export const companyOf = (cvr: string, name: string | null): EntityProfile => ({
  market: 'DK',
  issuerId: cvr,
  ...(name === null ? {} : { name, nameIsFallback: true }),
  tickers: [`${cvr}.DK`],
  registers: true,
})
