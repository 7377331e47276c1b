import { Failure } from '../../../errors.ts'
import type { RegisterStatements } from '../../../facts/registerStatements.ts'
import type { ParsedDocument } from '../../../facts/reportedFact.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { isRecord } from '../../reading/fields.ts'
import { parseExactJson } from '../../reading/json.ts'
import type { DocumentContent, SourceDocument } from '../registerInterface.ts'
import { type CompanyFacts, parseCompanyfacts } from './companyfacts.ts'
import { isFiledText, readFiledNotice } from './filedText.ts'
import { isMasterIndex, parseMasterIndex } from './masterIndex.ts'
import { parseSubmissions, type Submissions } from './submissions.ts'
import { isTickerList, parseCompanyTickers, type TickerEntry } from './tickers.ts'

export function readAmericanReport({ bytes, name }: SourceDocument): DocumentContent {
  if (isMasterIndex(bytes)) return statementsAlone(parseMasterIndex(bytes))
  if (isFiledText(bytes)) return statementsAlone(readFiledNotice(bytes))
  return readJson(parseExactJson(bytes), name)
}

const statementsAlone = (statements: RegisterStatements): DocumentContent => ({
  parsed: [],
  statements,
  figuresRead: 0,
  malformed: 0,
})

/** Reads a JSON document of the register, whose kind follows from its content. */
export function readJson(document: unknown, fileName: string): DocumentContent {
  if (isRecord(document) && 'facts' in document) {
    const facts = parseCompanyfacts(document)
    const { figuresRead, malformed, faults, contradictions, cik: issuerId } = facts
    const wholeFilings = facts.wholeFilings.map(
      (whole): StatedFiling => ({ market: 'US', issuerId, whole, source: 'figures', periodEnd: null }),
    )
    return {
      parsed: [companyfactsParsed(facts)],
      wholeFilings,
      figuresRead,
      malformed,
      faults,
      contradictions,
    }
  }
  if (isTickerList(document)) {
    const parsed = parseCompanyTickers(document).map(tickersParsed)
    return { parsed, figuresRead: 0, malformed: 0 }
  }
  if (
    Array.isArray(document) ||
    (isRecord(document) && ('filings' in document || 'accessionNumber' in document))
  ) {
    const submissions = parseSubmissions(document, fileName)
    const { entries, formerNames, announcements } = submissions
    return {
      parsed: [submissionsParsed(submissions)],
      statements: { entries, indexes: [], formerNames, announcements },
      figuresRead: 0,
      malformed: 0,
    }
  }
  throw new Failure(
    'body_invalid',
    'This is not companyfacts (`facts`), submissions (`filings`), company_tickers.json, master.idx or the text of a filing.',
  )
}

const companyfactsParsed = ({ cik, name, reportedFacts, filings }: CompanyFacts): ParsedDocument => ({
  profile: {
    market: 'US',
    issuerId: cik,
    ...(name === null ? {} : { name, nameIsFallback: true }),
    registers: true,
  },
  reportedFacts,
  filings,
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
