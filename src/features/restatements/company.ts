import { Failure } from '../../errors.ts'
import { readDay } from '../../facts/dayParameters.ts'
import { parseAsOf, pastDay, resolveAsOf } from '../../markets/asOf.ts'
import { readMarket, readMetrics } from '../../markets/parameters.ts'
import { enforceEntityCap } from '../../rights/entityCap.ts'
import { freeLicenceNotice, isFreeData } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { resolveCompanies } from '../companies/lookup.ts'
import { changedId } from '../companies/notes.ts'
import { type CompanyScope, companyRestatementRows } from './queries.ts'
import { restatementRow, restriction } from './restatements.ts'
import type { RestatementList, RestatementsQuery } from './schema.ts'

/** A request for one company's restatements after all decisions. */
export interface CompanyRestatementsPlan extends CompanyScope {
  readonly ticker: string
  readonly market: string
  readonly freeLicence: boolean
  readonly isSymbolAssumed: boolean
  readonly notes: readonly string[]
  readonly cacheKey: string
}

/**
 * The request names the company, so the company counts against a cap before anything about it is read. Its
 * past is open to callers who may see past figures of the company.
 */
export async function planCompanyRestatements(
  deps: CompanyDeps,
  rights: Rights,
  query: RestatementsQuery,
  sentId: string,
): Promise<CompanyRestatementsPlan> {
  if (query.cursor !== undefined)
    throw refused(
      'cursor',
      'cursor is for pages of a market. The restatements of one company are one answer: omit cursor.',
    )
  const sentAsOf = parseAsOf(query)
  if (sentAsOf?.kind === 'day') pastDay(sentAsOf.day, deps.today())
  const from = query.from === undefined ? null : readDay('from', query.from)
  const metrics = readMetrics(deps.markets.metrics, query.metric)
  const sentMarket = query.market === undefined ? null : readMarket(deps.markets, query.market)
  const [company] = await resolveCompanies(deps, [sentId.toUpperCase()], sentAsOf)
  const { entityId, ticker, market } = company
  const asOf = resolveAsOf(deps.markets, market, sentAsOf, deps.today())
  if (sentMarket !== null && sentMarket !== market)
    throw refused('market', `${ticker} belongs to market ${market}, not ${sentMarket}. Omit market.`)
  const freeLicence = isFreeData(rights)
  const recentFiscalYearOnly = rights.recentYearOnly(company)
  for (const param of ['as_of', 'data_version'] as const)
    if (query[param] !== undefined) rights.requirePastOf(company, param)
  await enforceEntityCap(deps, rights, [entityId], ticker, 'ticker')
  const changed = changedId(company.sentId ?? ticker, company)
  const plan = {
    entityId,
    ticker,
    market,
    metrics,
    asOf,
    from,
    recentFiscalYearOnly,
    freeLicence,
    isSymbolAssumed: company.isSymbolAssumed,
    notes: changed === null ? [] : [changed],
  }
  return { ...plan, cacheKey: `company restatements ${JSON.stringify(Object.values(plan))}` }
}

/** All changes of the company's figures, by metric. */
export async function readCompanyRestatements(
  { sql, markets }: Pick<CompanyDeps, 'sql' | 'markets'>,
  plan: CompanyRestatementsPlan,
): Promise<RestatementList> {
  const { dataVersion, rows } = await companyRestatementRows(sql, plan)
  const { market, ticker, metrics, from, asOf } = plan
  const manifest = markets.get(market)
  const notes = [
    ...plan.notes,
    ...(rows.length === 0 ? [emptyNote(plan)] : []),
    ...(plan.recentFiscalYearOnly ? [restriction] : []),
  ]
  return {
    object: 'restatement_list',
    metric: metrics === null ? null : metrics.join(','),
    market,
    ticker,
    from,
    as_of: asOf,
    ...(plan.isSymbolAssumed ? { symbol_assumed: true as const } : {}),
    data_version: dataVersion,
    ...(plan.freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
    count: rows.length,
    next: null,
    data: rows.map(row => restatementRow(row, manifest?.source_notice ?? market)),
  }
}

function emptyNote({ ticker, metrics, from, asOf }: CompanyRestatementsPlan): string {
  const what = metrics === null ? 'any figure' : metrics.join(' or ')
  const days = from === null ? `filed up to ${asOf}` : `filed from ${from} to ${asOf}`
  return `${ticker} has no change in ${what} ${days}.`
}

const refused = (param: string, message: string) => new Failure('parameter_invalid', message, { param })
