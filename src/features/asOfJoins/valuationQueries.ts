import type { IsoDate } from '../../dates.ts'
import type { SqlClient } from '../../postgres/client.ts'

/** The number of blocks, one for each security and year, that a read of these companies takes. */
export async function countPriceBlocks(
  sql: SqlClient,
  priceSetId: number,
  entityIds: readonly number[],
  from: IsoDate,
  to: IsoDate | undefined,
): Promise<number> {
  const [{ blocks }] = await sql<[{ blocks: number }]>`
    select count(*)::int as blocks from price_asset a join price_block b on b.asset_id = a.asset_id
    where a.price_set_id = ${priceSetId} and a.entity_id = any(${[...entityIds]}::int[])
      and b.year between ${Number(from.slice(0, 4))} and ${to === undefined ? 9999 : Number(to.slice(0, 4))}`
  return blocks
}
