import type { IsoDate } from '../../../dates.ts'
import { parseAsOf, pastDay } from '../../../markets/asOf.ts'
import type { SqlClient } from '../../../postgres/client.ts'
import { withSnapshot } from '../../../postgres/snapshot.ts'
import type { Rights } from '../../../rights/rights.ts'
import { type StandardStatement, standardStatements } from '../../../standardLines/definition.ts'
import type { StatementName } from '../../../wholeFilings/kindOfStatement.ts'
import { findByAnyId, idOnDay } from '../../companies/lookup.ts'
import { readProfile } from '../../companyProfile/profile.ts'
import type { Company } from '../../companyProfile/schema.ts'
import { presentedStatements } from '../../statements/choosePresentations.ts'
import { readableFilings } from '../../statements/company.ts'
import type { WholeFilingDeps } from '../../statements/filingReader.ts'
import { type OtherValues, readOtherValues } from '../../statements/otherValues.ts'
import { planReported, type ReportedPlan, readReported } from '../../statements/reported.ts'
import type { ReportedRow } from '../../statements/reportedSchema.ts'
import type { FilingUsed } from '../../statements/schema.ts'
import {
  planSegments,
  readSegments,
  readSegmentsWithSources,
  type SegmentsPlan,
  type TagGroups,
} from '../../statements/segments.ts'
import type { SegmentsAnswer } from '../../statements/segmentsSchema.ts'
import type { StandardStatementAnswer } from '../../statements/standardSchema.ts'
import {
  readStandardStatement,
  readStandardStatementWithSources,
} from '../../statements/standardStatement.ts'
import { readStatement, readStatementWithSources, type StatementRead } from '../../statements/statement.ts'
import { planStatement, type StatementPlan } from '../../statements/statementPlan.ts'
import type { StatementAnswer } from '../../statements/statementSchema.ts'
import type { KnownPriceSets } from '../../valuations/knownPriceSets.ts'
import { type CheckedFigure, checkedFigures, withSides } from '../checkedFigures.ts'
import type { PageDeps, Visitor } from '../deps.ts'
import { cellOf, type FigureChoice, isChosen, isOfPeriod } from './figureChoice.ts'
import type { SegmentsPageQuery, StatementPageQuery } from './query.ts'

/** Dependencies of the pages of statements, which call the functions of the API's own routes. */
export interface PresentedDeps extends PageDeps, WholeFilingDeps {
  readonly priceSets: KnownPriceSets
  readonly tagGroups: TagGroups
}

/** A report that visitors may choose. */
export interface ReportChoice {
  readonly accession: string
  readonly form: string
  readonly filed: IsoDate
  readonly isAnnual: boolean
  readonly fy: number | null
  readonly fp: string | null
  readonly end: IsoDate | null
}

export interface FilingDay {
  readonly day: IsoDate
  readonly forms: string
}

/** What a page of a statement may be asked for, in every view. */
export interface StatementChoices {
  readonly profile: Company
  /** An ID that names the company on the day of the page. */
  readonly idThen: string
  readonly statement: StatementName
  /** The statements that the company presents, and that the view has. */
  readonly presented: readonly StatementName[]
  /** The reports by the day of the page, the latest first. */
  readonly reports: readonly ReportChoice[]
  /** All filing days that are known today, the first one first. */
  readonly filingDays: readonly FilingDay[]
  readonly asOf: string
  /** The filings of the page's table, the latest presentation first. */
  readonly filings: readonly FilingUsed[]
}

/** The contents of a page of a statement as presented, all from one snapshot. */
export interface StatementView extends StatementChoices {
  readonly read: StatementRead
  /** What other filings state instead, by line and column. */
  readonly others: readonly (readonly (OtherValues | null)[])[]
  /** How many filings `others` does not compare. */
  readonly leftOut: number
  /** By accession, the power of ten to which a filing rounds its amounts. */
  readonly roundings: ReadonlyMap<string, number>
  /** The figure whose filings are listed, if one is chosen. */
  readonly figure: FigureHistory | null
}

export interface FigureHistory {
  readonly choice: FigureChoice
  readonly label: string | null
  /** The latest filing first. */
  readonly rows: readonly ReportedRow[]
  /** True if not all filings were read. */
  readonly isPart: boolean
  /** Null if the figure is not one of a standard line. */
  readonly checked: CheckedFigure | null
}

/** Whether a statement has standard lines. */
export const isStandard = (name: StatementName): name is StandardStatement =>
  standardStatements.some(each => each === name)

type Chosen = Pick<StatementPageQuery, 'as_of' | 'tz'>

const chosenOf = ({ as_of, tz }: Chosen): Chosen => ({
  ...(as_of === undefined ? {} : { as_of }),
  ...(tz === undefined ? {} : { tz }),
})

/** Any ID of the company as an ID on the day of the page, as on the company's page. */
export async function findTicker(deps: PresentedDeps, id: string, chosen: Chosen): Promise<string> {
  const sent = parseAsOf(chosen)
  if (sent?.kind === 'day') pastDay(sent.day, deps.today())
  const lookup = { ...deps, sql: deps.lookups }
  const found = await findByAnyId(lookup, id, sent)
  return sent === null ? found.ticker : idOnDay(lookup, found, sent)
}

/**
 * Reads a statement through the functions of GET /api/v1/statements with the visitor's rights, so that the page
 * refuses whatever the API refuses.
 */
export async function readStatementView(
  deps: PresentedDeps,
  { rights, subject }: Visitor,
  id: string,
  { statement, cell, ...query }: StatementPageQuery,
): Promise<StatementView> {
  const ticker = await findTicker(deps, id, query)
  const plan = await planStatement(deps, rights, { ...query, ticker, statement: statement ?? 'income' })
  const figurePlan = cell === undefined ? null : await planFigure(deps, rights, { ...query, ticker }, cell)
  const work = async (sql: SqlClient): Promise<StatementView> => {
    const reading = { ...deps, sql }
    const first = await readStatementWithSources(reading, plan)
    const named = plan.accession === null ? first.reports : onlyOf(first, plan.accession)
    const presented = await presentedStatements(named, first.reader)
    const shown = statement ?? (presented.includes('income') ? 'income' : (presented.at(0) ?? 'income'))
    const read =
      shown === plan.statement
        ? first
        : await readStatementWithSources(reading, { ...plan, statement: shown })
    const { rows, leftOut, roundings } = await readOtherValues(read)
    const known = await readableFilings(sql, { ...plan, asOf: deps.today() })
    return {
      profile: await readProfile(reading, id, parseAsOf(query)),
      idThen: ticker,
      read,
      statement: shown,
      presented,
      reports: reportsOf(read),
      filingDays: daysOf(known),
      asOf: read.answer.as_of,
      filings: read.answer.filings,
      others: rows,
      leftOut,
      roundings,
      figure:
        figurePlan === null
          ? null
          : await readFigure(reading, figurePlan, read, { ...plan, statement: shown }),
    }
  }
  return deps.readLimiter.run(subject, () => withSnapshot(deps.sql, work))
}

const onlyOf = ({ reports }: StatementRead, accession: string) =>
  reports.filter(({ filing }) => filing.accession === accession)

export const reportsOf = ({ reports }: Pick<StatementRead, 'reports'>): ReportChoice[] =>
  reports.map(({ filing: { accession, form, filed, periodEnd }, isAnnual, label }) => ({
    accession,
    form,
    filed,
    isAnnual,
    fy: label?.fy ?? null,
    fp: label?.fp ?? null,
    end: periodEnd,
  }))

export function daysOf(known: readonly { readonly filed: IsoDate; readonly form: string }[]) {
  const forms = Map.groupBy(known, ({ filed }) => filed)
  return [...forms]
    .map(([day, filings]) => ({ day, forms: [...new Set(filings.map(({ form }) => form))].join(', ') }))
    .sort((a, b) => (a.day < b.day ? -1 : 1))
}

interface FigurePlan {
  readonly choice: FigureChoice
  readonly plan: ReportedPlan
}

async function planFigure(
  deps: PresentedDeps,
  rights: Rights,
  query: Chosen & { readonly ticker: string },
  cell: string,
): Promise<FigurePlan> {
  const choice = cellOf(cell)
  const plan = await planReported(deps, rights, {
    ...chosenOf(query),
    ticker: query.ticker,
    tag: choice.tag,
    dimensions: choice.members === '' ? 'none' : 'all',
    limit: maxRows,
  })
  return { choice, plan }
}

/** Every filing that states a figure, under each tag that the company used for its line. */
async function readFigure(
  deps: Omit<PresentedDeps, 'sql'> & { readonly sql: SqlClient },
  { choice, plan }: FigurePlan,
  { table }: StatementRead,
  shown: StatementPlan,
): Promise<FigureHistory> {
  const row = table.rows.find(
    ({ line, otherTags }) => line.concept === choice.tag || otherTags.some(({ tag }) => tag === choice.tag),
  )
  const tags = row === undefined ? [] : [row.line.concept, ...row.otherTags.map(({ tag }) => tag)]
  const lists = []
  for (const tag of new Set([choice.tag, ...tags])) lists.push(await readReported(deps, { ...plan, tag }))
  const rows = lists
    .flatMap(({ data }) => data)
    .filter(each => isChosen(choice, each))
    .sort((a, b) => (a.filed === b.filed ? 0 : a.filed < b.filed ? 1 : -1))
  return {
    choice,
    label: row?.line.label ?? null,
    rows,
    isPart: lists.some(({ next }) => next !== null),
    checked: await readCheck(deps, choice, shown),
  }
}

/** What was checked of a figure in the standard lines of the same filings as those of the page. */
async function readCheck(
  deps: Omit<PresentedDeps, 'sql'> & { readonly sql: SqlClient },
  choice: FigureChoice,
  plan: StatementPlan,
): Promise<CheckedFigure | null> {
  if (choice.period === null || choice.members !== '' || !isStandard(plan.statement)) return null
  const answer = withSides(await readStandardStatementWithSources(deps, plan))
  return (
    checkedFigures(answer).find(
      ({ column, cell }) =>
        isOfPeriod(choice, column.period) && cell.lines.some(({ tag }) => tag === choice.tag),
    ) ?? null
  )
}

const maxRows = 2_000

export type DownloadedStatement =
  | { readonly view: 'presented'; readonly answer: StatementAnswer }
  | { readonly view: 'standard'; readonly answer: StandardStatementAnswer }

/** The statement that a visitor downloads: what GET /api/v1/statements answers with the same rights. */
export async function readStatementDownload(
  deps: PresentedDeps,
  { rights, subject }: Visitor,
  id: string,
  { statement = 'income', ...query }: StatementPageQuery,
): Promise<DownloadedStatement> {
  const ticker = await findTicker(deps, id, query)
  const plan = await planStatement(deps, rights, { ...query, ticker, statement })
  return deps.readLimiter.run(subject, () =>
    withSnapshot(deps.sql, async (sql): Promise<DownloadedStatement> => {
      const reading = { ...deps, sql }
      return plan.view === 'standard'
        ? { view: 'standard', answer: await readStandardStatement(reading, plan) }
        : { view: 'presented', answer: await readStatement(reading, plan) }
    }),
  )
}

export interface SegmentsView extends Pick<StatementChoices, 'reports' | 'filingDays' | 'asOf'> {
  readonly profile: Company
  readonly idThen: string
  readonly answer: SegmentsAnswer
  /** Names of axes by which the filing of the page divides the metric. */
  readonly dividedBy: readonly string[]
}

/** Reads a breakdown through the functions of GET /api/v1/segments with the visitor's rights. */
export async function readSegmentsView(
  deps: PresentedDeps,
  visitor: Visitor,
  id: string,
  query: SegmentsPageQuery,
): Promise<SegmentsView> {
  const plan = await planSegmentsOf(deps, visitor, id, query)
  const work = async (sql: SqlClient): Promise<SegmentsView> => {
    const reading = { ...deps, sql }
    const { answer, dividedBy, ...read } = await readSegmentsWithSources(reading, plan)
    const known = await readableFilings(sql, { ...plan, asOf: deps.today() })
    return {
      idThen: plan.ticker,
      answer,
      dividedBy,
      profile: await readProfile(reading, id, parseAsOf(query)),
      reports: reportsOf(read),
      filingDays: daysOf(known),
      asOf: answer.as_of,
    }
  }
  return deps.readLimiter.run(visitor.subject, () => withSnapshot(deps.sql, work))
}

/** The breakdown that a visitor downloads: what GET /api/v1/segments answers with the same rights. */
export async function readSegmentsDownload(
  deps: PresentedDeps,
  visitor: Visitor,
  id: string,
  query: SegmentsPageQuery,
): Promise<SegmentsAnswer> {
  const plan = await planSegmentsOf(deps, visitor, id, query)
  return deps.readLimiter.run(visitor.subject, () =>
    withSnapshot(deps.sql, sql => readSegments({ ...deps, sql }, plan)),
  )
}

async function planSegmentsOf(
  deps: PresentedDeps,
  { rights }: Visitor,
  id: string,
  { metric, axis = 'product', bars: _, ...query }: SegmentsPageQuery,
): Promise<SegmentsPlan> {
  const ticker = await findTicker(deps, id, query)
  const figure = metric === undefined && query.tag === undefined ? 'revenue' : metric
  return planSegments(deps, rights, {
    ...query,
    ...(figure === undefined ? {} : { metric: figure }),
    axis,
    ticker,
  })
}
