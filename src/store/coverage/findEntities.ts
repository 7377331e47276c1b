import type { Statements } from '../database.ts'

export interface NamedEntity {
  readonly entityId: number
  readonly ticker: string
  readonly issuerId: string
  readonly name: string | null
  readonly market: string
  readonly aliases: string[]
  /** The ID or number by which it was found: its place in `ids` or, after those, in `numbers`. */
  readonly place: number
}

export interface RegisterNumber {
  readonly market: string
  readonly issuerId: string
}

/** The entities that any of the IDs or register numbers names, in the order in which those are given. */
export async function findEntities(
  sql: Statements,
  ids: readonly string[],
  numbers: readonly RegisterNumber[],
): Promise<NamedEntity[]> {
  return sql<NamedEntity[]>`
    with hit as (
      select t.entity_id, i.place
      from unnest(${[...ids]}::text[]) with ordinality as i(ticker, place)
      join entity_ticker t on t.ticker = i.ticker
      union all
      select e.entity_id, ${ids.length}::bigint + n.place
      from unnest(${numbers.map(number => number.market)}::text[], ${numbers.map(number => number.issuerId)}::text[])
        with ordinality as n(market, issuer_id, place)
      join entity e on e.market = n.market and e.issuer_id = n.issuer_id)
    select e.entity_id as "entityId", e.ticker, e.issuer_id as "issuerId", e.name, e.market,
           array(select t.ticker from entity_ticker t
                 where t.entity_id = e.entity_id and t.ticker <> e.ticker order by t.ticker) as aliases,
           h.place::int as place
    from (select entity_id, min(place) as place from hit group by entity_id) h
    join entity e on e.entity_id = h.entity_id
    order by h.place, e.market`
}
