import { isoDate } from '../../dates.ts'
import type { Row } from '../../formats/columns.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { plainTitle } from '../../wholeFilings/kindOfStatement.ts'
import type { KnownFiling } from '../../wholeFilings/knownFilingQueries.ts'
import { type KnownRow, type KnownStatement, knownStatement } from '../../wholeFilings/knownStatement.ts'
import { type Period, shownValue } from '../../wholeFilings/layOut.ts'
import { dimensionsText, MemberLabels, periodOf, statedValue } from './cells.ts'
import { type Report, readReports } from './chooseFilings.ts'
import { choosePresentations } from './choosePresentations.ts'
import { companyFields, filingUsed, readableFilings } from './company.ts'
import { FilingReader, type WholeFilingDeps } from './filingReader.ts'
import type { FiscalLabel, FiscalYears } from './fiscalYears.ts'
import type { StatementPlan } from './statementPlan.ts'
import type { StatementAnswer, StatementSheetColumn } from './statementSchema.ts'

/** A statement with what it was made from, for pages that show more than the answer has. */
export interface StatementRead {
  readonly answer: StatementAnswer
  /** The lines and columns of the answer, with the contexts of their figures. */
  readonly table: KnownStatement
  /** The filings of the company that were public, the latest first. */
  readonly known: readonly KnownFiling[]
  readonly reports: readonly Report[]
  readonly reader: FilingReader
}

/** @param deps with the connection of a snapshot: several statements read one state of the data */
export async function readStatement(
  deps: WholeFilingDeps & { readonly sql: SqlClient },
  plan: StatementPlan,
): Promise<StatementAnswer> {
  const { answer } = await readStatementWithSources(deps, plan)
  return answer
}

export async function readStatementWithSources(
  deps: WholeFilingDeps & { readonly sql: SqlClient },
  plan: StatementPlan,
): Promise<StatementRead> {
  const { sql } = deps
  const [dataVersion, known] = await Promise.all([readDataVersion(sql), readableFilings(sql, plan)])
  const reader = new FilingReader(deps)
  const reports = await readReports(deps, plan, known, reader)
  const { used, lastDay, notes } = await choosePresentations(plan, reports, reader)
  const [latest] = used
  const table: KnownStatement =
    latest === undefined ? { columns: [], rows: [] } : knownStatement([latest, ...used.slice(1)], lastDay)
  const labels = new MemberLabels(used.map(({ statement }) => statement))
  const shown = new Set([
    ...table.columns.map(({ accession }) => accession),
    ...table.rows.map(({ accession }) => accession),
  ])
  const data = table.rows.map((row, at) => lineOf(row, at, labels, reports.years))
  const columns = table.columns.map(({ period, dimensions, accession }) => ({
    period: period === null ? null : periodOf(period, reports.years),
    dimensions: labels.of(dimensions),
    accession,
  }))
  const label = latestLabel(table, reports.years)
  const answer: StatementAnswer = {
    object: 'statement',
    statement: plan.statement,
    view: plan.view === 'as_filed' ? 'as_filed' : 'as_known',
    ...companyFields(deps, plan, dataVersion, notes),
    title: latest === undefined ? null : plainTitle(latest.statement),
    combined: latest?.isCombined ?? false,
    fy: label?.fy ?? null,
    fp: label?.fp ?? null,
    filings: used
      .filter(({ report }, at) => at === 0 || shown.has(report.filing.accession))
      .map(({ report }) => filingUsed(deps, plan, report.filing)),
    columns,
    count: data.length,
    data,
  }
  return { answer, table, known, reports: reports.reports, reader }
}

/** The fiscal period of the latest column. */
function latestLabel({ columns, rows }: KnownStatement, years: FiscalYears): FiscalLabel | null {
  const periods = [...columns, ...rows].flatMap(({ period }) => (period === null ? [] : [period]))
  const last = periods.reduce<Period | null>(
    (best, period) => (best === null || period.end > best.end ? period : best),
    null,
  )
  return last === null ? null : years.labelOf(last.end)
}

function lineOf(
  row: KnownRow,
  at: number,
  labels: MemberLabels,
  years: FiscalYears,
): StatementAnswer['data'][number] {
  const { line } = row
  return {
    line: at + 1,
    depth: line.depth,
    label: line.label,
    tag: line.concept,
    heading: row.isHeading,
    total: row.isTotal,
    negated: line.negated,
    opening: row.atBeginning,
    dimensions: labels.of(row.dimensions),
    period: row.period === null ? null : periodOf(row.period, years),
    accession: row.accession,
    other_tags: row.otherTags.map(({ tag, label, accession, equalAt }) => ({
      tag,
      label,
      accession,
      equal_at: equalAt.map(isoDate),
    })),
    cells: row.cells.map(cell =>
      cell === null
        ? null
        : { ...statedValue(cell.figure), shown: shownValue(line, cell.figure), accession: cell.accession },
    ),
  }
}

/** The cells of an answer as rows of a table, one per cell and one per heading. */
export function* cellRows(answer: StatementAnswer): Generator<Row<StatementSheetColumn>> {
  const { ticker, statement, columns, filings } = answer
  const filedOn = new Map(filings.map(({ accession, filed }) => [accession, filed]))
  for (const {
    cells,
    dimensions,
    period: ofLine,
    other_tags: _,
    accession: presentedIn,
    ...line
  } of answer.data) {
    const flags = {
      heading: String(line.heading),
      total: line.total === null ? null : String(line.total),
      negated: String(line.negated),
      opening: String(line.opening),
    }
    const head = { ticker, statement, ...line, ...flags }
    if (line.heading)
      yield {
        ...head,
        dimensions: dimensionsText(dimensions),
        accession: presentedIn,
        filed: filedOn.get(presentedIn) ?? null,
      }
    for (const [at, cell] of cells.entries()) {
      const { period, dimensions: ofColumn } = columns[at]
      if (cell === null) continue
      const { accession, decimals, ...figure } = cell
      yield {
        ...head,
        dimensions: dimensionsText([...dimensions, ...ofColumn]),
        ...(period ?? ofLine),
        ...figure,
        decimals: decimals === null ? null : String(decimals),
        accession,
        filed: filedOn.get(accession) ?? null,
      }
    }
  }
}
