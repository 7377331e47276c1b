import { Failure } from '../../../errors.ts'
import { parseAsOf, pastDay, type SentAsOf } from '../../../markets/asOf.ts'
import type { Rights } from '../../../rights/rights.ts'
import { type FoundCompany, findByAnyId, idOnDay } from '../../companies/lookup.ts'
import { type CompanyPlan, planCompany } from '../../fundamentals/plan.ts'
import { answerCompany, dataVersionConflict, maxAttempts } from '../../fundamentals/read.ts'
import type { FundamentalsList, FundamentalsQuery } from '../../fundamentals/schema.ts'
import { searchEntities } from '../../search/search.ts'
import type { PageDeps } from '../deps.ts'
import { shownName } from '../names/companyName.ts'
import { periodsOf } from '../periodTabs.ts'
import { type Lines, linesOf } from './align.ts'
import { type Compare, chosenDay, maxCompanies } from './query.ts'

export interface ComparedCompany {
  /** As typed. */
  readonly sent: string
  readonly ticker: string
  /** An ID that names it on the day: another company may have had its symbol then. */
  readonly idOnDay: string
  readonly name: string
  readonly market: string
  readonly hasFullHistory: boolean
  readonly lines: Lines
  readonly list: FundamentalsList
}

/** A company that was asked for and is not compared. */
export interface LeftOut {
  readonly sent: string
  readonly failure: Failure
  /** IDs that may have been meant, with their names. */
  readonly near: readonly { readonly ticker: string; readonly name: string | null }[]
}

export interface Comparison {
  readonly companies: readonly ComparedCompany[]
  readonly leftOut: readonly LeftOut[]
  /** IDs of companies that have been named before by another ID. */
  readonly repeated: readonly string[]
  /** IDs beyond the limit. */
  readonly beyond: readonly string[]
}

/**
 * Reads each company with the visitor's rights, as its own page and the API do, all of one data version. A company that is
 * unknown or refused is left out with the reason, and the others are shown.
 */
export async function readComparison(deps: PageDeps, rights: Rights, compare: Compare): Promise<Comparison> {
  const chosen = chosenDay(compare)
  const sent = parseAsOf(chosen)
  if (sent?.kind === 'day') pastDay(sent.day, deps.today())
  for (let left = maxAttempts; left > 0; left--) {
    const planned = await planAll(deps, rights, compare, sent, chosen)
    const lists = await Promise.all(
      planned.found.map(({ query, plan }) => answerCompany(deps, rights, query, plan)),
    )
    if (lists.some(list => list.data_version !== lists[0].data_version)) continue
    const companies = planned.found.map(({ sent, query, plan }, at) => {
      const list = lists[at]
      const { ticker, market } = list
      const name = shownName({ registered: list.name, ids: [ticker] }) ?? ticker
      const lines = linesOf(list.data, compare.show)
      const idOnDay = query.ticker ?? ticker
      return { sent, ticker, idOnDay, name, market, hasFullHistory: !plan.recentFiscalYearOnly, lines, list }
    })
    return { ...planned, companies }
  }
  throw dataVersionConflict()
}

interface Found {
  readonly sent: string
  readonly query: FundamentalsQuery
  readonly plan: CompanyPlan
}

interface Planned extends Omit<Comparison, 'companies'> {
  readonly found: readonly Found[]
}

/**
 * Finds all companies before it plans them one after the other: planning counts, and for an evaluation each may be the last
 * that its licence covers.
 */
async function planAll(
  deps: PageDeps,
  rights: Rights,
  compare: Compare,
  sent: SentAsOf | null,
  chosen: Pick<FundamentalsQuery, 'as_of' | 'tz'>,
): Promise<Planned> {
  const named: { readonly sent: string; readonly company: FoundCompany | Failure }[] = []
  const repeated: string[] = []
  const beyond: string[] = []
  const entities = new Set<number>()
  const lookup = { ...deps, sql: deps.lookups }
  for (const id of compare.companies) {
    if (named.length >= maxCompanies) {
      beyond.push(id)
      continue
    }
    const company = await unlessRefused(findByAnyId(lookup, id, sent))
    if (!(company instanceof Failure)) {
      if (entities.has(company.entity.entityId)) {
        repeated.push(id)
        continue
      }
      entities.add(company.entity.entityId)
    }
    named.push({ sent: id, company })
  }
  const open = named.flatMap(({ company }) =>
    company instanceof Failure || !rights.seesHistoryOf(company.ticker, company.entity.ticker)
      ? []
      : [company.entity.market],
  )
  requireOneInstant(compare, sent, open)
  const found: Found[] = []
  const leftOut: LeftOut[] = []
  for (const { sent: id, company } of named) {
    const planned = company instanceof Failure ? company : await unlessRefused(planOne(company))
    if (planned instanceof Failure)
      leftOut.push({ sent: id, failure: planned, near: await nearest(deps, id, planned) })
    else found.push({ sent: id, ...planned })
  }
  return { found, leftOut, repeated, beyond }

  async function planOne(company: FoundCompany): Promise<Omit<Found, 'sent'>> {
    const ticker = sent === null ? company.ticker : await idOnDay(lookup, company, sent)
    const query: FundamentalsQuery = {
      ticker,
      fp: periodsOf[compare.show],
      vintage: 'latest',
      fields: 'start',
      // A split would look like growth of the share count and a fall of every figure per share.
      ...(compare.view === 'values' ? {} : { adjust: 'splits' as const }),
      ...chosen,
    }
    return { query, plan: await planCompany(deps, rights, query) }
  }
}

/** The result, or why the company is left out. */
async function unlessRefused<Result>(work: Promise<Result>): Promise<Result | Failure> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Failure && isAboutCompany(error)) return error
    throw error
  }
}

const isAboutCompany = ({ code }: Failure) =>
  code === 'entity_unknown' || code === 'licence_required' || code === 'entity_cap_reached'

/** A time without an offset is another instant in each market: a comparison would mix what was known at two times. */
function requireOneInstant({ as_of }: Compare, sent: SentAsOf | null, of: readonly string[]): void {
  if (sent === null || sent.kind === 'day' || sent.kind === 'instant') return
  const markets = [...new Set(of)]
  if (markets.length < 2) return
  throw new Failure(
    'parameter_invalid',
    `as_of=${as_of} means a different instant in each of the markets ${markets.join(', ')}. Send a time with its offset, like 2010-01-25T16:00:00-05:00.`,
    { param: 'as_of' },
  )
}

const maxNear = 3

/** Companies that an unknown ID may stand for: by similar IDs or, if it is a name, by that name. */
async function nearest(deps: PageDeps, id: string, { code, details }: Failure): Promise<LeftOut['near']> {
  if (code !== 'entity_unknown') return []
  const named = (await searchEntities(deps.sql, id)).map(({ ticker, name }) => ({ ticker, name }))
  const similar = (details.near ?? [])
    .filter(ticker => named.every(other => other.ticker !== ticker))
    .map(ticker => ({ ticker, name: null }))
  return [...named, ...similar].slice(0, maxNear)
}
