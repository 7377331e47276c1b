import type { Row } from '../../formats/columns.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { type StandardStatement, standardStatements } from '../../standardLines/definition.ts'
import {
  type KnownStandardStatement,
  knownStandardStatement,
  type PlacedPresentation,
  placePresentation,
} from '../../standardLines/knownStandardStatement.ts'
import type { IdentitySides } from '../../standardLines/lineCheck.ts'
import { presentBySchema, presentsFigures } from '../../standardLines/presentBySchema.ts'
import type { PresentingFiling } from '../../standardLines/standardFiling.ts'
import { exactNumber } from '../../wholeFilings/decimals.ts'
import { chooseStatement, kindOfName } from '../../wholeFilings/kindOfStatement.ts'
import type { StoredFiling } from '../../wholeFilings/knownFilingQueries.ts'
import { periodOf } from './cells.ts'
import { readReports } from './chooseFilings.ts'
import { choosePresentations } from './choosePresentations.ts'
import { companyFields, filingUsed, readableFilings, refused } from './company.ts'
import { FilingReader, type WholeFilingDeps } from './filingReader.ts'
import { readIndustry } from './industryQueries.ts'
import type { StandardSheetColumn, StandardStatementAnswer } from './standardSchema.ts'
import type { StatementRead } from './statement.ts'
import type { StatementPlan } from './statementPlan.ts'

/** A statement under standard names with what it was made from, for pages that show more than the answer has. */
export interface StandardStatementRead extends Pick<StatementRead, 'known' | 'reports' | 'reader'> {
  readonly answer: StandardStatementAnswer
  /** Both sides of the identity of each cell of the answer, by line and column. */
  readonly sides: readonly (readonly (IdentitySides | null)[])[]
}

export async function readStandardStatement(
  deps: WholeFilingDeps & { readonly sql: SqlClient },
  plan: StatementPlan,
): Promise<StandardStatementAnswer> {
  const { answer } = await readStandardStatementWithSources(deps, plan)
  return answer
}

/**
 * The standard lines of a company's statement as known on a day. The same presentations give the columns as with
 * view=as_known, and the structure of each presentation alone places its lines. Where that leaves two kinds of company,
 * the industry that was known by the day decides.
 */
export async function readStandardStatementWithSources(
  deps: WholeFilingDeps & { readonly sql: SqlClient },
  plan: StatementPlan,
): Promise<StandardStatementRead> {
  const { sql } = deps
  const statement = standardName(plan)
  const [dataVersion, known] = await Promise.all([readDataVersion(sql), readableFilings(sql, plan)])
  const { market } = plan
  const reader = new FilingReader(deps, filing => presentBySchema(market, filing))
  const presenting = presentsFigures(market)
    ? known.map(filing => ({ ...filing, lines: filing.lines + filing.figures }))
    : known
  const reports = await readReports(deps, plan, presenting, reader)
  const { used, lastDay, notes } = await choosePresentations(plan, reports, reader)
  const industry = used.length === 0 ? null : await readIndustry(sql, plan.entityId, plan.asOf)
  const placed: PlacedPresentation[] = []
  for (const presented of used) {
    const { report, accession } = presented
    const filing = await reader.read(report.filing)
    const place = { accession, rank: report.rank }
    const found = placePresentation(statement, withFiguresOfFaces(filing), industry, place)
    if (found !== null) placed.push(found)
  }
  const table = knownStandardStatement(used, placed, lastDay)
  const shown = new Set(table.columns.map(({ accession }) => accession))
  const latest = table.columns.reduce<(typeof table.columns)[number] | null>(
    (best, column) => (best === null || column.period.end > best.period.end ? column : best),
    null,
  )
  const label = latest === null ? null : reports.years.labelOf(latest.period.end)
  const answer: StandardStatementAnswer = {
    object: 'standard_statement',
    statement,
    view: 'standard',
    ...companyFields(deps, plan, dataVersion, notes),
    fy: label?.fy ?? null,
    fp: label?.fp ?? null,
    filings: used
      .filter(({ report }, at) => at === 0 || shown.has(report.filing.accession))
      .map(({ report }) => filingUsed(deps, plan, report.filing)),
    columns: table.columns.map(({ period, accession, kind }) => ({
      period: periodOf(period, reports.years),
      accession,
      kind,
    })),
    count: table.lines.length,
    data: table.lines.map(lineOf),
    missing: table.missing.map(({ line, accession, readings }) => ({
      name: line.name,
      label: line.label,
      accession,
      readings: [...readings],
    })),
  }
  const sides = table.lines.map(({ cells }) => cells.map(cell => cell?.check.sides ?? null))
  return { answer, sides, known, reports: reports.reports, reader }
}

function standardName({ statement }: StatementPlan): StandardStatement {
  if (statement === 'income' || statement === 'balance' || statement === 'cash_flow') return statement
  throw refused('statement', 'view=standard has income, balance and cash_flow. Send one of them.')
}

/** Decodes the figures of the lines of the three statements, breakdowns and notes included. */
export function withFiguresOfFaces({ figuresOf, ...filing }: StoredFiling): PresentingFiling {
  const faces = standardStatements.flatMap(name => chooseStatement(filing, kindOfName[name]) ?? [])
  const concepts = faces.flatMap(({ statement: { lines } }) => lines.map(({ concept }) => concept))
  return { ...filing, figures: figuresOf(new Set(concepts)) }
}

function lineOf({
  line,
  cells,
}: KnownStandardStatement['lines'][number]): StandardStatementAnswer['data'][number] {
  return {
    name: line.name,
    label: line.label,
    parent: line.parent,
    sign: line.sign,
    cells: cells.map(cell =>
      cell === null
        ? null
        : {
            value: cell.value,
            number: exactNumber(cell.value),
            decimals: cell.decimals === Number.POSITIVE_INFINITY ? ('INF' as const) : cell.decimals,
            unit: cell.unit,
            lines: [...cell.sources],
            state: cell.check.state,
            identity: cell.check.identity,
            difference: cell.check.difference,
          },
    ),
  }
}

/** The cells of an answer as rows of a table, then the lines with two readings. */
export function* standardRows(answer: StandardStatementAnswer): Generator<Row<StandardSheetColumn>> {
  const { ticker, statement, columns, filings } = answer
  const filedOn = new Map(filings.map(({ accession, filed }) => [accession, filed]))
  for (const { cells, ...line } of answer.data)
    for (const [at, cell] of cells.entries()) {
      if (cell === null) continue
      const { period, accession } = columns[at]
      const { lines, decimals, ...rest } = cell
      yield {
        ticker,
        statement,
        ...line,
        ...period,
        ...rest,
        decimals: decimals === null ? null : String(decimals),
        tags: lines.map(({ tag }) => tag).join(' '),
        labels: lines.map(({ label }) => label ?? '').join(' | '),
        accession,
        filed: filedOn.get(accession) ?? null,
      }
    }
  for (const { name, label, accession, readings } of answer.missing)
    yield {
      ticker,
      statement,
      name,
      label,
      missing: readings.map(({ tag }) => tag).join(' '),
      accession,
      filed: filedOn.get(accession) ?? null,
    }
}
