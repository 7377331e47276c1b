import { Failure } from '../../errors.ts'
import { readDay } from '../../facts/dayParameters.ts'
import type { CursorScope } from '../../http/cursor.ts'
import { knownByField } from '../../instants.ts'
import { parseAsOf, pastDay, resolveAsOf } from '../../markets/asOf.ts'
import { documentUrl } from '../../markets/documents.ts'
import { readMarket } from '../../markets/parameters.ts'
import { freeLicenceNotice, isFreeData } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { resolveCompanies } from '../companies/lookup.ts'
import { changedId } from '../companies/notes.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { type FilingPage, type FilingScope, filingPage } from './queries.ts'
import { defaultFilings, type FilingList, type FilingsQuery } from './schema.ts'

/** A filings request after all decisions. Filings are metadata: every key sees those of every day. */
export interface FilingsPlan extends FilingScope {
  readonly ticker: string | null
  readonly firstVersion: number | null
  readonly freeLicence: boolean
  readonly isSymbolAssumed: boolean
  readonly notes: readonly string[]
  /** Scope of this list's cursors. */
  readonly scope: CursorScope
  readonly cacheKey: string
}

export async function planFilings(
  deps: Pick<CompanyDeps, 'lookups' | 'markets' | 'today' | 'directory' | 'cursors'>,
  rights: Rights,
  query: FilingsQuery,
): Promise<FilingsPlan> {
  const sentAsOf = parseAsOf(query)
  if (sentAsOf?.kind === 'day') pastDay(sentAsOf.day, deps.today())
  const sentMarket = query.market === undefined ? null : readMarket(deps.markets, query.market)
  const sentId = query.ticker?.toUpperCase()
  const [company] = sentId === undefined ? [] : await resolveCompanies(deps, [sentId], sentAsOf)
  const market = company?.market ?? sentMarket
  if (market === null) throw refused('market', 'Send market (for example market=US) or ticker, or both.')
  if (company !== undefined && sentMarket !== null && sentMarket !== company.market) {
    throw refused('market', `${company.ticker} belongs to market ${company.market}, not ${sentMarket}.`)
  }
  const asOf = resolveAsOf(deps.markets, market, sentAsOf, deps.today())
  const list = { market, entityId: company?.entityId ?? null, asOf }
  const from = query.from === undefined ? null : readDay('from', query.from)
  const forms = query.form === undefined ? null : readForms(query.form)
  const scope = { route: 'filings', rights: isFreeData(rights) ? 'free' : 'full', query: [from, forms] }
  const place = query.cursor === undefined ? null : decodeCursor(deps.cursors, scope, query.cursor, list)
  const changed = company === undefined ? null : changedId(company.sentId ?? company.ticker, company)
  const plan = {
    ...list,
    ticker: company?.ticker ?? null,
    from,
    forms,
    after: place?.position ?? null,
    limit: query.limit ?? defaultFilings,
    firstVersion: place?.dataVersion ?? null,
    freeLicence: isFreeData(rights),
    isSymbolAssumed: company?.isSymbolAssumed ?? false,
    notes: changed === null ? [] : [changed],
  }
  return { ...plan, scope, cacheKey: `filings ${JSON.stringify(Object.values(plan))}` }
}

function readForms(sent: string): string[] {
  const forms = sent.split(',').map(form => form.trim().toLowerCase())
  if (forms.every(form => form !== '') && new Set(forms).size === forms.length) return forms
  throw refused(
    'form',
    `form=${sent.slice(0, 80)} has an empty form or the same form twice. Send each form once: 10-K,10-Q.`,
  )
}

/** A page of filings. */
export async function readFilings(
  { sql, markets, cursors }: Pick<CompanyDeps, 'sql' | 'markets' | 'cursors'>,
  plan: FilingsPlan,
): Promise<FilingList> {
  const page = await filingPage(sql, plan)
  const { market, asOf, ticker } = plan
  const manifest = markets.get(market)
  const note = [...plan.notes, ...pageNotes(plan, page)].join(' ')
  const dataVersion = plan.firstVersion ?? page.dataVersion
  const next =
    page.next === null ? null : encodeCursor(cursors, plan.scope, plan, { position: page.next, dataVersion })
  return {
    object: 'filing_list',
    market,
    ticker,
    from: plan.from,
    as_of: asOf,
    ...(plan.isSymbolAssumed ? { symbol_assumed: true as const } : {}),
    data_version: page.dataVersion,
    ...(plan.freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    ...(note === '' ? {} : { note }),
    count: page.filings.length,
    next,
    data: page.filings.map(filing => ({
      filed: filing.filed,
      form: filing.form,
      accession: filing.accession,
      accepted_at: filing.acceptedAt,
      figures: filing.figures,
      ticker: filing.ticker,
      issuer_id: filing.issuerId,
      url: documentUrl(manifest, filing.issuerId, filing.accession),
      source: manifest?.source_notice ?? market,
      ...knownByField(filing.byTime),
    })),
  }
}

function pageNotes(plan: FilingsPlan, { dataVersion, filings, next }: FilingPage): string[] {
  const { firstVersion, from, asOf } = plan
  const changed =
    firstVersion === null || firstVersion === dataVersion
      ? []
      : [
          `The first page has data version ${firstVersion}, this page has ${dataVersion}: filings imported in between may be missing from earlier pages. To read one data version, ${plan.freeLicence ? 'start again without cursor' : `send data_version=${firstVersion} with the cursor`}.`,
        ]
  if (filings.length > 0) return changed
  if (next !== null) return [...changed, 'No filing on this page is of that kind; `next` continues.']
  const days = from === null ? `up to ${asOf}` : `from ${from} to ${asOf}`
  const whose = plan.ticker === null ? `of market ${plan.market}` : `of ${plan.ticker}`
  const kinds = plan.forms === null ? '' : ` of kind ${plan.forms.join(' or ')}`
  return [
    ...changed,
    `No${plan.after === null ? '' : ' further'} filing ${whose}${kinds} ${days} is on record.`,
  ]
}

const refused = (param: string, message: string) => new Failure('parameter_invalid', message, { param })
