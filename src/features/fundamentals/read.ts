import { daySpan, type IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { knownByField } from '../../instants.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { freeLicenceNotice } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { lineageNote } from '../companies/lineage.ts'
import { assumedSuffix, changedId, withReason } from '../companies/notes.ts'
import { provenanceOf } from './fields.ts'
import { heldBackRows, mayBeHeldBack } from './heldBack.ts'
import { mergeLineage } from './mergeLineage.ts'
import { missingComponents } from './missing.ts'
import { describePeriods, isTrailing, listPeriods, selectsAllPeriods } from './periods.ts'
import { type CompanyPlan, planCompany } from './plan.ts'
import { asksForLines, readPresentedLines } from './presentedLines.ts'
import {
  historyRows,
  type KnownMetric,
  knownMetrics,
  knownPeriods,
  latestRows,
  type StoredRow,
  type StoredRows,
} from './queries.ts'
import { readReadyRows } from './readyRows.ts'
import {
  type FundamentalsList,
  type FundamentalsQuery,
  type FundamentalsRow,
  fiscalPeriods,
} from './schema.ts'
import { splitEvidence } from './splitQueries.ts'
import { detectSplits, type Split, splitFactor } from './splits.ts'
import { readsOtherRows, staleBefore } from './staleness.ts'
import { trailingRows } from './trailingQueries.ts'

/** On the pool or on a snapshot's connection. */
export type ReadDeps = Pick<CompanyDeps, 'markets' | 'terms'> & { readonly sql: SqlClient }

/** One company's figures as its plan allows them, with notes on what is missing. */
export async function readCompany(deps: ReadDeps, plan: CompanyPlan): Promise<FundamentalsList> {
  const manifest = deps.markets.get(plan.market)
  const { dataVersion, rows } = await readRows(deps, plan)
  const isLatest = plan.view === 'latest'
  const oldest = isLatest ? await staleBefore(deps.sql, plan, rows) : null
  const heldBack = await heldBackRows(deps.sql, plan, rows)
  const splits = plan.adjust === null ? null : shownSplits(plan, rows, await readSplits(deps, plan))
  const notes = [
    rows.length === 0 ? null : restriction(plan, rows[0].fy),
    await explainAbsence(deps, plan, new Set(rows.map(row => row.m))),
    assumedSuffix(manifest, plan.ticker, plan.twin === null ? [] : [plan.twin]),
    changedId(plan.sentId ?? plan.ticker, plan),
    plan.lineage !== null && plan.others.length === 0 ? lineageNote(plan.lineage, plan.entityId) : null,
  ].filter(note => note !== null)
  const lines = await readPresentedLines(deps, plan, rows)
  const missing = await missingComponents(deps.sql, plan, new Set(rows.map(row => row.m)))
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
    until: row.until,
    kind: row.derived ? 'derived' : 'stated',
    ...(row.earlier ? { generation: 'earlier' } : {}),
    ...knownByField(row.byTime),
    ...(splits === null ? {} : adjusted(row, splits)),
    ...staleness(row, oldest, heldBack.get(row.m)),
    ...provenanceOf(row, plan.fields, { manifest, issuerId: issuer_id, line: lines.get(row) ?? null }),
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
    ...(splits === null ? {} : { splits }),
    ...(plan.isSymbolAssumed ? { symbol_assumed: true as const } : {}),
    data_version: dataVersion,
    ...(plan.freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
    ...(missing.length === 0 ? {} : { missing }),
    count: data.length,
    data,
  }
}

/**
 * Marks a row whose period is not the company's latest. Trailing twelve months say why they end before the
 * last report.
 */
function staleness(
  { end }: StoredRow,
  oldest: IsoDate | null,
  reason: string | undefined,
): Pick<FundamentalsRow, 'stale' | 'stale_reason'> {
  if (reason !== undefined) return { stale: true, stale_reason: reason }
  return oldest !== null && end < oldest ? { stale: true } : {}
}

async function readSplits({ sql }: ReadDeps, plan: CompanyPlan): Promise<Split[]> {
  return plan.otherMarket === null ? detectSplits(await splitEvidence(sql, plan)) : []
}

/**
 * A key that sees only one fiscal year gets the splits that adjust a figure of that year, and not the splits of
 * earlier years.
 */
function shownSplits(plan: CompanyPlan, rows: readonly StoredRow[], splits: Split[]): Split[] {
  if (!plan.recentFiscalYearOnly) return splits
  return splits.filter(split => rows.some(({ filed }) => filed < split.filed))
}

/** A share count or per-share figure, adjusted for splits that its own filing could not yet reflect. */
function adjusted({ v, u, filed }: StoredRow, splits: readonly Split[]) {
  const isCount = u === 'shares'
  if (!isCount && !u.endsWith('/shares')) return {}
  const factor = splitFactor(splits, filed)
  return { v: plainZero(isCount ? v * factor : v / factor), split_factor: factor }
}

async function readRows(deps: ReadDeps, plan: CompanyPlan): Promise<StoredRows> {
  if (plan.otherMarket !== null) return { dataVersion: await readDataVersion(deps.sql), rows: [] }
  if (isTrailing(plan)) return trailingRows(deps.sql, plan)
  const ready = await readReadyRows(deps.sql, plan)
  if (ready !== null) return ready
  return plan.view === 'latest' ? latestRows(deps.sql, plan) : historyRows(deps.sql, plan)
}

function restriction(plan: CompanyPlan, fiscalYear: number): string | null {
  if (!plan.recentFiscalYearOnly) return null
  return onlyRecentYear(String(fiscalYear))
}

/** @param which names the year that is shown, or the companies whose other years are not shown */
export function onlyRecentYear(which: string): string {
  return `Only the most recent reported fiscal year (${which}) is shown. The full history and as_of require an evaluation key or a Personal or Commercial data licence.`
}

/**
 * Explains why a company has no rows for this request, or none for some of its metrics. Returns null if nothing is
 * missing. Reads only what was filed by as_of, because a reason that knows of later filings would be look-ahead.
 *
 * @param shown metrics of the rows in the response
 */
async function explainAbsence(
  deps: ReadDeps,
  plan: CompanyPlan,
  shown: ReadonlySet<string>,
): Promise<string | null> {
  const { ticker, market, asOf, otherMarket } = plan
  const absent = plan.metrics?.filter(metric => !shown.has(metric)) ?? null
  if (shown.size > 0 && (absent === null || absent.length === 0)) return null
  if (otherMarket !== null) {
    return `${ticker} belongs to market ${market}, not ${otherMarket}. Omit market, or send ${market}.`
  }
  const manifest = deps.markets.get(market)
  if (manifest?.status === 'announced') {
    return `Market ${market} is announced, but its figures are not served yet: there is no importer for it.`
  }
  const known = await knownMetrics(deps.sql, plan.entityId, asOf)
  if (known.length === 0) {
    const absence = `${ticker} filed no figures up to ${asOf}. GET /api/v1/coverage/${ticker} shows what is on record.`
    return withReason(absence, manifest)
  }
  const unstated = absent?.filter(metric => known.every(({ m }) => m !== metric)) ?? []
  const unfit = known.filter(({ m }) => absent === null || absent.includes(m))
  const reasons: string[] = []
  if (unstated.length > 0) reasons.push(neverStated(deps, plan, unstated))
  if (unfit.length > 0) {
    const whose = unfit.length === known.length ? '' : `${unfit.map(({ m }) => m).join(', ')}: `
    reasons.push(whose + (await whyUnfit(deps, plan, unfit)))
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

/** Says why figures that we have are not in the response. */
async function whyUnfit(
  { sql }: ReadDeps,
  plan: CompanyPlan,
  unfit: readonly KnownMetric[],
): Promise<string> {
  const { ticker, asOf, from, recentFiscalYearOnly } = plan
  const lastEnd = daySpan(unfit.map(metric => metric.lastEnd))?.last ?? asOf
  if (from !== null && from > lastEnd) {
    return `No period that ends on or after ${from} was known on ${asOf}; the latest known period ends on ${lastEnd}.`
  }
  if (recentFiscalYearOnly) {
    return `This key sees only the most recent reported fiscal year of ${ticker}, and that year has no such row. The full history requires an evaluation key or a Personal or Commercial data licence.`
  }
  if (plan.checks !== null) return `No such figure filed up to ${asOf} is ${plan.checks.join(' or ')}.`
  if (selectsAllPeriods(plan)) return `No figure filed up to ${asOf} matches the request.`
  const names = unfit.map(({ m }) => m)
  const known = listPeriods(await knownPeriods(sql, plan, names))
  const since = from === null ? '' : ` that end on or after ${from}`
  return `No ${describePeriods(plan)}${since} were filed up to ${asOf}. On record by then: ${known}.`
}

/**
 * One company's figures, all of one data version. The plan looked the company up before its figures are read.
 * If an import commits in between, both are read again; otherwise an old name could come with new figures.
 */
export async function answerCompany(
  deps: CompanyDeps,
  rights: Rights,
  query: FundamentalsQuery,
  planned: CompanyPlan,
): Promise<FundamentalsList> {
  const reading = { sql: deps.lookups, markets: deps.markets, terms: deps.terms }
  // The directory may still hold the name that the import changed.
  const { directory: _, ...fresh } = deps
  let plan = planned
  for (let left = maxAttempts; left > 0; left--) {
    const list = await readConsistently(reading, plan)
    const others = await Promise.all(plan.others.map(other => readConsistently(reading, other)))
    const isComplete = list?.data_version === plan.dataVersion
    const known = others
      .filter(other => other?.data_version === plan.dataVersion)
      .filter(other => other !== null)
    if (list !== null && isComplete && known.length === others.length)
      return plan.lineage === null || others.length === 0
        ? list
        : mergeLineage(plan.lineage, [list, ...known])
    plan = await planCompany(fresh, rights, query)
  }
  throw dataVersionConflict()
}

/** Null if an import committed while the company was read. */
async function readConsistently(deps: ReadDeps, plan: CompanyPlan): Promise<FundamentalsList | null> {
  const list = await readCompany(deps, plan)
  return (await isConsistent(deps, plan, list)) ? list : null
}

/**
 * The reason for an empty list, and the data with which its rows are compared, are read after the list, so all of them
 * must be checked to come from one data version.
 */
async function isConsistent({ sql }: ReadDeps, plan: CompanyPlan, list: FundamentalsList): Promise<boolean> {
  const readMore =
    list.count === 0 ||
    plan.adjust !== null ||
    asksForLines(plan) ||
    mayBeHeldBack(plan, list.count) ||
    (plan.view === 'latest' && readsOtherRows(plan, list.data))
  return !readMore || (await readDataVersion(sql)) === list.data_version
}

/**
 * How often a request is read again because an import committed in between. Imports commit seconds apart and
 * a read takes milliseconds, so the second attempt nearly always succeeds.
 */
export const maxAttempts = 8

export function dataVersionConflict(): Failure {
  return new Failure(
    'database_unavailable',
    'The data kept changing while this request was being served. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

/**
 * In the database, 0 / -5 is -0. JSON and CSV would print it as 0 but Parquet would keep the sign, so it becomes 0
 * for all formats.
 */
export function plainZero(value: number): number {
  return value === 0 ? 0 : value
}
