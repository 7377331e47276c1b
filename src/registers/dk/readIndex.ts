import { Failure } from '../../errors.ts'
import type { Contribution, Filing } from '../../model/statement.ts'
import { isRecord, textOf } from '../fields.ts'
import type { DocumentContent } from '../register.ts'
import { accessionOf, cvrOf } from './accession.ts'
import { companyOf } from './companyOf.ts'
import { danishDay } from './danishDay.ts'

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
