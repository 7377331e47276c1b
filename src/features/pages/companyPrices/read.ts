import { parseAsOf, pastDay } from '../../../markets/asOf.ts'
import type { Sql } from '../../../postgres/client.ts'
import { withSnapshot } from '../../../postgres/snapshot.ts'
import type { PriceSet } from '../../../prices/priceQueries.ts'
import type { Rights } from '../../../rights/rights.ts'
import { type ContentSince, contentSince } from '../../../wholeFilings/knownFilingQueries.ts'
import { findByAnyId, idOnDay } from '../../companies/lookup.ts'
import { readProfile } from '../../companyProfile/profile.ts'
import type { Company } from '../../companyProfile/schema.ts'
import { planPrices, readPrices } from '../../prices/prices.ts'
import type { PriceList } from '../../prices/schema.ts'
import { requirePriceSet, visibleSets } from '../../prices/sets.ts'
import { recentContent } from '../company/read.ts'
import type { PageDeps, Visitor } from '../deps.ts'
import type { CompanyPricesQuery } from './query.ts'

export interface CompanyPricesDeps extends PageDeps {
  /** The primary database, where a change of rights is seen first. */
  readonly primary: { readonly sql: Sql }
}

export interface CompanyPricesView {
  readonly profile: Company
  /** Since when filings in full are on record. */
  readonly content: ContentSince
  /** The sets that the visitor may see. */
  readonly sets: readonly PriceSet[]
  /** The set that is shown, with the prices known on the day of the page; null: the visitor may see none. */
  readonly shown: { readonly set: PriceSet; readonly list: PriceList } | null
}

/** Sets in which the company is looked for. */
export const maxSets = 20

/** Reads what the API answers for the company, with the visitor's rights. Without a named set, the first that has prices of it. */
export async function readCompanyPrices(
  deps: CompanyPricesDeps,
  { rights, subject }: Visitor,
  id: string,
  { set: name, ...day }: CompanyPricesQuery,
): Promise<CompanyPricesView> {
  const sent = parseAsOf(day)
  if (sent?.kind === 'day') pastDay(sent.day, deps.today())
  const lookup = { ...deps, sql: deps.lookups }
  const found = await findByAnyId(lookup, id, sent)
  const ticker = sent === null ? found.ticker : await idOnDay(lookup, found, sent)
  if (name !== undefined) await requirePriceSet(deps.primary.sql, rights, name)
  const sets = await seenSets(deps, rights)
  let shown: CompanyPricesView['shown'] = null
  for (const set of name === undefined ? sets.slice(0, maxSets) : sets.filter(one => one.name === name)) {
    const plan = await planPrices(deps, rights, set, { ticker, ...day })
    const list = await deps.readLimiter.run(subject, () =>
      withSnapshot(deps.sql, snapshot => readPrices(snapshot, plan)),
    )
    shown ??= { set, list }
    if (list.count === 0) continue
    shown = { set, list }
    break
  }
  const profile = await withSnapshot(deps.sql, sql => readProfile({ ...deps, sql }, id, sent))
  const { entity } = found
  const content = rights.seesHistoryOf(found.ticker, entity.ticker)
    ? await contentSince(deps.sql, entity.entityId, deps.today())
    : recentContent(profile)
  return { profile, content, sets, shown }
}

/** The sets of the connection that is read, as far as the primary says that the visitor may see them. */
async function seenSets(deps: CompanyPricesDeps, rights: Rights): Promise<PriceSet[]> {
  const allowed = new Set((await visibleSets(deps.primary.sql, rights)).map(({ priceSetId }) => priceSetId))
  return (await visibleSets(deps.sql, rights)).filter(({ priceSetId }) => allowed.has(priceSetId))
}
