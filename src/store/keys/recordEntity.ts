import type { Sql } from '../database.ts'

/** Whether a capped key may see the company: it has before, or the cap leaves room for one more. */
export async function recordEntity(sql: Sql, keyId: number, entityId: number, cap: number): Promise<boolean> {
  const [row] = await sql<{ allowed: boolean }[]>`
    select record_entity(${keyId}, ${entityId}, ${cap}) as allowed`
  return row.allowed
}
