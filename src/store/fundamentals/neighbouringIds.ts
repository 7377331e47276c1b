import type { Statements } from '../database.ts'

const neighboursEachSide = 8

/** IDs that might have been meant: those among `spellings` that exist, and the few that stand next to `id` in
 * the order of IDs. Served by the primary key alone, whatever the size of the register. */
export async function neighbouringIds(
  sql: Statements,
  id: string,
  spellings: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ ticker: string }[]>`
    select ticker from entity_ticker where ticker = any(${[...spellings]})
    union
    (select ticker from entity_ticker where ticker > ${id} order by ticker limit ${neighboursEachSide})
    union
    (select ticker from entity_ticker where ticker < ${id} order by ticker desc limit ${neighboursEachSide})`
  return rows.map(row => row.ticker)
}
