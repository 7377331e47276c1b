import { type AsOf, lastWholeDay } from '../../../instants.ts'
import type { Sql } from '../../../postgres/client.ts'

/** How many companies of a market had filed reports by a day, and how many of them were still reporting. Both are metadata. */
export interface Reporting {
  readonly companies: number
  readonly reporting: number
}

export async function reportingCompanies(sql: Sql, market: string, asOf: AsOf): Promise<Reporting> {
  const day = lastWholeDay(asOf)
  const [counts] = await sql<[Reporting]>`
    select count(*)::int as companies, (count(*) filter (where state = 'reporting'))::int as reporting
    from company_state where market = ${market} and from_day <= ${day} and until_day > ${day}`
  return counts
}
