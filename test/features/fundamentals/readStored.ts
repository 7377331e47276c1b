import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../../src/features/fundamentals/read.ts'
import type { FundamentalsQuery } from '../../../src/features/fundamentals/schema.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { companyDeps, rightsOf } from '../companies/fixtures.ts'

/** The answer of a database to a personal key, on 2026-11-20. */
export async function readStored(sql: Sql, query: FundamentalsQuery) {
  const deps = companyDeps(sql)
  return readCompany(deps, await planCompany(deps, rightsOf('personal'), query))
}
