import type { Sql, Statements } from '../../postgres/client.ts'

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

/** Remembers which entity an ID names, so that a request for a known company costs no statement before the
 * cache of answers is asked. `forget` belongs to a new data version. Unknown IDs are not remembered. */
export interface EntityDirectory {
  /** By ID; those that name nobody are left out. */
  findAll(ids: readonly string[]): Promise<ReadonlyMap<string, EntityIdentity>>
  forget(): void
}

export function entityDirectory(sql: Sql, capacity = 50_000): EntityDirectory {
  let known = new Map<string, EntityIdentity>()
  return {
    async findAll(ids) {
      const found = new Map<string, EntityIdentity>()
      const asked = known
      for (const id of ids) {
        const remembered = asked.get(id)
        if (remembered !== undefined) found.set(id, remembered)
      }
      if (found.size === ids.length) return found
      const unseen = await findNamed(
        sql,
        ids.filter(id => !found.has(id)),
      )
      for (const [id, entity] of unseen) {
        found.set(id, entity)
        if (asked !== known) continue
        if (known.size >= capacity) {
          const oldest = known.keys().next()
          if (!oldest.done) known.delete(oldest.value)
        }
        known.set(id, entity)
      }
      return found
    },
    forget() {
      known = new Map()
    },
  }
}

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
