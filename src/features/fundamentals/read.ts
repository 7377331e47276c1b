import { freeLicenceNotice, type Principal } from '../../access/licences.ts'
import { daySpan } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { Statements } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/snapshot.ts'
import type { FundamentalsDeps } from '../companies/deps.ts'
import { assumedSuffix, withReason } from '../companies/notes.ts'
import { type FundamentalsPlan, planFundamentals } from './plan.ts'
import {
  historyRows,
  type KnownMetric,
  knownMetrics,
  latestRows,
  type RowScope,
  type StoredRows,
} from './queries.ts'
import {
  type FundamentalsList,
  type FundamentalsQuery,
  type FundamentalsRow,
  fiscalPeriods,
} from './schema.ts'

/** Where statements go is the pool, or the connection of a snapshot. */
export type ReadDeps = Pick<FundamentalsDeps, 'markets'> & { readonly sql: Statements }

export async function readFundamentals(deps: ReadDeps, plan: FundamentalsPlan): Promise<FundamentalsList> {
  const manifest = deps.markets.get(plan.market)
  const { dataVersion, rows } = await readRows(deps, plan)
  const notes = [
    rows.length === 0 ? null : restriction(plan, rows[0].fy),
    await explainAbsence(deps, plan, new Set(rows.map(row => row.m))),
    assumedSuffix(manifest, plan.ticker, plan.twin === null ? [] : [plan.twin]),
  ].filter(note => note !== null)
  const { ticker, issuerId: issuer_id } = plan
  const source = manifest?.source_notice ?? plan.market
  const data: FundamentalsRow[] = rows.map(row => ({
    m: row.m,
    fy: row.fy,
    fp: fiscalPeriods[row.fp],
    end: row.end,
    filed: row.filed,
    v: plainZero(row.v),
    u: row.u,
    ticker,
    issuer_id,
    source,
  }))
  return {
    object: 'fundamentals_list',
    ticker,
    issuer_id,
    name: plan.name,
    market: plan.market,
    as_of: plan.asOf,
    view: plan.view,
    ...(plan.vintage === 'all' ? {} : { vintage: plan.vintage }),
    data_version: dataVersion,
    ...(plan.freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
    count: data.length,
    data,
  }
}

async function readRows(deps: ReadDeps, plan: FundamentalsPlan): Promise<StoredRows> {
  if (plan.otherMarket !== null) return { dataVersion: await readDataVersion(deps.sql), rows: [] }
  const scope: RowScope = plan
  return plan.view === 'latest' ? latestRows(deps.sql, scope) : historyRows(deps.sql, scope)
}

function restriction(plan: FundamentalsPlan, fiscalYear: number): string | null {
  if (!plan.recentFiscalYearOnly) return null
  return `The most recent reported fiscal year only (${fiscalYear}). Full history and as_of need an evaluation key or a Personal or Commercial data licence.`
}

/** Why a known entity has no row for this request, or for some of the metrics that it names; null: nothing is absent. Only
 * what was filed by as_of is looked at.
 *
 * @param shown metrics of the rows that there are */
export async function explainAbsence(
  deps: ReadDeps,
  plan: FundamentalsPlan,
  shown: ReadonlySet<string>,
): Promise<string | null> {
  const { ticker, market, asOf, otherMarket } = plan
  const absent = plan.metrics?.filter(metric => !shown.has(metric)) ?? null
  if (shown.size > 0 && (absent === null || absent.length === 0)) return null
  if (otherMarket !== null) {
    return `${ticker} belongs to market ${market}, not ${otherMarket}. Leave market out, or send ${market}.`
  }
  const manifest = deps.markets.get(market)
  if (manifest?.status === 'announced') {
    return `No figures of market ${market} are served yet: it is announced, and its importer does not ship.`
  }
  const known = await knownMetrics(deps.sql, plan.entityId, asOf)
  if (known.length === 0) {
    const absence = `No filing of ${ticker} with figures is known that was filed by ${asOf}. GET /api/v1/coverage/${ticker} tells what is on file.`
    return withReason(absence, manifest)
  }
  const unstated = absent?.filter(metric => known.every(({ m }) => m !== metric)) ?? []
  const unfit = known.filter(({ m }) => absent === null || absent.includes(m))
  const reasons: string[] = []
  if (unstated.length > 0) reasons.push(neverStated(deps, plan, unstated))
  if (unfit.length > 0) {
    const whose = unfit.length === known.length ? '' : `${unfit.map(({ m }) => m).join(', ')}: `
    reasons.push(whose + whyUnfit(plan, unfit))
  } else if (shown.size === 0) reasons.push(`It had stated: ${known.map(({ m }) => m).join(', ')}.`)
  return reasons.join(' ')
}

function neverStated({ markets }: ReadDeps, plan: FundamentalsPlan, metrics: readonly string[]): string {
  const absences = markets.get(plan.market)?.absences ?? {}
  const why = metrics.flatMap(metric =>
    absences[metric] === undefined ? [] : `${metric}: ${absences[metric]}`,
  )
  return [`${plan.ticker} had stated no ${metrics.join(', ')} by ${plan.asOf}.`, ...why].join(' ')
}

/** Why figures that are on file are not among the rows. */
function whyUnfit(
  { ticker, asOf, from, recentFiscalYearOnly }: FundamentalsPlan,
  unfit: readonly KnownMetric[],
) {
  const lastEnd = daySpan(unfit.map(metric => metric.lastEnd))?.last ?? asOf
  if (from !== null && from > lastEnd) {
    return `No period that ends on or after ${from} was known by ${asOf}; the latest one ends on ${lastEnd}.`
  }
  if (recentFiscalYearOnly) {
    return `This key sees the most recent reported fiscal year of ${ticker} only, and it holds no such row. An evaluation key or a Personal or Commercial data licence opens the full history.`
  }
  return `Nothing filed by ${asOf} fits the request.`
}

/** The figures of one company, all of one data version. Who a company is was read before its figures are: where an import
 * came between, both are read anew, and never is the old name shown with new figures. */
export async function answerFundamentals(
  deps: FundamentalsDeps,
  principal: Principal,
  query: FundamentalsQuery,
  planned: FundamentalsPlan,
): Promise<FundamentalsList> {
  // What is remembered of companies may be what has just changed.
  const { entities: _, ...fresh } = deps
  let plan = planned
  for (let left = tries; left > 0; left--) {
    const list = await readFundamentals(deps, plan)
    if (list.data_version === plan.dataVersion && (await isSettled(deps, list))) return list
    plan = await planFundamentals(fresh, principal, query)
  }
  throw unsettled()
}

/** Why there is no figure is found out after there was none. */
async function isSettled({ sql }: Pick<FundamentalsDeps, 'sql'>, list: FundamentalsList): Promise<boolean> {
  return list.count > 0 || (await readDataVersion(sql)) === list.data_version
}

/** How often a question is read that imports come between. They commit seconds apart and it takes milliseconds, so the
 * second time nearly always does. */
export const tries = 8

export function unsettled(): Failure {
  return new Failure(
    'database_unavailable',
    'The data changed again and again while this was read. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

/** A loss of nothing (0 / -5) is -0 in the database. JSON and CSV write it as 0, so it is 0 in every form. */
export function plainZero(value: number): number {
  return value === 0 ? 0 : value
}
