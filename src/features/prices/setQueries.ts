import type { IsoDate } from '../../dates.ts'
import type { Sql, SqlClient, TransactionSql } from '../../postgres/client.ts'
import { advanceDataVersion } from '../../postgres/dataVersion.ts'
import { hasCompany } from '../../prices/priceQueries.ts'

/** What a set covers. */
export interface SetCoverage {
  readonly priceSetId: number
  readonly companies: number
  readonly securities: number
  readonly unresolved: number
  /** Prices of every vintage. */
  readonly prices: number
  readonly first: IsoDate | null
  readonly last: IsoDate | null
}

export async function readCoverage(
  sql: SqlClient,
  priceSetIds: readonly number[],
): Promise<Map<number, SetCoverage>> {
  const rows = await sql<SetCoverage[]>`
    select price_set_id as "priceSetId", count(distinct entity_id)::int as companies, count(*)::int as securities,
           count(*) filter (where entity_id is null)::int as unresolved, sum(price_count)::float8 as prices,
           min(first_day) as first, max(last_day) as last
    from price_asset where price_set_id = any(${[...priceSetIds]}::int[]) group by price_set_id`
  return new Map(rows.map(row => [row.priceSetId, row]))
}

/** The closes of a market in one year. */
export interface YearOfPrices {
  readonly year: number
  readonly market: string
  /** Days with a close. */
  readonly days: number
  readonly closes: number
}

/** The latest year first. */
export async function readYears(sql: SqlClient, priceSetId: number): Promise<YearOfPrices[]> {
  return sql<YearOfPrices[]>`
    select extract(year from day)::int as year, market, count(*)::int as days, sum(closes)::float8 as closes
    from (
      select market, day, sum(closes) as closes from price_day
      where price_set_id = ${priceSetId} and data_version <= (select version from data_version)
      group by market, day having sum(closes) > 0) as days
    group by year, market order by year desc, market`
}

export interface ListedImport {
  readonly file: string
  readonly imported: string
  readonly known: string
  readonly rows: number
  readonly data_version: number
}

export async function readImports(sql: SqlClient, priceSetId: number): Promise<ListedImport[]> {
  return sql<ListedImport[]>`
    select file, to_char(imported_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as imported, known,
           rows_stored::float8 as rows, data_version
    from price_import where price_set_id = ${priceSetId} order by import_id`
}

export interface ListedSecurity {
  readonly id: string | null
  readonly market: string | null
  readonly symbols: readonly string[]
  readonly first: IsoDate
  readonly last: IsoDate
  readonly prices: number
}

/** The securities of a set, those without a company first. */
export async function readListedSecurities(
  sql: SqlClient,
  priceSetId: number,
  limit: number,
): Promise<ListedSecurity[]> {
  return sql<ListedSecurity[]>`
    select e.ticker as id, coalesce(a.market, e.market) as market, a.symbols, a.first_day as first, a.last_day as last, a.price_count as prices
    from price_asset a left join entity e on e.entity_id = a.entity_id
    where a.price_set_id = ${priceSetId}
    order by a.entity_id is not null, e.ticker, a.symbols limit ${limit}`
}

/** Removes a set with all its prices, imports and readers. Returns whether there was one. */
export function removeSet(sql: Sql, name: string): Promise<boolean> {
  return sql.begin(async transaction => {
    const gone = await transaction`delete from price_set where name = ${name}`
    if (gone.count === 0) return false
    await advance(transaction, name)
    return true
  })
}

export interface SetReaders {
  readonly access: 'private' | 'licence'
  readonly licences: readonly string[]
  /** E-mail addresses, and prefixes of keys. */
  readonly readers: readonly string[]
}

export async function readReaders(sql: SqlClient, priceSetId: number): Promise<string[]> {
  const rows = await sql<{ reader: string }[]>`
    select coalesce(r.email, k.prefix) as reader
    from price_set_reader r left join api_key k on k.key_id = r.key_id
    where r.price_set_id = ${priceSetId} order by 1`
  return rows.map(({ reader }) => reader)
}

/** Changes who may see a set. Servers notice at once: rights are read with every request, and cached answers belong to a data version. */
export function changeAccess(
  sql: Sql,
  { priceSetId, name }: { readonly priceSetId: number; readonly name: string },
  change: {
    /** Null: as it is. An empty list makes the set private. */
    readonly licences: readonly string[] | null
    readonly allowed: readonly Reader[]
    readonly denied: readonly Reader[]
  },
): Promise<void> {
  return sql.begin(async transaction => {
    if (change.licences !== null)
      await transaction`
        update price_set set licences = ${[...change.licences]}, access = ${change.licences.length === 0 ? 'private' : 'licence'}
        where price_set_id = ${priceSetId}`
    for (const { keyId, email } of change.allowed)
      await transaction`
        insert into price_set_reader (price_set_id, key_id, email) values (${priceSetId}, ${keyId}, ${email})
        on conflict do nothing`
    for (const { keyId, email } of change.denied)
      await transaction`
        delete from price_set_reader
        where price_set_id = ${priceSetId} and (key_id = ${keyId} or email = ${email})`
    await advance(transaction, name)
  })
}

/** A key, or all keys of an e-mail address in lower case. */
export type Reader =
  | { readonly keyId: number; readonly email: null }
  | { readonly keyId: null; readonly email: string }

/** The keys whose prefix starts with `start`. */
export async function findKeysByPrefix(sql: SqlClient, start: string): Promise<number[]> {
  const rows = await sql<{ keyId: number }[]>`
    select distinct coalesce(root_key_id, key_id) as "keyId" from api_key where starts_with(prefix, ${start}) limit 3`
  return rows.map(({ keyId }) => keyId)
}

const advance = (transaction: TransactionSql, name: string) =>
  advanceDataVersion(transaction, { source: `prices ${name}`, entities: 0, factsAdded: 0 })

/** The data version that the connection reads. */
export async function readVersion(sql: SqlClient): Promise<number> {
  const [row] = await sql<{ version: number }[]>`select version::int as version from data_version`
  return row.version
}

/** A company with prices in a set. */
export interface SetCompany {
  readonly entityId: number
  readonly ticker: string
  readonly market: string
  /** The first day on which a price of it was known. */
  readonly knownFrom: IsoDate
}

/** The companies with prices in a set of the connection's data version: every row that is stored names a symbol. */
export async function readSetCompanies(sql: SqlClient, priceSetId: number): Promise<SetCompany[]> {
  return sql<SetCompany[]>`
    select e.entity_id as "entityId", e.ticker, e.market, min(s.known_day) as "knownFrom"
    from price_asset a join entity e on e.entity_id = a.entity_id join price_symbol s on s.asset_id = a.asset_id
    where a.price_set_id = ${priceSetId} and ${hasCompany(sql)} and s.data_version <= (select version from data_version)
    group by e.entity_id, e.ticker, e.market order by e.ticker`
}
