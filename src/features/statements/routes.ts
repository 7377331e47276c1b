import { Elysia } from 'elysia'
import { type Column, type DataFormat, type Row, readOutputFormat } from '../../formats/columns.ts'
import { type NotedList, renderList } from '../../formats/rows.ts'
import { cacheable, contentTypes, respondFromCache } from '../../http/answers.ts'
import { compressions } from '../../http/compression.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { asFile } from '../../http/fileName.ts'
import { queryReader } from '../../http/parameters.ts'
import { answerPinned, type Pinnable } from '../../http/pinned.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { withAcceptedFormat } from '../../http/preferences.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import type { SqlClient } from '../../postgres/client.ts'
import type { DataVersionWatch } from '../../postgres/dataVersion.ts'
import type { ReadLimiter } from '../../postgres/readLimiter.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { CompanyDeps, PinnedStore } from '../companies/deps.ts'
import { termsOf } from '../companies/licenceTerms.ts'
import { withCompanyPin } from '../companies/withCompanyPin.ts'
import { type FilingsOfCompany, sentId } from './company.ts'
import { reportedOperation, segmentsOperation, statementOperation } from './documentation.ts'
import type { WholeFilingDeps } from './filingReader.ts'
import { planReported, readReported, reportedRows } from './reported.ts'
import { ReportedQuery, reportedSheet } from './reportedSchema.ts'
import type { CompanyQuery } from './schema.ts'
import { memberRows, planSegments, readSegments, type TagGroups } from './segments.ts'
import { SegmentsQuery, segmentSheet } from './segmentsSchema.ts'
import { type StandardSheetColumn, type StandardStatementAnswer, standardSheet } from './standardSchema.ts'
import { readStandardStatement, standardRows } from './standardStatement.ts'
import { cellRows, readStatement } from './statement.ts'
import { planStatement, type StatementPlan } from './statementPlan.ts'
import {
  type StatementAnswer,
  StatementQuery,
  type StatementSheetColumn,
  statementSheet,
} from './statementSchema.ts'

export interface StatementsDeps extends CompanyDeps, WholeFilingDeps, Pinnable<PinnedStore> {
  readonly tagGroups: TagGroups
  readonly responses: ResponseCache
  readonly readLimiter: ReadLimiter
  readonly dataVersion: DataVersionWatch['current']
}

const readStatementQuery = queryReader(StatementQuery)
const readReportedQuery = queryReader(ReportedQuery)
const readSegmentsQuery = queryReader(SegmentsQuery)

/**
 * The routes that read a company's filings in full: GET /api/v1/statements, a statement as presented;
 * GET /api/v1/reported, every figure of a tag; GET /api/v1/segments, a metric by product, region or segment.
 */
export function statementsRoutes(http: HttpPlugin, deps: StatementsDeps) {
  return new Elysia({ name: 'statements' })
    .use(http)
    .get('/api/v1/statements', ({ context }) => answerStatement(deps, context), { ...statementOperation })
    .get(
      '/api/v1/reported',
      ({ context }) =>
        answerCompany(deps, context, readReportedQuery(context.queryText), {
          plan: planReported,
          read: readReported,
          columns: reportedSheet,
          rows: reportedRows,
          fileName: plan => ['reported', plan.tag, plan.ticker, plan.asOf],
        }),
      { ...reportedOperation },
    )
    .get(
      '/api/v1/segments',
      ({ context }) =>
        answerCompany(deps, context, readSegmentsQuery(context.queryText), {
          plan: planSegments,
          read: readSegments,
          columns: segmentSheet,
          rows: memberRows,
          fileName: plan => ['segments', plan.axis, plan.ticker, plan.asOf],
        }),
      { ...segmentsOperation },
    )
}

const fileNameOf = ({ statement, view, ticker, asOf }: StatementPlan) => [
  view === 'standard' ? 'standard' : 'statement',
  statement,
  ticker,
  asOf,
]

const statementVerb: Verb<StatementQuery, StatementPlan, StatementAnswer, StatementSheetColumn> = {
  plan: planStatement,
  read: readStatement,
  columns: statementSheet,
  rows: cellRows,
  fileName: fileNameOf,
}

const standardVerb: Verb<StatementQuery, StatementPlan, StandardStatementAnswer, StandardSheetColumn> = {
  plan: planStatement,
  read: readStandardStatement,
  columns: standardSheet,
  rows: standardRows,
  fileName: fileNameOf,
}

function answerStatement(deps: StatementsDeps, context: RequestContext): Answer | Promise<Answer> {
  const query = readStatementQuery(context.queryText)
  return query.view === 'standard'
    ? answerCompany(deps, context, query, standardVerb)
    : answerCompany(deps, context, query, statementVerb)
}

interface Verb<Query, Plan, List, Name extends string> {
  readonly plan: (deps: StatementsDeps, rights: RequestRights, query: Query) => Promise<Plan>
  readonly read: (
    deps: Omit<StatementsDeps, 'sql'> & { readonly sql: SqlClient },
    plan: Plan,
  ) => Promise<List>
  readonly columns: readonly Column<Name>[]
  /** The answer as rows, for formats other than JSON. */
  readonly rows: (list: List) => Iterable<Row<Name>>
  readonly fileName: (plan: Plan) => readonly string[]
}

type RequestRights = RequestContext['authenticatedCaller']['rights']

interface ListAnswer extends Omit<NotedList<string>, 'data'> {
  readonly data: readonly unknown[]
  readonly next?: string | null
}

/** Responds about one company from one snapshot, so that all statements of an answer read the same data. */
function answerCompany<
  Query extends CompanyQuery & { readonly data_version?: number; readonly format?: DataFormat },
  Plan extends FilingsOfCompany & { readonly cacheKey: string },
  List extends ListAnswer,
  Name extends string,
>(
  deps: StatementsDeps,
  context: RequestContext,
  sent: Query,
  { plan: planFor, read, columns, rows, fileName }: Verb<Query, Plan, List, Name>,
): Answer | Promise<Answer> {
  const query = withAcceptedFormat(context, sent)
  const output = readOutputFormat(query)
  const { rights, subject } = context.authenticatedCaller
  const { data_version: version } = query
  return withCompanyPin(deps, rights, { version, id: sentId(query) }, () =>
    answerPinned(deps, context, version, async deps => {
      const plan = await planFor(deps, rights, query)
      const response = cacheable(
        `${output.key} ${plan.cacheKey}`,
        contentTypes[output.format],
        async () => {
          const list = await deps.readLimiter.run(subject, () =>
            withSnapshot(deps.sql, sql => read({ ...deps, sql }, plan)),
          )
          const { next = null } = list
          if (output.format === 'json') return { content: JSON.stringify(list), next }
          const flat = { ...list, data: [...rows(list)] }
          const body = await renderList(output, columns, flat, termsOf(deps.markets, [plan.market]))
          return { ...body, headers: { ...body.headers, ...asFile(output.format, ...fileName(plan)) }, next }
        },
        compressions.companyRows,
      )
      return respondFromCache(deps.responses, context, deps.dataVersion(), response)
    }),
  )
}
