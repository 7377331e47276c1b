import { freeLicenceNotice, type Principal } from '../../access/licences.ts'
import { daySpan } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { assumedSuffix, withReason } from '../companies/notes.ts'
import { type CompanyPlan, planCompany } from './plan.ts'
import { historyRows, type KnownMetric, knownMetrics, latestRows, type StoredRows } from './queries.ts'
import {
  type FundamentalsList,
  type FundamentalsQuery,
  type FundamentalsRow,
  fiscalPeriods,
} from './schema.ts'

/** On the pool, or on the connection of a snapshot. */
export type ReadDeps = Pick<CompanyDeps, 'markets'> & { readonly sql: SqlClient }

/** The figures of one company as its plan allows them, with notes on what is missing. */
export async function readCompany(deps: ReadDeps, plan: CompanyPlan): Promise<FundamentalsList> {
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

async function readRows(deps: ReadDeps, plan: CompanyPlan): Promise<StoredRows> {
  if (plan.otherMarket !== null) return { dataVersion: await readDataVersion(deps.sql), rows: [] }
  return plan.view === 'latest' ? latestRows(deps.sql, plan) : historyRows(deps.sql, plan)
}

function restriction(plan: CompanyPlan, fiscalYear: number): string | null {
  if (!plan.recentFiscalYearOnly) return null
  return `The most recent reported fiscal year only (${fiscalYear}). Full history and as_of need an evaluation key or a Personal or Commercial data licence.`
}

/** Why a company has no rows for this request, or none for some of its metrics; null: nothing is missing. Reads only what was
 * filed by as_of: a reason that knows of later filings would look ahead.
 *
 * @param shown metrics of the rows that are answered */
async function explainAbsence(
  deps: ReadDeps,
  plan: CompanyPlan,
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
    const absence = `No filing of ${ticker} with figures was filed by ${asOf}. GET /api/v1/coverage/${ticker} shows what is on file.`
    return withReason(absence, manifest)
  }
  const unstated = absent?.filter(metric => known.every(({ m }) => m !== metric)) ?? []
  const unfit = known.filter(({ m }) => absent === null || absent.includes(m))
  const reasons: string[] = []
  if (unstated.length > 0) reasons.push(neverStated(deps, plan, unstated))
  if (unfit.length > 0) {
    const whose = unfit.length === known.length ? '' : `${unfit.map(({ m }) => m).join(', ')}: `
    reasons.push(whose + whyUnfit(plan, unfit))
  } else if (shown.size === 0) reasons.push(`It reports: ${known.map(({ m }) => m).join(', ')}.`)
  return reasons.join(' ')
}

function neverStated({ markets }: ReadDeps, plan: CompanyPlan, metrics: readonly string[]): string {
  const absences = markets.get(plan.market)?.absences ?? {}
  const why = metrics.flatMap(metric =>
    absences[metric] === undefined ? [] : `${metric}: ${absences[metric]}`,
  )
  return [`${plan.ticker} reports no ${metrics.join(', ')} in filings up to ${plan.asOf}.`, ...why].join(' ')
}

/** Why figures that are on file are not in the answer. */
function whyUnfit({ ticker, asOf, from, recentFiscalYearOnly }: CompanyPlan, unfit: readonly KnownMetric[]) {
  const lastEnd = daySpan(unfit.map(metric => metric.lastEnd))?.last ?? asOf
  if (from !== null && from > lastEnd) {
    return `No period that ends on or after ${from} was known by ${asOf}; the latest one ends on ${lastEnd}.`
  }
  if (recentFiscalYearOnly) {
    return `This key sees the most recent reported fiscal year of ${ticker} only, and it holds no such row. An evaluation key or a Personal or Commercial data licence opens the full history.`
  }
  return `Nothing filed by ${asOf} fits the request.`
}

/** The figures of one company, all of one data version. The plan read who the company is before its figures are read: where an
 * import commits in between, both are read again, so that an old name never comes with new figures. */
export async function answerCompany(
  deps: CompanyDeps,
  principal: Principal,
  query: FundamentalsQuery,
  planned: CompanyPlan,
): Promise<FundamentalsList> {
  const reading = { sql: deps.lookups, markets: deps.markets }
  // The directory may hold the very name that the import changed.
  const { directory: _, ...fresh } = deps
  let plan = planned
  for (let left = maxAttempts; left > 0; left--) {
    const list = await readCompany(reading, plan)
    if (list.data_version === plan.dataVersion && (await isConsistent(reading, list))) return list
    plan = await planCompany(fresh, principal, query)
  }
  throw dataVersionConflict()
}

/** The reason why a list is empty is read after the list: both must be of one data version. */
async function isConsistent({ sql }: ReadDeps, list: FundamentalsList): Promise<boolean> {
  return list.count > 0 || (await readDataVersion(sql)) === list.data_version
}

/** How often a request is read again because an import committed in between. Imports commit seconds apart and a read takes
 * milliseconds, so the second attempt nearly always succeeds. */
export const maxAttempts = 8

export function dataVersionConflict(): Failure {
  return new Failure(
    'database_unavailable',
    'The data changed again and again while this was read. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

/** 0 / -5 is -0 in the database. JSON and CSV print it as 0 and Parquet would keep the sign, so all get 0. */
export function plainZero(value: number): number {
  return value === 0 ? 0 : value
}
