import type { IsoDate } from '../../dates.ts'
import type { SqlClient, SqlFragment } from '../../postgres/client.ts'

export interface CompanyIdentity {
  /** The data version in which the ID names this company. */
  readonly dataVersion: number
  readonly entityId: number
  /** The ID in the request, in its registered spelling. */
  readonly ticker: string
  /** The preferred ID of the entity. */
  readonly preferred: string
  readonly issuerId: string
  readonly name: string | null
  readonly market: string
  /** Another ID of the entity with the same number and another suffix, or null. */
  readonly twin: string | null
  /**
   * The ID in the request, if it is a former ID of the entity or its number rather than a current ID. Null if it is
   * `ticker`.
   */
  readonly sentId: string | null
  /** The current IDs of other entities that had this ID before. */
  readonly formerHolders: readonly string[]
  /** The ready rows, if the company was just looked up: one statement finds both. Null if it found none. */
  readonly ready?: ReadyRows | null
}

/** A company's rows as of today, stored with its facts (`ready_answer`). */
export interface ReadyRows {
  /** Data version of the snapshot from which the rows come. */
  readonly dataVersion: number
  /** The first day on which the rows are valid. */
  readonly firstDay: IsoDate
  /**
   * The first day on which the rows are no longer valid, because a stored figure is filed or ends on it. `infinity`
   * sorts after every day.
   */
  readonly endDay: IsoDate
  /** The rows of `view=latest`, packed as described in the table's migration. */
  readonly latest: string
  /** The rows of `view=history`; null if they have to be read from the tables. */
  readonly history: string | null
}

/** The ready rows of the company that has an ID today; null if it has none. */
export async function findReadyRows(sql: SqlClient, id: string): Promise<ReadyRows | null> {
  const [ready = null] = await sql<ReadyRows[]>`
    select first_day as "firstDay", end_day as "endDay", latest, history,
           (select version::int from data_version) as "dataVersion"
    from ready_answer where ticker = ${id}`
  return ready
}

/**
 * Like `findCompanies`, with the ready rows. A company that has them takes one probe, and one that has none no
 * further statement: after a bulk load that is every company.
 */
export async function findWithReady(
  sql: SqlClient,
  ids: readonly string[],
): Promise<Map<string, CompanyIdentity>> {
  const rows = await sql<
    (CompanyIdentity & { [Column in keyof Omit<ReadyRows, 'dataVersion'>]: string | null })[]
  >`
    with ready as materialized (
      select ticker, entity_id, preferred, issuer_id, name, market, twin, first_day, end_day, latest, history
      from ready_answer where ticker = any(${[...ids]}::text[]))
    select ticker, entity_id as "entityId", preferred, issuer_id as "issuerId", name, market, twin, null as "sentId",
           array[]::text[] as "formerHolders", (select version::int from data_version) as "dataVersion",
           first_day as "firstDay", end_day as "endDay", latest, history
    from ready
    union all
    select c.ticker, c."entityId", c.preferred, c."issuerId", c.name, c.market, c.twin, c."sentId", c."formerHolders",
           c."dataVersion", null, null, null, null
    from unnest(${[...ids]}::text[]) i (id) cross join lateral (${current(sql, sql`t.ticker = i.id`)}) c
    where i.id not in (select ticker from ready)`
  const found = new Map<string, CompanyIdentity>()
  for (const { firstDay, endDay, latest, history, ...company } of rows) {
    const isReady = firstDay !== null && endDay !== null && latest !== null
    const { dataVersion } = company
    const ready = isReady ? { dataVersion, firstDay, endDay, latest, history } : null
    found.set(company.ticker, { ...company, ready })
  }
  return addOtherIds(sql, ids, found)
}

/** The companies with ready rows, without the rows: a join names tens of thousands of companies. */
export async function findReadyNames(
  sql: SqlClient,
  ids: readonly string[],
): Promise<Map<string, CompanyIdentity>> {
  const named = await sql<Omit<CompanyIdentity, 'sentId' | 'formerHolders' | 'ready'>[]>`
    select ticker, entity_id as "entityId", preferred, issuer_id as "issuerId", name, market, twin,
           (select version::int from data_version) as "dataVersion"
    from ready_answer where ticker = any(${[...ids]}::text[])`
  return new Map(named.map(company => [company.ticker, { ...company, sentId: null, formerHolders: [] }]))
}

/**
 * Finds the companies that IDs name, by ID. `ids` are in upper case. An ID that is no longer in use finds the company
 * that had it last, and an `issuer_id` finds its company. Every route, join and tool resolves IDs here and nowhere
 * else.
 */
export async function findCompanies(
  sql: SqlClient,
  ids: readonly string[],
): Promise<Map<string, CompanyIdentity>> {
  return addOtherIds(sql, ids, new Map((await findCurrent(sql, ids)).map(row => [row.ticker, row])))
}

/** Adds the companies of those IDs that no company has today. */
async function addOtherIds(
  sql: SqlClient,
  ids: readonly string[],
  found: Map<string, CompanyIdentity>,
): Promise<Map<string, CompanyIdentity>> {
  const missing = ids.filter(id => !found.has(id))
  if (missing.length === 0) return found
  for (const company of await findByOtherId(sql, missing)) {
    if (company.sentId !== null) found.set(company.sentId, company)
  }
  const respelled = missing.filter(id => !found.has(id) && respellings(id).length > 0)
  if (respelled.length === 0) return found
  const current = new Map(
    (await findCurrent(sql, respelled.flatMap(respellings))).map(row => [row.ticker, row]),
  )
  for (const id of respelled) {
    const company = respellings(id).flatMap(spelling => current.get(spelling) ?? [])[0]
    if (company !== undefined) found.set(id, company)
  }
  return found
}

/** The companies that have these IDs today. */
const findCurrent = (sql: SqlClient, ids: readonly string[]) =>
  sql<CompanyIdentity[]>`${current(sql, sql`t.ticker = any(${[...ids]}::text[])`)}`

/** The companies that IDs `t` name today. */
const current = (sql: SqlClient, which: SqlFragment): SqlFragment => sql`
  select e.entity_id as "entityId", t.ticker, e.ticker as preferred, e.issuer_id as "issuerId", e.name, e.market,
    (select version::int from data_version) as "dataVersion",
    (select min(o.ticker) from entity_ticker o where o.entity_id = t.entity_id and o.ticker <> t.ticker
       and split_part(o.ticker, '.', 1) = split_part(t.ticker, '.', 1)) as twin,
    null as "sentId",
    array(select holder.ticker from entity_former_id f join entity holder on holder.entity_id = f.entity_id
          where f.ticker = t.ticker and f.entity_id <> t.entity_id order by f.place desc) as "formerHolders"
  from entity_ticker t join entity e on e.entity_id = t.entity_id
  where ${which}`

const marks = ['-', '.', '/'] as const

/** Other spellings of a symbol: BRK-B and BRK/B for BRK.B. Empty if the ID has no such separator. */
export const respellings = (id: string): string[] =>
  marks.map(mark => id.replaceAll(/[./-]+/g, mark)).filter(spelling => spelling !== id && /[./-]/.test(id))

/**
 * Finds the companies that had these IDs, or whose register number equals an ID or is spelled out in one. A company
 * without a ticker is served under its number, although another database may have known its ticker from the start. A
 * number that two registers have assigned identifies no company.
 */
async function findByOtherId(sql: SqlClient, ids: readonly string[]): Promise<CompanyIdentity[]> {
  const numbers = ids.map(numberInId)
  return sql<CompanyIdentity[]>`
    select distinct on (found.id) found.id as "sentId", e.entity_id as "entityId", e.ticker, e.ticker as preferred,
      e.issuer_id as "issuerId", e.name, e.market, (select version::int from data_version) as "dataVersion",
      case when found.id = e.issuer_id then
        (select min(o.ticker) from entity_ticker o where o.entity_id = e.entity_id and o.ticker <> e.ticker
           and split_part(o.ticker, '.', 1) = split_part(e.ticker, '.', 1)) end as twin,
      array(select holder.ticker from entity_former_id f join entity holder on holder.entity_id = f.entity_id
            where f.ticker = found.id and f.entity_id <> e.entity_id order by f.place desc) as "formerHolders"
    from (
      select ticker as id, entity_id, place from entity_former_id where ticker = any(${[...ids]}::text[])
      union all
      select n.id, e.entity_id, 0
      from unnest(${[...ids]}::text[], ${numbers.map(number => number?.market ?? null)}::text[],
                  ${numbers.map(number => number?.issuerId ?? null)}::text[]) as n (id, market, issuer_id)
      join entity e on e.market = n.market and e.issuer_id = n.issuer_id
      union all
      select issuer_id, min(entity_id), -1 from entity where issuer_id = any(${[...ids]}::text[])
      group by issuer_id having count(*) = 1) found
    join entity e on e.entity_id = found.entity_id
    order by found.id, found.place desc`
}

/** Whether an ID is a company's register number, in any spelling. Such an ID never names another company. */
export const isRegisterNumber = (
  id: string,
  { issuerId, market }: Pick<CompanyIdentity, 'issuerId' | 'market'>,
): boolean => [issuerId, `CIK${issuerId}`, `${issuerId}.${market}`].includes(id)

/** The number in the ID of a company without a ticker (`CIK0000320193`, `E02367.JP`). */
function numberInId(id: string): RegisterNumber | null {
  const [, cik] = /^CIK(\d{10})$/.exec(id) ?? []
  if (cik !== undefined) return { market: 'US', issuerId: cik }
  const [, issuerId, market] = /^(.+)\.([A-Z]{2})$/.exec(id) ?? []
  return issuerId === undefined ? null : { market, issuerId }
}

/**
 * The IDs of the companies with this register number: several if registers of two markets assigned the same
 * one.
 */
export async function holdersOfNumber(sql: SqlClient, number: string): Promise<string[]> {
  const rows = await sql<{ ticker: string }[]>`
    select ticker from entity where issuer_id = ${number} order by market, ticker`
  return rows.map(row => row.ticker)
}

/**
 * The number of companies in all markets. Triggers maintain the counts, so the cost does not grow with them.
 */
export async function countCompanies(sql: SqlClient): Promise<number> {
  const [row] = await sql<{ companies: number }[]>`
    select coalesce(sum(entities), 0)::float8 as companies from market_coverage`
  return row.companies
}

const neighboursEachSide = 8

/**
 * Finds IDs close to an unknown one: the `spellings` that exist, and its neighbours in the order of IDs. Reads only
 * the primary key, so the cost does not depend on the size of the register.
 */
export async function neighbouringIds(
  sql: SqlClient,
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
  readonly formerIds: string[]
  /** True if only a former ID matched. */
  readonly isFormer: boolean
  /**
   * Which ID or number matched: a 1-based index into the concatenation of `ids`, `numbers`, and `ids` as
   * former ones.
   */
  readonly place: number
}

export interface RegisterNumber {
  readonly market: string
  readonly issuerId: string
}

/**
 * Finds the entities that the IDs or register numbers name, in the order of those, followed by entities that once had
 * one of the IDs.
 */
export async function findEntities(
  sql: SqlClient,
  ids: readonly string[],
  numbers: readonly RegisterNumber[],
): Promise<NamedEntity[]> {
  return sql<NamedEntity[]>`
    with hit as (
      select t.entity_id, i.place, false as is_former
      from unnest(${[...ids]}::text[]) with ordinality as i(ticker, place)
      join entity_ticker t on t.ticker = i.ticker
      union all
      select e.entity_id, ${ids.length}::bigint + n.place, false
      from unnest(${numbers.map(number => number.market)}::text[], ${numbers.map(number => number.issuerId)}::text[])
        with ordinality as n(market, issuer_id, place)
      join entity e on e.market = n.market and e.issuer_id = n.issuer_id
      union all
      select f.entity_id, ${ids.length + numbers.length}::bigint + i.place, true
      from unnest(${[...ids]}::text[]) with ordinality as i(ticker, place)
      join entity_former_id f on f.ticker = i.ticker)
    select e.entity_id as "entityId", e.ticker, e.issuer_id as "issuerId", e.name, e.market,
           array(select t.ticker from entity_ticker t
                 where t.entity_id = e.entity_id and t.ticker <> e.ticker order by t.ticker) as aliases,
           array(select f.ticker from entity_former_id f
                 where f.entity_id = e.entity_id order by f.ticker) as "formerIds",
           h.is_former as "isFormer", h.place::int as place
    from (select entity_id, min(place) as place, bool_and(is_former) as is_former from hit group by entity_id) h
    join entity e on e.entity_id = h.entity_id
    order by h.place, e.market`
}
