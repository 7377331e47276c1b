import type { IsoDate } from '../../model/date.ts'
import type { Sql } from '../database.ts'

export interface MarketSums {
  readonly entities: number
  readonly firstFiled: IsoDate | null
  readonly lastFiled: IsoDate | null
}

/** Sums per market, kept up to date by the triggers of migration 0005, and the data version they belong to. */
export async function marketCoverage(
  sql: Sql,
): Promise<{ dataVersion: number; markets: ReadonlyMap<string, MarketSums> }> {
  const rows = await sql<({ version: string } & ({ market: string } & MarketSums))[]>`
    select d.version, c.market, c.entities::float8 as entities,
           c.first_filed as "firstFiled", c.last_filed as "lastFiled"
    from data_version d left join market_coverage c on true`
  return {
    dataVersion: Number(rows[0].version),
    markets: new Map(rows.filter(row => row.market !== null).map(row => [row.market, row])),
  }
}
