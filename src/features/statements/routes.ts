import { Elysia } from 'elysia'
import { readOutputFormat } from '../../formats/columns.ts'
import { renderList } from '../../formats/rows.ts'
import { cacheable, contentTypes, respondFromCache } from '../../http/answers.ts'
import { compressions } from '../../http/compression.ts'
import { asFile } from '../../http/fileName.ts'
import { queryReader } from '../../http/parameters.ts'
import { answerPinned, type Pinnable } from '../../http/pinned.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { withAcceptedFormat } from '../../http/preferences.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import type { DataVersionWatch } from '../../postgres/dataVersion.ts'
import type { ReadLimiter } from '../../postgres/readLimiter.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { CompanyDeps, PinnedStore } from '../companies/deps.ts'
import { termsOf } from '../companies/licenceTerms.ts'
import { withCompanyPin } from '../companies/withCompanyPin.ts'
import { sentId } from './company.ts'
import { statementOperation } from './documentation.ts'
import type { WholeFilingDeps } from './filingReader.ts'
import { cellRows, planStatement, readStatement } from './statement.ts'
import { StatementQuery, statementSheet } from './statementSchema.ts'

export interface StatementsDeps extends CompanyDeps, WholeFilingDeps, Pinnable<PinnedStore> {
  readonly responses: ResponseCache
  readonly readLimiter: ReadLimiter
  readonly dataVersion: DataVersionWatch['current']
}

const readQuery = queryReader(StatementQuery)

/** GET /api/v1/statements: a statement as presented. */
export function statementsRoutes(http: HttpPlugin, deps: StatementsDeps) {
  return new Elysia({ name: 'statements' }).use(http).get(
    '/api/v1/statements',
    ({ context }) => {
      const query = withAcceptedFormat(context, readQuery(context.queryText))
      const output = readOutputFormat(query)
      const { rights, subject } = context.authenticatedCaller
      const { data_version: version } = query
      return withCompanyPin(deps, rights, { version, id: sentId(query) }, () =>
        answerPinned(deps, context, version, async deps => {
          const plan = await planStatement(deps, rights, query)
          const response = cacheable(
            `${output.key} ${plan.cacheKey}`,
            contentTypes[output.format],
            async () => {
              const answer = await deps.readLimiter.run(subject, () =>
                withSnapshot(deps.sql, sql => readStatement({ ...deps, sql }, plan)),
              )
              if (output.format === 'json') return JSON.stringify(answer)
              const list = { ...answer, data: [...cellRows(answer)] }
              const body = await renderList(output, statementSheet, list, termsOf(deps.markets, [plan.market]))
              const file = asFile(output.format, 'statement', plan.statement, plan.ticker, plan.asOf)
              return { ...body, headers: { ...body.headers, ...file } }
            },
            compressions.companyRows,
          )
          return respondFromCache(deps.responses, context, deps.dataVersion(), response)
        }),
      )
    },
    { ...statementOperation },
  )
}
