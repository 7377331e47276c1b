import { planFundamentals } from '../../../src/domain/fundamentals/planFundamentals.ts'
import { readFundamentals } from '../../../src/domain/fundamentals/readFundamentals.ts'
import { loadMarkets } from '../../../src/domain/markets/loadMarkets.ts'
import type { FundamentalsQuery } from '../../../src/model/fundamentals.ts'
import type { Sql } from '../../../src/store/database.ts'
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
