import { Failure } from '../../errors.ts'
import type { AsOf } from '../../instants.ts'
import { parseAsOf, pastDay, resolveAsOf } from '../../markets/asOf.ts'
import { documentUrl } from '../../markets/documents.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { enforceEntityCap } from '../../rights/entityCap.ts'
import { freeLicenceNotice, isFreeData } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import { hasFilings, type KnownFiling, listKnownFilings } from '../../wholeFilings/knownFilingQueries.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { resolveCompanies } from '../companies/lookup.ts'
import { changedId } from '../companies/notes.ts'
import type { CompanyQuery, FilingUsed } from './schema.ts'

/** A company whose filings a request reads in full, after all decisions about access. */
export interface FilingsOfCompany {
  readonly entityId: number
  readonly ticker: string
  readonly issuerId: string
  readonly market: string
  readonly asOf: AsOf
  readonly freeLicence: boolean
  /** Set for keys that may see no filing of the company: it had none when the request was admitted, and none is read. */
  readonly isWithoutFilings: boolean
  readonly isSymbolAssumed: boolean
  readonly notes: readonly string[]
}

/**
 * The request names the company, so it counts against a cap before anything about it is read. A filing cannot be cut
 * to the most recent fiscal year, so licences that show only that year show no filing. That a company has none at all is no
 * secret: its profile says so to every key.
 */
export async function planFilingsOf(
  deps: CompanyDeps,
  rights: Rights,
  query: CompanyQuery,
): Promise<FilingsOfCompany> {
  const sent = parseAsOf(query)
  if (sent?.kind === 'day') pastDay(sent.day, deps.today())
  const id = sentId(query)
  const [company] = await resolveCompanies(deps, [id.toUpperCase()], sent)
  const isWithoutFilings = rights.recentYearOnly(company) && !(await hasFilings(deps.sql, company.entityId))
  if (!isWithoutFilings) rights.requireFilingsOf(company)
  const { entityId, ticker, issuerId, market, isSymbolAssumed } = company
  const asOf = resolveAsOf(deps.markets, market, sent, deps.today())
  await enforceEntityCap(deps, rights, [entityId], ticker, 'ticker')
  const changed = changedId(company.sentId ?? ticker, company)
  return {
    entityId,
    ticker,
    issuerId,
    market,
    asOf,
    freeLicence: isFreeData(rights),
    isWithoutFilings,
    isSymbolAssumed,
    notes: changed === null ? [] : [changed],
  }
}

/** The filings of a company that its request may read, the latest first. */
export const readableFilings = (
  sql: SqlClient,
  { entityId, isWithoutFilings, asOf }: FilingsOfCompany,
): Promise<readonly KnownFiling[]> =>
  isWithoutFilings ? Promise.resolve([]) : listKnownFilings(sql, entityId, asOf)

/** The company's ID. The register's number is an ID, too. */
export function sentId({ ticker, issuer_id }: CompanyQuery): string {
  if (ticker !== undefined && issuer_id !== undefined)
    throw refused('issuer_id', 'ticker and issuer_id both name the company. Send one of them.')
  const id = ticker ?? issuer_id
  if (id === undefined) throw refused('ticker', 'Send ticker (for example ticker=AAPL) or issuer_id.')
  return id
}

export const refused = (param: string, message: string) =>
  new Failure('parameter_invalid', message, { param })

/** The fields with which every answer about a company's filings begins. */
export function companyFields(
  { markets }: Pick<CompanyDeps, 'markets'>,
  company: FilingsOfCompany,
  dataVersion: number,
  notes: readonly string[],
) {
  const manifest = markets.get(company.market)
  const all = [...company.notes, ...notes]
  return {
    ticker: company.ticker,
    issuer_id: company.issuerId,
    market: company.market,
    as_of: company.asOf,
    ...(company.isSymbolAssumed ? { symbol_assumed: true as const } : {}),
    data_version: dataVersion,
    ...(company.freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    ...(all.length === 0 ? {} : { note: all.join(' ') }),
  }
}

export function filingUsed(
  { markets }: Pick<CompanyDeps, 'markets'>,
  { market, issuerId }: FilingsOfCompany,
  filing: KnownFiling,
): FilingUsed {
  const { accession, form, filed, acceptedAt, periodEnd } = filing
  return {
    accession,
    form,
    filed,
    accepted_at: acceptedAt === null ? null : acceptedAt.toISOString().replace('.000Z', 'Z'),
    period_end: periodEnd,
    url: documentUrl(markets.get(market), issuerId, accession),
  }
}
