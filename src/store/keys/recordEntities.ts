import type { Sql } from '../database.ts'

/** Notes that a capped key sees all these companies, or none of them. Returns for how many the cap has no room: 0 where
 * they are noted. */
export async function recordEntities(
  sql: Sql,
  keyId: number,
  entityIds: readonly number[],
  cap: number,
): Promise<number> {
  const [row] = await sql<{ excess: number }[]>`
    select record_entities(${keyId}, ${[...entityIds]}::int[], ${cap}) as excess`
  return row.excess
}
