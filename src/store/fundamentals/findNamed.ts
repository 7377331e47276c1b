import type { Statements } from '../database.ts'

export interface EntityIdentity {
  /** The data version under which an ID names it. */
  readonly dataVersion: number
  readonly entityId: number
  /** The registered spelling of the ID that was asked for. */
  readonly ticker: string
  /** The preferred ID of the entity. */
  readonly preferred: string
  readonly issuerId: string
  readonly name: string | null
  readonly market: string
  /** Another ID of the entity with the same number and another suffix; null: there is none. */
  readonly twin: string | null
}

/** The entities that IDs name, by ID; `ids` are in upper case. */
export async function findNamed(
  sql: Statements,
  ids: readonly string[],
): Promise<Map<string, EntityIdentity>> {
  const rows = await sql<EntityIdentity[]>`
    select e.entity_id as "entityId", t.ticker, e.ticker as preferred, e.issuer_id as "issuerId", e.name, e.market,
      (select version::int from data_version) as "dataVersion",
      (select min(o.ticker) from entity_ticker o where o.entity_id = t.entity_id and o.ticker <> t.ticker
         and split_part(o.ticker, '.', 1) = split_part(t.ticker, '.', 1)) as twin
    from entity_ticker t join entity e on e.entity_id = t.entity_id
    where t.ticker = any(${[...ids]}::text[])`
  return new Map(rows.map(row => [row.ticker, row]))
}
