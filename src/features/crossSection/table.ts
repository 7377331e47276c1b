import { isInstant, knownByField } from '../../instants.ts'
import { findValuation } from '../../markets/valuations.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { currencies, isPeriodFigure } from '../fundamentals/columns.ts'
import { plainZero } from '../fundamentals/read.ts'
import { fiscalPeriods } from '../fundamentals/schema.ts'
import { countRows } from '../marketPages/answer.ts'
import { nextCompany, pageFields } from '../marketPages/page.ts'
import { encodeCursor, type PageViewer } from '../marketPages/query.ts'
import {
  type CrossSectionDeps,
  type CrossSectionPlan,
  emptyPageNote,
  filterFields,
  restriction,
  selectionFields,
  sourceOf,
} from './crossSection.ts'
import { withGroups } from './groupQueries.ts'
import { maxSorted, type Ranking, rankMarket } from './ranking.ts'
import { comparisonNotes, type RankingAnswer, rankingFields } from './rankingFields.ts'
import type { CrossSectionTable, CrossSectionTableRow } from './schema.ts'
import { isLater, type TableCompany, type TableFigure, tableRows } from './tablePage.ts'
import { periodName, priceDayOf } from './valued.ts'

/**
 * A page with several metrics of every company of a market. A company counts once against the key's cap,
 * however many it has.
 */
export async function readCrossSectionTable(
  deps: CrossSectionDeps,
  rights: Rights,
  plan: CrossSectionPlan,
): Promise<CrossSectionTable> {
  const { sort, valued } = plan
  const { page, groupOfEntity } = await withGroups(deps.sql, plan, async () => {
    if (sort === null && valued === null) return { ...(await tableRows(deps.sql, plan)), ranking: null }
    const ranking = await rankAll(deps, plan)
    return { ...ranking, ranking }
  })
  await countRows(deps, rights, plan, page.rows)
  return tableOf(deps, plan, page, groupOfEntity)
}

const rankAll = ({ sql, valueCompanies }: CrossSectionDeps, plan: CrossSectionPlan): Promise<Ranking> =>
  rankMarket(sql, plan, async (_, found) => found, maxSorted, valueCompanies)

/** A company of a screen with its figures, and its group if the request has a grouping. */
export interface ScreenedCompany {
  readonly figures: ReadonlyMap<string, Pick<TableFigure, 'value' | 'unit'>>
  readonly group: string | null
}

/** A page of a ranking, and what surrounds it. */
export interface ScreenedTable {
  readonly table: CrossSectionTable
  /** Whether all companies of the market were compared. */
  readonly isWhole: boolean
  /**
   * The companies of all pages; for a capped key only those of this page, because figures of the others have not been
   * counted.
   */
  readonly companies: readonly ScreenedCompany[]
  /** How many companies precede the page. Null for capped keys, which get no counts. */
  readonly start: number | null
  /** The cursor of the previous page; '' if that is the first page, null if this is. */
  readonly previous: string | null
}

/**
 * The same table with all companies of the ranking.
 *
 * @param plan must have a sort
 */
export async function readScreenedTable(
  deps: CrossSectionDeps,
  { rights, allowance }: PageViewer,
  plan: CrossSectionPlan,
): Promise<ScreenedTable> {
  const { sort, left, seen } = plan
  if (sort === null) throw new Error('A screen is always sorted.')
  const isCounted = left === null || seen !== null
  const { page: ranking, groupOfEntity } = await withGroups(
    deps.sql,
    plan,
    () => rankAll(deps, plan),
    ({ rows, ranked }) => (isCounted ? ranked : rows),
  )
  await countRows(deps, rights, plan, ranking.rows)
  const companies = isCounted ? ranking.ranked : ranking.rows
  return {
    table: tableOf(deps, plan, { ...ranking, ranking }, groupOfEntity),
    isWhole: ranking.isWhole,
    companies: companies.map(({ entityId, figures }) => ({ figures, group: groupOfEntity(entityId) })),
    start: isCounted ? ranking.start : null,
    previous: previousCursor(deps, plan, ranking, allowance?.seen ?? null),
  }
}

/**
 * A capped key gets no cursor that names a company which it has not seen: an import may have put one before the page. It
 * then starts again.
 */
function previousCursor(
  { cursors }: Pick<CompanyDeps, 'cursors'>,
  { market, asOf, scope, firstVersion, after }: CrossSectionPlan,
  { start, beforePrevious: last, dataVersion }: Ranking,
  seen: readonly number[] | null,
): string | null {
  if (after === null || start === 0) return null
  if (last === null || seen?.includes(last.entityId) === false) return ''
  const position = { market, asOf, entityId: last.entityId, value: last.sortedBy }
  return encodeCursor(cursors, scope, { ...position, dataVersion: firstVersion ?? dataVersion })
}

interface FoundTable {
  readonly dataVersion: number
  readonly rows: readonly TableCompany[]
  readonly next: number | null
  readonly nextValue?: number | null
  readonly ranking: RankingAnswer | null
}

function tableOf(
  deps: Pick<CompanyDeps, 'markets' | 'cursors'>,
  plan: CrossSectionPlan,
  page: FoundTable,
  groupOfEntity: (entityId: number) => string | null,
): CrossSectionTable {
  const { rows, ranking } = page
  const next = nextCompany(plan, page)
  const notes = [
    rows.length === 0 ? emptyPageNote(deps, plan, next !== null) : null,
    ...comparisonNotes(plan, ranking),
    restriction(plan),
  ]
  return {
    object: 'cross_section_table',
    metrics: [...plan.metrics],
    market: plan.market,
    as_of: plan.asOf,
    fp: plan.period,
    max_age_days: plan.maxAgeDays,
    ...(plan.sector === null ? {} : { sector: plan.sector }),
    ...selectionFields(plan),
    ...filterFields(plan),
    ...rankingFields(plan, ranking),
    ...pageFields(deps, plan, { ...page, next }, notes),
    data: rows.map(company => {
      const group = plan.grouping === null ? {} : { group: groupOfEntity(company.entityId) }
      return { ...tableRow(deps, company, plan), ...group }
    }),
  }
}

function tableRow(
  deps: Pick<CompanyDeps, 'markets'>,
  { ticker, issuerId, figures }: TableCompany,
  plan: CrossSectionPlan,
): CrossSectionTableRow {
  const { metrics, asOf, valued } = plan
  // Valuations are of a day, and a cover count is dated after the report's own period.
  const stated = [...figures].filter(([metric]) => findValuation(metric) === undefined)
  const ofPeriod = stated.filter(([metric]) => isPeriodFigure(metric))
  const named = [ofPeriod, stated, [...figures]].find(list => list.length > 0) ?? []
  const [first, ...others] = named.map(([, figure]) => figure)
  const latest = others.reduce((best, figure) => (isLater(best, figure) ? best : figure), first)
  const { fy, fp, end } = latest
  let filed = latest.filed
  const older: string[] = []
  const earlier: string[] = []
  const cells: Record<string, number | null> = {}
  for (const metric of metrics) {
    const figure = figures.get(metric)
    cells[metric] = figure === undefined ? null : plainZero(figure.value)
    if (figure === undefined) continue
    if (figure.filed > filed) filed = figure.filed
    if (figure.earlier) earlier.push(metric)
    if (findValuation(metric) === undefined && isOlder(metric, figure, latest))
      older.push(`${metric}:${figure.end}`)
  }
  return {
    ticker,
    issuer_id: issuerId,
    fy,
    fp: periodName(fp),
    end,
    filed,
    ...cells,
    currency: currencies([...figures.values()].map(({ unit }) => unit)),
    earlier: earlier.length === 0 ? null : earlier.join(' '),
    older: older.length === 0 ? null : older.join(' '),
    source: sourceOf(deps, plan, stated.length < figures.size),
    ...(valued === null ? {} : { price_day: priceDayOf(figures) }),
    ...knownByField(isInstant(asOf) ? [...figures.values()].every(({ byTime }) => byTime) : undefined),
  }
}

type Dated = Pick<TableFigure, 'fy' | 'fp' | 'end'>

/**
 * Whether a figure belongs to an earlier period than the row. Trailing twelve months up to two different
 * quarters share fiscal year and name, so period ends decide. One fiscal period may have two ends if a source
 * rounded one.
 */
function isOlder(metric: string, figure: Dated, row: Dated): boolean {
  const isSamePeriod = figure.fy === row.fy && figure.fp === row.fp && fiscalPeriods[row.fp] !== 'TTM'
  if (isSamePeriod) return false
  // A cover count is dated after the period of its report.
  if (!isPeriodFigure(metric)) return placeOf(figure) < placeOf(row)
  return figure.end < row.end
}

/** Orders fiscal periods. A year ends with its fourth quarter. */
const placeOf = ({ fy, fp }: Dated): number => fy * 4 + (fp === 0 ? 4 : fp)
