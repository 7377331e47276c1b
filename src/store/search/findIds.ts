import type { Statements } from '../database.ts'
import type { FoundEntity } from './probe.ts'

/** IDs read at most: a digit begins half a million of them. */
const mostCandidates = 800
const lastCharacter = '\u{10FFFF}'

/** Entities with an ID that is `folded`, then those with one that begins with it. An entity with several such
 * IDs comes once, under the one that fits best. */
export function findIds(sql: Statements, folded: string, most: number): Promise<FoundEntity[]> {
  return sql<FoundEntity[]>`
    select * from (
      select distinct on (e.entity_id) e.entity_id as "entityId", t.ticker, e.name, e.market,
             t.id = ${folded} as exact
      from (
        select ticker, entity_id, search_text(ticker) as id
        from entity_ticker
        where search_text(ticker) ~>=~ ${folded} and search_text(ticker) ~<~ ${folded + lastCharacter}
        order by search_text(ticker) using ~<~
        limit ${mostCandidates}) t
      join entity e on e.entity_id = t.entity_id
      order by e.entity_id, t.id = ${folded} desc, t.ticker = e.ticker desc, t.ticker collate "C") found
    order by exact desc, (name is null), char_length(name), ticker collate "C"
    limit ${most}`
}
