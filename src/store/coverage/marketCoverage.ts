import type { IsoDate } from '../../model/date.ts'
import type { Statements } from '../database.ts'

export interface MarketSums {
  readonly entities: number
  readonly firstFiled: IsoDate | null
  readonly lastFiled: IsoDate | null
}

/** Sums per market as of a day, and the data version they belong to. The triggers of migration 0005 keep them; only
 * where a filing bears a day to come, the last one before it has to be looked for. */
export async function marketCoverage(
  sql: Statements,
  asOf: IsoDate,
): Promise<{ dataVersion: number; markets: ReadonlyMap<string, MarketSums> }> {
  const rows = await sql<({ version: string } & ({ market: string } & MarketSums))[]>`
    select d.version, c.market, c.entities::float8 as entities,
           case when c.first_filed <= ${asOf} then c.first_filed end as "firstFiled",
           case when c.last_filed <= ${asOf} then c.last_filed
                else (select max(f.filed) from filing f join entity e on e.entity_id = f.entity_id
                      where e.market = c.market and f.filed <= ${asOf}) end as "lastFiled"
    from data_version d left join market_coverage c on true`
  return {
    dataVersion: Number(rows[0].version),
    markets: new Map(rows.filter(row => row.market !== null).map(row => [row.market, row])),
  }
}
