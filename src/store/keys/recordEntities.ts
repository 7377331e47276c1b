import type { Sql } from '../database.ts'

/** Whether a capped key may see these companies: it has before, or the cap leaves room for all that are new. They are
 * recorded together or not at all. */
export async function recordEntities(
  sql: Sql,
  keyId: number,
  entityIds: readonly number[],
  cap: number,
): Promise<boolean> {
  const [row] = await sql<{ allowed: boolean }[]>`
    select record_entities(${keyId}, ${[...entityIds]}::int[], ${cap}) as allowed`
  return row.allowed
}
