import { Failure } from '../../../errors.ts'
import type { ParsedDocument } from '../../../facts/reportedFact.ts'
import { isRecord } from '../../reading/fields.ts'
import { parseJson } from '../../reading/json.ts'
import type { DocumentContent, SourceDocument } from '../registerInterface.ts'
import { type CompanyFacts, parseCompanyfacts } from './companyfacts.ts'
import { parseSubmissions, type Submissions } from './submissions.ts'
import { isTickerList, parseCompanyTickers, type TickerEntry } from './tickers.ts'

export const readAmericanReport = ({ bytes, name }: SourceDocument): DocumentContent =>
  readJson(parseJson(bytes), name)

/** A JSON document of the register. Its content shows of which kind it is. */
export function readJson(document: unknown, fileName: string): DocumentContent {
  if (isRecord(document) && 'facts' in document) {
    const facts = parseCompanyfacts(document)
    const { figuresRead, malformed, faults, contradictions } = facts
    return { parsed: [companyfactsParsed(facts)], figuresRead, malformed, faults, contradictions }
  }
  if (isTickerList(document)) {
    const parsed = parseCompanyTickers(document).map(tickersParsed)
    return { parsed, figuresRead: 0, malformed: 0 }
  }
  if (
    Array.isArray(document) ||
    (isRecord(document) && ('filings' in document || 'accessionNumber' in document))
  ) {
    const parsed = [submissionsParsed(parseSubmissions(document, fileName))]
    return { parsed, figuresRead: 0, malformed: 0 }
  }
  throw new Failure(
    'body_invalid',
    'This is neither companyfacts (`facts`), submissions (`filings`) nor company_tickers.json.',
  )
}

const companyfactsParsed = ({ cik, name, reportedFacts }: CompanyFacts): ParsedDocument => ({
  profile: {
    market: 'US',
    issuerId: cik,
    ...(name === null ? {} : { name, nameIsFallback: true }),
    registers: true,
  },
  reportedFacts,
  filings: [],
})

const tickersParsed = ({ cik, name, tickers }: TickerEntry): ParsedDocument => ({
  profile: {
    market: 'US',
    issuerId: cik,
    ...(name === null ? {} : { name }),
    tickers,
    registers: true,
  },
  reportedFacts: [],
  filings: [],
})

const submissionsParsed = ({ cik, entity, filings }: Submissions): ParsedDocument => ({
  profile: {
    market: 'US',
    issuerId: cik,
    ...(entity?.name == null ? {} : { name: entity.name }),
    ...(entity === null ? {} : { tickers: entity.tickers }),
    ...(entity?.fiscalYearEnd == null ? {} : { fiscalYearEnd: entity.fiscalYearEnd }),
    ...(entity?.sector == null ? {} : { sector: entity.sector }),
    ...(entity?.exchange == null ? {} : { exchange: entity.exchange }),
    registers: (entity?.filesAccounts ?? false) || filings.length > 0,
  },
  reportedFacts: [],
  filings,
})
