import { parseAsOf } from '../../../markets/asOf.ts'
import type { SqlClient } from '../../../postgres/client.ts'
import { withSnapshot } from '../../../postgres/snapshot.ts'
import { readProfile } from '../../companyProfile/profile.ts'
import { presentedStatements } from '../../statements/choosePresentations.ts'
import { readableFilings } from '../../statements/company.ts'
import type { StandardStatementAnswer } from '../../statements/standardSchema.ts'
import { readStandardStatementWithSources } from '../../statements/standardStatement.ts'
import { planStatement } from '../../statements/statementPlan.ts'
import type { Visitor } from '../deps.ts'
import type { StatementPageQuery } from './query.ts'
import {
  daysOf,
  findTicker,
  isStandard,
  type PresentedDeps,
  reportsOf,
  type StatementChoices,
} from './read.ts'

/** The contents of a page of a statement in standard lines, all from one snapshot. */
export interface StandardView extends StatementChoices {
  readonly answer: StandardStatementAnswer
}

/** Reads standard lines through the functions of GET /api/v1/statements with the visitor's rights. */
export async function readStandardView(
  deps: PresentedDeps,
  { rights, subject }: Visitor,
  id: string,
  { statement, cell: _, ...query }: StatementPageQuery,
): Promise<StandardView> {
  const ticker = await findTicker(deps, id, query)
  const plan = await planStatement(deps, rights, { ...query, ticker, statement: statement ?? 'income' })
  const work = async (sql: SqlClient): Promise<StandardView> => {
    const reading = { ...deps, sql }
    const first = await readStandardStatementWithSources(reading, plan)
    const presented = (await presentedStatements(first.reports, first.reader)).filter(isStandard)
    const shown = statement ?? (presented.includes('income') ? 'income' : (presented.at(0) ?? 'income'))
    const { answer } =
      shown === plan.statement
        ? first
        : await readStandardStatementWithSources(reading, { ...plan, statement: shown })
    const known = await readableFilings(sql, { ...plan, asOf: deps.today() })
    return {
      profile: await readProfile(reading, id, parseAsOf(query)),
      idThen: ticker,
      statement: shown,
      presented,
      reports: reportsOf(first),
      filingDays: daysOf(known),
      asOf: answer.as_of,
      filings: answer.filings,
      answer,
    }
  }
  return deps.readLimiter.run(subject, () => withSnapshot(deps.sql, work))
}
