import { Type } from '@sinclair/typebox'
import { type CursorScope, type CursorSigner, PositionCursors, refusedCursor } from '../../http/cursor.ts'
import { readAsOf } from '../../markets/asOf.ts'
import { readStates } from '../../markets/companyStates.ts'
import { readMarket } from '../../markets/parameters.ts'
import { freeLicenceNotice, isFreeData } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { type UniversePage, type UniverseRecord, type UniverseScope, universePage } from './queries.ts'
import { type Universe, type UniverseQuery, universeLimit } from './schema.ts'

/** A checked request for a universe. States are metadata, which every key may see for every day. */
export interface UniversePlan extends UniverseScope {
  readonly firstVersion: number | null
  readonly freeLicence: boolean
  /** Scope of this list's cursors. */
  readonly scope: CursorScope
  readonly cacheKey: string
}

/** Market, `as_of`, the last company's number, data version of the first page. */
const positions = new PositionCursors(
  Type.Tuple([Type.String(), Type.String(), Type.String(), Type.Integer()]),
)

export function planUniverse(
  deps: Pick<CompanyDeps, 'markets' | 'today' | 'cursors'>,
  rights: Rights,
  query: UniverseQuery,
): UniversePlan {
  const market = readMarket(deps.markets, query.market)
  const asOf = readAsOf(deps.markets, market, query, deps.today())
  const states = query.state === undefined ? null : readStates('state', query.state)
  const freeLicence = isFreeData(rights)
  const scope = { route: 'universe', rights: freeLicence ? 'free' : 'full', query: [states] }
  const from = query.cursor === undefined ? null : readCursor(deps.cursors, scope, query.cursor, market, asOf)
  const plan = {
    market,
    asOf,
    states,
    after: from?.issuerId ?? null,
    limit: query.limit ?? universeLimit.default,
    firstVersion: from?.dataVersion ?? null,
    freeLicence,
  }
  return { ...plan, scope, cacheKey: `universe ${JSON.stringify(Object.values(plan))}` }
}

function readCursor(
  cursors: CursorSigner,
  scope: CursorScope,
  cursor: string,
  market: string,
  asOf: string,
): { readonly issuerId: string; readonly dataVersion: number } {
  const [ofMarket, ofDay, issuerId, dataVersion] = positions.read(cursors, scope, cursor)
  if (ofMarket !== market)
    throw refusedCursor(
      `cursor belongs to market ${ofMarket}, not ${market}. Omit cursor for the first page.`,
    )
  if (ofDay !== asOf)
    throw refusedCursor(
      `cursor belongs to a page as of ${ofDay}, not ${asOf}. Send as_of=${ofDay} with it, or omit cursor for the first page.`,
    )
  return { issuerId, dataVersion }
}

/** A page of a universe. */
export async function readUniverse(
  { sql, markets, cursors }: Pick<CompanyDeps, 'sql' | 'markets' | 'cursors'>,
  plan: UniversePlan,
): Promise<Universe> {
  const page = await universePage(sql, plan)
  const { market, asOf } = plan
  const manifest = markets.get(market)
  const firstVersion = plan.firstVersion ?? page.dataVersion
  const last = page.rows.at(-1)
  const note = pageNotes(plan, page).join(' ')
  return {
    object: 'universe',
    market,
    as_of: asOf,
    data_version: page.dataVersion,
    ...(plan.freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    ...(note === '' ? {} : { note }),
    count: page.rows.length,
    next:
      page.hasMore && last !== undefined
        ? positions.write(cursors, plan.scope, [market, asOf, last.issuerId, firstVersion])
        : null,
    data: page.rows.map(row => ({
      issuer_id: row.issuerId,
      ticker: row.ticker,
      name: row.name,
      sector: row.sector,
      state: row.state,
      since: row.since,
      rule: ruleOf(row),
      form: row.form,
      accession: row.accession,
      filed: row.filed,
      first_filed: row.firstFiled,
      last_filed: row.lastFiled,
      source: manifest?.source_notice ?? market,
    })),
  }
}

function ruleOf({ state }: Pick<UniverseRecord, 'state'>) {
  if (state === 'ceased') return 'silence'
  return state === 'unknown' ? 'no_index' : 'filing'
}

function pageNotes(
  { firstVersion, freeLicence, market, asOf, states, after }: UniversePlan,
  { dataVersion, rows }: UniversePage,
): string[] {
  const mend = freeLicence
    ? 'start again without cursor'
    : `send data_version=${firstVersion} with the cursor`
  const changed =
    firstVersion === null || firstVersion === dataVersion
      ? []
      : [
          `The first page has data version ${firstVersion}, this page has ${dataVersion}: filings imported in between may have changed states on earlier pages. To read one data version, ${mend}.`,
        ]
  if (rows.length > 0) return changed
  const which = states === null ? '' : ` that was ${states.join(' or ')}`
  return [
    ...changed,
    `No${after === null ? '' : ' further'} company of market ${market}${which} on ${asOf} is on record.`,
  ]
}
