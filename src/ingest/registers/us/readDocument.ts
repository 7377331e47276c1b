import { Failure } from '../../../errors.ts'
import type { Contribution } from '../../../facts/reportedFact.ts'
import { isRecord } from '../../reading/fields.ts'
import type { DocumentContent } from '../register.ts'
import { type CompanyFacts, parseCompanyfacts } from './companyfacts.ts'
import { parseSubmissions, type Submissions } from './submissions.ts'
import { parseCompanyTickers } from './tickers.ts'

/** What a JSON document of the register contributes. Its kind shows in its content. */
export function readDocument(document: unknown, fileName: string): DocumentContent {
  if (isRecord(document) && 'facts' in document) {
    const facts = parseCompanyfacts(document)
    const { figuresRead, malformed } = facts
    return { contributions: [ofCompanyfacts(facts)], figuresRead, malformed }
  }
  if (isTickerList(document)) {
    const contributions = parseCompanyTickers(document).map(entry => ({
      profile: {
        market: 'US',
        issuerId: entry.cik,
        ...(entry.name === null ? {} : { name: entry.name }),
        tickers: entry.tickers,
        registers: true,
      },
      statements: [],
      filings: [],
    }))
    return { contributions, figuresRead: 0, malformed: 0 }
  }
  if (
    Array.isArray(document) ||
    (isRecord(document) && ('filings' in document || 'accessionNumber' in document))
  ) {
    const contributions = [ofSubmissions(parseSubmissions(document, fileName))]
    return { contributions, figuresRead: 0, malformed: 0 }
  }
  throw new Failure(
    'body_invalid',
    'This is neither companyfacts (`facts`), submissions (`filings`) nor company_tickers.json.',
  )
}

function isTickerList(document: unknown): boolean {
  if (!isRecord(document)) return false
  for (const key in document) {
    const first = document[key]
    return isRecord(first) && 'cik_str' in first
  }
  return false
}

const ofCompanyfacts = (facts: CompanyFacts): Contribution => ({
  profile: {
    market: 'US',
    issuerId: facts.cik,
    ...(facts.name === null ? {} : { name: facts.name, nameIsFallback: true }),
    registers: true,
  },
  statements: facts.statements,
  filings: [],
})

const ofSubmissions = ({ cik, entity, filings }: Submissions): Contribution => ({
  profile: {
    market: 'US',
    issuerId: cik,
    ...(entity?.name == null ? {} : { name: entity.name }),
    ...(entity === null ? {} : { tickers: entity.tickers }),
    ...(entity?.fiscalYearEnd == null ? {} : { fiscalYearEnd: entity.fiscalYearEnd }),
    registers: (entity?.filesAccounts ?? false) || filings.length > 0,
  },
  statements: [],
  filings,
})
