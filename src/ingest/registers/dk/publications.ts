import { Failure } from '../../../errors.ts'
import type { EntityProfile, Filing } from '../../../facts/reportedFact.ts'
import { dayOf, isRecord, textOf } from '../../reading/fields.ts'
import { NamedFaults, shown } from '../../reading/namedFaults.ts'
import { contentWithoutFigures, type DocumentContent, LeftOut } from '../registerInterface.ts'

/**
 * Reads the register's index of publications: which company published which document when. It contains no
 * figures.
 */
export function readPublications(document: unknown): DocumentContent {
  const filings = new Map<string, Filing[]>()
  const leftOut = new LeftOut()
  const faults = new NamedFaults()
  for (const [index, hit] of hitsOf(document).entries()) {
    const source = isRecord(hit._source) ? hit._source : hit
    const { offentliggoerelsesTidspunkt: published } = source
    if (textOf(published) !== null && danishDay(published) === null) {
      faults.add(
        `hit ${index + 1}: offentliggoerelsesTidspunkt is ${shown(published)}, not a time with its zone`,
      )
      continue
    }
    const publication = parsePublication(source)
    if (typeof publication === 'string') leftOut.add(publication)
    else {
      const ofCompany = filings.get(publication.cvr)
      if (ofCompany === undefined) filings.set(publication.cvr, [publication.filing])
      else ofCompany.push(publication.filing)
    }
  }
  const parsed = [...filings].map(([cvr, ofCompany]) => ({
    profile: profileOf(cvr, null),
    reportedFacts: [],
    filings: ofCompany,
  }))
  return contentWithoutFigures(parsed, leftOut, faults)
}

/** The response to a search, its list of hits, or a single hit. */
function hitsOf(document: unknown): readonly Record<string, unknown>[] {
  const outer = isRecord(document) && isRecord(document.hits) ? document.hits.hits : document
  const list = isRecord(outer) && ('_source' in outer || 'dokumenter' in outer) ? [outer] : outer
  if (Array.isArray(list) && list.every(isRecord)) return list
  throw new Failure(
    'body_invalid',
    'This is not an index of publications: it must have its hits in `hits.hits` or be a list of hits.',
  )
}

/** The filing of a publication, or the reason why it is left out. */
function parsePublication(source: Record<string, unknown>): { cvr: string; filing: Filing } | string {
  const cvr = cvrOf(source.cvrNummer)
  if (cvr === null) return 'a publication without a CVR number'
  const published = danishDay(source.offentliggoerelsesTidspunkt)
  if (published === null) return 'a publication without a publication date'
  const documents = Array.isArray(source.dokumenter) ? source.dokumenter.filter(isRecord) : []
  const reports = documents.filter(({ dokumentMimeType }) => textOf(dokumentMimeType) === 'application/xml')
  // The ESEF report then contains the group's accounts; an XBRL report beside it states at most those of the
  // parent company.
  if (documents.some(({ dokumentType }) => /_ESEF$/.test(textOf(dokumentType) ?? '')))
    return 'a publication whose group accounts are in ESEF, which is not supported'
  if (reports.length > 1) return 'a publication of several XBRL reports'
  const accession = accessionOf(cvr, textOf(reports[0]?.dokumentUrl) ?? '')
  if (accession === null) return 'a publication without an XBRL report'
  const form = textOf(reports[0].dokumentType) ?? 'unnamed'
  // Figures of a report that replaces another one (omgoerelse) are vintages of its own date, like those of
  // any other report.
  const acceptedAt = isMidnight(published.at) ? null : published.at
  return { cvr, filing: { accession, form, filed: published.day, acceptedAt } }
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/**
 * A timestamp of the register's index and its day in Denmark. Null if the text is not a timestamp; one
 * without a time zone could mean either of two days.
 */
export function danishDay(text: unknown): { readonly day: number; readonly at: number } | null {
  if (typeof text !== 'string' || !timestamp.test(text) || Number.isNaN(dayOf(text.slice(0, 10)))) return null
  const at = Date.parse(text)
  if (Number.isNaN(at)) return null
  const day = dayOf(danishDate(at))
  return Number.isNaN(day) ? null : { day, at }
}

const inCopenhagen = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Europe/Copenhagen',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
})

const clockInCopenhagen = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Copenhagen',
  timeStyle: 'medium',
})

/** Midnight in Denmark: the index states only the day. */
const isMidnight = (at: number): boolean => at % 1_000 === 0 && clockInCopenhagen.format(at) === '00:00:00'

/** The date in Denmark, `YYYY-MM-DD`: 22:00Z is already the next day there in summer, 23:00Z in winter. */
export const danishDate = (at: number): string => inCopenhagen.format(at)

const cvrNumber = /^[1-9]\d{7}$/

/** A CVR number, which identifies a company at the register; null for anything else. */
export function cvrOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  return cvrNumber.test(text) ? text : null
}

/**
 * Addresses end with the name under which the register stores a document; a downloaded file has the same
 * name.
 */
const documentName = /(?:^|[/\\!])([A-Za-z0-9._~=-]{1,200})\.(?:xml|xbrl)$/i

/**
 * Identifies a published report by its company and the name of its document, which the index's `dokumentUrl`
 * and the downloaded file share. Company and period would not suffice: a replaced report has the same ones,
 * and must not get its date from its successor.
 */
export function accessionOf(cvr: string, addressOrPath: string): string | null {
  const name = documentName.exec(addressOrPath)?.[1]
  return name === undefined ? null : `DK:${cvr}/${name}`
}

/**
 * A company by its CVR number. A report contains the company's name of its time, so it does not replace a
 * name on record.
 */
export const profileOf = (cvr: string, name: string | null): EntityProfile => ({
  market: 'DK',
  issuerId: cvr,
  ...(name === null ? {} : { name, nameIsFallback: true }),
  tickers: [`${cvr}.DK`],
  registers: true,
})
