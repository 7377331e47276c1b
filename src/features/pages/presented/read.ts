import type { IsoDate } from '../../../dates.ts'
import { parseAsOf, pastDay } from '../../../markets/asOf.ts'
import type { SqlClient } from '../../../postgres/client.ts'
import { withSnapshot } from '../../../postgres/snapshot.ts'
import type { Rights } from '../../../rights/rights.ts'
import type { StatementName } from '../../../wholeFilings/kindOfStatement.ts'
import { listKnownFilings } from '../../../wholeFilings/knownFilingQueries.ts'
import { findByAnyId, idOnDay } from '../../companies/lookup.ts'
import { readProfile } from '../../companyProfile/profile.ts'
import type { Company } from '../../companyProfile/schema.ts'
import { presentedStatements } from '../../statements/choosePresentations.ts'
import type { WholeFilingDeps } from '../../statements/filingReader.ts'
import { type OtherValues, readOtherValues } from '../../statements/otherValues.ts'
import { planReported, type ReportedPlan, readReported } from '../../statements/reported.ts'
import type { ReportedRow } from '../../statements/reportedSchema.ts'
import { planSegments, readSegments, type TagGroups } from '../../statements/segments.ts'
import type { SegmentsAnswer } from '../../statements/segmentsSchema.ts'
import { readStatement, readStatementWithSources, type StatementRead } from '../../statements/statement.ts'
import { planStatement } from '../../statements/statementPlan.ts'
import type { StatementAnswer } from '../../statements/statementSchema.ts'
import type { PageDeps } from '../deps.ts'
import { cellOf, type FigureChoice, isChosen } from './figureChoice.ts'
import type { SegmentsPageQuery, StatementPageQuery } from './query.ts'

/** Dependencies of the pages of statements, which call the functions of the API's own routes. */
export interface PresentedDeps extends PageDeps, WholeFilingDeps {
  readonly tagGroups: TagGroups
}

/** The visitor for whom a page is made. */
export interface Visitor {
  readonly rights: Rights
  /** Whose reads share the limit of long ones. */
  readonly subject: string
}

/** A report that visitors may choose. */
export interface ReportChoice {
  readonly accession: string
  readonly form: string
  readonly filed: IsoDate
  readonly fy: number | null
  readonly fp: string | null
  readonly end: IsoDate | null
}

/** The contents of a page of statements, all from one snapshot. */
export interface StatementView {
  readonly profile: Company
  readonly read: StatementRead
  readonly statement: StatementName
  /** The statements that the company presents. */
  readonly presented: readonly StatementName[]
  /** The reports by the day of the page, the latest first. */
  readonly reports: readonly ReportChoice[]
  /** All filing days that are known today, the first one first. */
  readonly filingDays: readonly { readonly day: IsoDate; readonly forms: string }[]
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
}

type Chosen = Pick<StatementPageQuery, 'as_of' | 'tz'>

const chosenOf = ({ as_of, tz }: Chosen): Chosen => ({
  ...(as_of === undefined ? {} : { as_of }),
  ...(tz === undefined ? {} : { tz }),
})

/** Any ID of the company as an ID on the day of the page, as on the company's page. */
async function findTicker(deps: PresentedDeps, id: string, chosen: Chosen): Promise<string> {
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
    const known = await listKnownFilings(sql, plan.entityId, deps.today())
    return {
      profile: await readProfile(reading, id, parseAsOf(query)),
      read,
      statement: shown,
      presented,
      reports: reportsOf(read),
      filingDays: daysOf(known),
      others: rows,
      leftOut,
      roundings,
      figure: figurePlan === null ? null : await readFigure(reading, figurePlan, read),
    }
  }
  return deps.readLimiter.run(subject, () => withSnapshot(deps.sql, work))
}

const onlyOf = ({ reports }: StatementRead, accession: string) =>
  reports.filter(({ filing }) => filing.accession === accession)

const reportsOf = ({ reports }: StatementRead): ReportChoice[] =>
  reports.map(({ filing: { accession, form, filed, periodEnd }, label }) => ({
    accession,
    form,
    filed,
    fy: label?.fy ?? null,
    fp: label?.fp ?? null,
    end: periodEnd,
  }))

function daysOf(known: readonly { readonly filed: IsoDate; readonly form: string }[]) {
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
  }
}

const maxRows = 2_000

/** The statement that a visitor downloads: what GET /api/v1/statements answers with the same rights. */
export async function readStatementDownload(
  deps: PresentedDeps,
  { rights, subject }: Visitor,
  id: string,
  { statement = 'income', ...query }: StatementPageQuery,
): Promise<StatementAnswer> {
  const ticker = await findTicker(deps, id, query)
  const plan = await planStatement(deps, rights, { ...query, ticker, statement })
  return deps.readLimiter.run(subject, () =>
    withSnapshot(deps.sql, sql => readStatement({ ...deps, sql }, plan)),
  )
}

export interface SegmentsView {
  readonly profile: Company
  readonly answer: SegmentsAnswer
}

/** Reads a breakdown through the functions of GET /api/v1/segments with the visitor's rights. */
export async function readSegmentsView(
  deps: PresentedDeps,
  { rights, subject }: Visitor,
  id: string,
  { metric, axis = 'product', ...query }: SegmentsPageQuery,
): Promise<SegmentsView> {
  const ticker = await findTicker(deps, id, query)
  const figure = metric === undefined && query.tag === undefined ? 'revenue' : metric
  const sent = { ...query, ...(figure === undefined ? {} : { metric: figure }), axis, ticker }
  const plan = await planSegments(deps, rights, sent)
  return deps.readLimiter.run(subject, () =>
    withSnapshot(deps.sql, async sql => ({
      answer: await readSegments({ ...deps, sql }, plan),
      profile: await readProfile({ ...deps, sql }, id, parseAsOf(query)),
    })),
  )
}
