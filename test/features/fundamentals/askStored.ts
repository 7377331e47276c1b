import { planFundamentals } from '../../../src/features/fundamentals/plan.ts'
import { readFundamentals } from '../../../src/features/fundamentals/read.ts'
import type { FundamentalsQuery } from '../../../src/features/fundamentals/schema.ts'
import { loadMarkets } from '../../../src/markets/markets.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { principal } from './handmade.ts'

/** What a personal key is answered from a database, on 2026-11-20. */
export async function askStored(sql: Sql, query: FundamentalsQuery) {
  const bench = {
    sql,
    markets: await loadMarkets(),
    flagship: new Set<string>(),
    today: () => '2026-11-20',
    recordEntities: async () => true,
  }
  return readFundamentals(bench, await planFundamentals(bench, principal('personal'), query))
}
