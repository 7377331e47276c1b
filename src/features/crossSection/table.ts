import type { Principal } from '../../access/licences.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { currencies, isPeriodFigure } from '../fundamentals/columns.ts'
import { plainZero } from '../fundamentals/read.ts'
import { fiscalPeriods } from '../fundamentals/schema.ts'
import { countRows } from '../marketPages/answer.ts'
import { nextCompany, pageFields } from '../marketPages/page.ts'
import { type CrossSectionPlan, emptyPageNote, restriction } from './crossSection.ts'
import { rankMarket } from './ranking.ts'
import { comparisonNotes, rankingFields } from './rankingFields.ts'
import type { CrossSectionTable, CrossSectionTableRow } from './schema.ts'
import { isLater, type TableCompany, type TableFigure, tableRows } from './tablePage.ts'

/** A page of several metrics of every company of a market. A company counts against the key's cap once, whatever it has. */
export async function readCrossSectionTable(
  deps: Pick<CompanyDeps, 'sql' | 'markets' | 'cursors'>,
  principal: Principal,
  plan: CrossSectionPlan,
): Promise<CrossSectionTable> {
  return (await readComparedTable(deps, principal, plan)).table
}

/** The same table, and whether all companies of the market were compared. */
export async function readComparedTable(
  deps: Pick<CompanyDeps, 'sql' | 'markets' | 'cursors'>,
  principal: Principal,
  plan: CrossSectionPlan,
): Promise<{ readonly table: CrossSectionTable; readonly isWhole: boolean }> {
  const { sort } = plan
  const ranking =
    sort === null ? null : await rankMarket(deps.sql, { ...plan, sort }, async (_, found) => found)
  const page = ranking ?? (await tableRows(deps.sql, plan))
  const { rows } = page
  await countRows(deps, principal, plan, rows)
  const next = nextCompany(plan, page)
  const source = deps.markets.get(plan.market)?.source_notice ?? plan.market
  const notes = [
    rows.length === 0 ? emptyPageNote(deps, plan, next !== null) : null,
    ...comparisonNotes(plan, ranking),
    restriction(plan),
  ]
  const table: CrossSectionTable = {
    object: 'cross_section_table',
    metrics: [...plan.metrics],
    market: plan.market,
    as_of: plan.asOf,
    fp: plan.period,
    max_age_days: plan.maxAgeDays,
    ...(plan.sector === null ? {} : { sector: plan.sector }),
    ...(plan.filters.length === 0 ? {} : { filters: [...plan.filters] }),
    ...rankingFields(plan, ranking),
    ...pageFields(deps, plan, { ...page, next }, notes),
    data: rows.map(company => tableRow(company, plan.metrics, source)),
  }
  return { table, isWhole: ranking?.isWhole ?? true }
}

function tableRow(
  { ticker, issuerId, figures }: TableCompany,
  metrics: readonly string[],
  source: string,
): CrossSectionTableRow {
  // A count on the cover of a report is of a later day than the report's own period.
  const named = [...figures].filter(([metric]) => isPeriodFigure(metric))
  const [first, ...others] = (named.length > 0 ? named : [...figures]).map(([, figure]) => figure)
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
    if (isOlder(metric, figure, latest)) older.push(`${metric}:${figure.end}`)
  }
  return {
    ticker,
    issuer_id: issuerId,
    fy,
    fp: fiscalPeriods[fp],
    end,
    filed,
    ...cells,
    currency: currencies([...figures.values()].map(({ unit }) => unit)),
    earlier: earlier.length === 0 ? null : earlier.join(' '),
    older: older.length === 0 ? null : older.join(' '),
    source,
  }
}

type Dated = Pick<TableFigure, 'fy' | 'fp' | 'end'>

/** Whether a figure is of an earlier period than the row. The trailing twelve months to two quarters have one fiscal year and one
 * name, so the ends of periods decide. One fiscal period may have two ends: a source may have rounded one of them. */
function isOlder(metric: string, figure: Dated, row: Dated): boolean {
  const isSamePeriod = figure.fy === row.fy && figure.fp === row.fp && fiscalPeriods[row.fp] !== 'TTM'
  if (isSamePeriod) return false
  // A count is of a day after the period of the report on whose cover it stands.
  if (!isPeriodFigure(metric)) return placeOf(figure) < placeOf(row)
  return figure.end < row.end
}

/** Orders fiscal periods. A year ends with its fourth quarter. */
const placeOf = ({ fy, fp }: Dated): number => fy * 4 + (fp === 0 ? 4 : fp)
