import type { CompanyDeps } from '../../../src/features/companies/deps.ts'
import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import { answerCompany } from '../../../src/features/fundamentals/read.ts'
import { isReadyForm, readReadyRows } from '../../../src/features/fundamentals/readyRows.ts'
import type { FundamentalsQuery } from '../../../src/features/fundamentals/schema.ts'
import { connect, type Sql } from '../../../src/postgres/client.ts'
import { addressOf } from '../../pins.ts'
import { rightsOf } from '../companies/fixtures.ts'

export const reader = rightsOf('personal')

/** A pool of the same database that finds no ready answer, whatever is stored. */
export async function withoutReady(sql: Sql): Promise<Sql> {
  await sql`create schema without_ready`
  await sql`create view without_ready.ready_answer as select * from public.ready_answer where false`
  const pin = { version: 0, searchPath: 'without_ready, public' }
  return connect({ url: addressOf(sql), connections: 2, statementTimeoutMs: 60_000, pin })
}

/** The bytes of the answer. A refusal is an answer, too. */
export async function bytesOf(deps: CompanyDeps, query: FundamentalsQuery): Promise<string> {
  try {
    const plan = await planCompany(deps, reader, query)
    return JSON.stringify(await answerCompany(deps, reader, query, plan))
  } catch (error) {
    return String(error)
  }
}

/** Whether the ready rows make the answer. */
export async function isReady(deps: CompanyDeps, ticker: string): Promise<boolean> {
  const plan = await planCompany(deps, reader, { ticker, view: 'latest' }).catch(() => null)
  if (plan === null || !isReadyForm(plan)) return false
  return (await readReadyRows(deps.lookups, plan)) !== null
}
