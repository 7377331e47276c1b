import { dayNumber, type IsoDate, isoDate } from '../dates.ts'
import type { SqlClient } from '../postgres/client.ts'
import type { KnownSymbol } from './knownSymbols.ts'
import type { PackedPrices } from './packedPrices.ts'
import type { PriceBasis, PriceHistory } from './priceSeries.ts'
import { type BasisDays, historiesOf, type StoredSecurity } from './storedPrices.ts'
import { tradingDaysOf } from './tradingDays.ts'

/** A set of prices that the operator imported, and who may see it. */
export interface PriceSet {
  readonly priceSetId: number
  readonly name: string
  readonly currency: string
  readonly basis: PriceBasis
  readonly access: 'private' | 'licence'
  /** The licences whose keys may see it. */
  readonly licences: readonly string[]
  /** The keys that may see it whatever their licence: those named, and those of the e-mail addresses named. */
  readonly keyIds: readonly number[]
  /**
   * Whether every import has a column of split factors. The splits of an import without one are unknown, so no close of the set
   * can be restored and no count of shares meets a price.
   */
  readonly statesSplits: boolean
  readonly statesDividends: boolean
  readonly statesDelistings: boolean
  /** Imports of the data version that is read. */
  readonly imports: number
  /** The data version of the latest of them; null: none. */
  readonly latestVersion: number | null
}

/** The imports that the connection's data version includes: a pinned connection reads an earlier one. */
const visibleImports = (sql: SqlClient) => sql`
  (select i.* from price_import i where i.data_version <= (select version from data_version))`

const setColumns = (sql: SqlClient) => sql`
  s.price_set_id as "priceSetId", s.name, s.currency, s.basis, s.access, s.licences,
  array(
    select coalesce(k.root_key_id, k.key_id) from price_set_reader r
    join api_key k on k.key_id = r.key_id or lower(k.email) = r.email
    where r.price_set_id = s.price_set_id
  ) as "keyIds",
  coalesce(i."statesSplits", false) as "statesSplits", coalesce(i."statesDividends", false) as "statesDividends",
  coalesce(i."statesDelistings", false) as "statesDelistings", i.imports, i."latestVersion"`

const importsOfSet = (sql: SqlClient) => sql`
  left join lateral (
    select bool_and(states_splits) as "statesSplits", bool_or(states_dividends) as "statesDividends",
           bool_or(states_delistings) as "statesDelistings", count(*)::int as imports, max(data_version) as "latestVersion"
    from ${visibleImports(sql)} i where i.price_set_id = s.price_set_id) i on true`

/** All sets, by name. Callers see those that `Rights.maySeePrices` admits. */
export async function readPriceSets(sql: SqlClient): Promise<PriceSet[]> {
  return sql<PriceSet[]>`
    select ${setColumns(sql)} from price_set s ${importsOfSet(sql)} order by s.name`
}

export async function findPriceSet(sql: SqlClient, name: string): Promise<PriceSet | null> {
  const [row] = await sql<PriceSet[]>`
    select ${setColumns(sql)} from price_set s ${importsOfSet(sql)} where s.name = ${name}`
  return row ?? null
}

interface BlockRow extends Omit<StoredSecurity, 'symbols' | 'blocks'> {
  readonly bytes: Buffer
}

interface ReadRange {
  /** The first and last day that are needed. Default: all. Other days may be read as well. */
  readonly from?: IsoDate | undefined
  readonly to?: IsoDate | undefined
}

/**
 * Reads every vintage of the prices of companies, a history for each of their securities. Companies without prices are
 * left out.
 */
export async function readPriceHistories(
  sql: SqlClient,
  priceSetId: number,
  entityIds: readonly number[],
  range: ReadRange = {},
): Promise<Map<number, PriceHistory[]>> {
  const securities = await readSecuritiesOfCompanies(sql, priceSetId, entityIds, range)
  const histories = historiesOf(securities, await readBasisDays(sql, priceSetId))
  return Map.groupBy(histories, ({ entityId }) => entityId ?? 0)
}

/** Whether the connection's data version includes the company of the security `a`. */
export const hasCompany = (sql: SqlClient) => sql`
  (a.adopted_version is null or a.adopted_version <= (select version from data_version))`

/** The company of a security, and its market: one that was given its company later has the market of that. */
const securityColumns = (sql: SqlClient) => sql`
  a.asset_id as "assetId", e.entity_id as "entityId", coalesce(a.market, e.market) as market`

const companyOfSecurity = (sql: SqlClient) => sql`
  left join entity e on e.entity_id = a.entity_id and ${hasCompany(sql)}`

/** The securities of companies, not decoded. Those that were given their company with a later data version are left out. */
export async function readSecuritiesOfCompanies(
  sql: SqlClient,
  priceSetId: number,
  entityIds: readonly number[],
  range: ReadRange = {},
): Promise<StoredSecurity[]> {
  const rows = await sql<BlockRow[]>`
    select ${securityColumns(sql)}, b.bytes
    from price_asset a join price_block b on b.asset_id = a.asset_id ${companyOfSecurity(sql)}
    where a.price_set_id = ${priceSetId} and a.entity_id = any(${[...entityIds]}::int[])
      and ${hasCompany(sql)} and ${ofYears(sql, range)}
    order by a.asset_id, b.year`
  return storedSecurities(sql, rows)
}

/** How many prices a set has of each company, all vintages counted. Companies without prices are left out. */
export async function countPrices(
  sql: SqlClient,
  priceSetId: number,
  entityIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await sql<{ entityId: number; prices: number }[]>`
    select entity_id as "entityId", sum(price_count)::float8 as prices from price_asset
    where price_set_id = ${priceSetId} and entity_id = any(${[...entityIds]}::int[]) group by entity_id`
  return new Map(rows.map(({ entityId, prices }) => [entityId, prices]))
}

/** Securities by their numbers, not decoded. */
export async function readSecurities(
  sql: SqlClient,
  priceSetId: number,
  assetIds: readonly number[],
): Promise<StoredSecurity[]> {
  if (assetIds.length === 0) return []
  const rows = await sql<BlockRow[]>`
    select ${securityColumns(sql)}, b.bytes
    from price_asset a join price_block b on b.asset_id = a.asset_id ${companyOfSecurity(sql)}
    where a.price_set_id = ${priceSetId} and a.asset_id = any(${[...assetIds]}::int[])
    order by a.asset_id, b.year`
  return storedSecurities(sql, rows)
}

/** Puts the blocks of each security together, with its symbols of the connection's data version. */
async function storedSecurities(sql: SqlClient, rows: readonly BlockRow[]): Promise<StoredSecurity[]> {
  const blocksOf = Map.groupBy(rows, row => row.assetId)
  const symbols = await readSymbols(sql, [...blocksOf.keys()])
  return [...blocksOf.values()].map(ofAsset => {
    const [{ bytes: _, ...security }] = ofAsset
    return {
      ...security,
      symbols: symbols.get(security.assetId) ?? [],
      blocks: ofAsset.map(({ bytes }) => bytes),
    }
  })
}

/** The symbols that the rows of securities name, with all their known days. */
export async function readSymbols(
  sql: SqlClient,
  assetIds: readonly number[],
): Promise<Map<number, KnownSymbol[]>> {
  const found = new Map<number, KnownSymbol[]>()
  if (assetIds.length === 0) return found
  const rows = await sql<{ assetId: number; symbol: string; firstDay: IsoDate; knownDay: IsoDate }[]>`
    select asset_id as "assetId", symbol, first_day as "firstDay", known_day as "knownDay" from price_symbol
    where asset_id = any(${[...assetIds]}::int[]) and data_version <= (select version from data_version)
    order by asset_id, symbol, known_day, data_version`
  for (const { assetId, symbol, firstDay, knownDay } of rows) {
    const known = { symbol, firstDay: dayNumber(firstDay), knownDay: dayNumber(knownDay) }
    const own = found.get(assetId)
    if (own === undefined) found.set(assetId, [known])
    else own.push(known)
  }
  return found
}

const ofYears = (sql: SqlClient, { from, to }: ReadRange) => sql`
  b.year between ${from === undefined ? 0 : Number(from.slice(0, 4))} and ${to === undefined ? 9999 : Number(to.slice(0, 4))}`

/** The imports that the connection's data version includes. */
export async function readBasisDays(sql: SqlClient, priceSetId: number): Promise<BasisDays> {
  const imports = await sql<{ importId: number; basisDay: IsoDate }[]>`
    select import_id as "importId", basis_day as "basisDay"
    from ${visibleImports(sql)} i where i.price_set_id = ${priceSetId}`
  return new Map(imports.map(({ importId, basisDay }) => [importId, dayNumber(basisDay)]))
}

/**
 * Reads the prices of many companies without decoding them: those of securities that have a row on or after a day.
 *
 * @param lastFrom securities whose rows all precede this day are left out
 */
export async function readPackedPrices(
  sql: SqlClient,
  priceSetId: number,
  entityIds: Int32Array,
  { lastFrom, ...range }: ReadRange & { readonly lastFrom: IsoDate },
): Promise<PackedPrices> {
  // Numbers and bytes as one value: a whole market has tens of thousands of blocks.
  const [{ blocks }] = await sql<[{ blocks: Buffer }]>`
    select coalesce(string_agg(
      int4send(a.entity_id) || int4send(a.asset_id) || int4send(length(b.bytes)) || b.bytes, ''::bytea
      order by a.asset_id, b.year), '') as blocks
    from price_asset a join price_block b on b.asset_id = a.asset_id
    where a.price_set_id = ${priceSetId} and a.entity_id = any(${[...entityIds]}::int[])
      and ${hasCompany(sql)}
      and a.last_day >= ${lastFrom} and ${ofYears(sql, range)}`
  return { blocks, basisDays: await readBasisDays(sql, priceSetId) }
}

/**
 * The trading days of each market of a set, as days since 1970-01-01: those that follow from the closes up to `lastDay`, as known
 * on `lastDay`.
 */
export async function readTradingDays(
  sql: SqlClient,
  priceSetId: number,
  lastDay: number,
): Promise<Map<string, Int32Array>> {
  const rows = await sql<{ market: string; day: IsoDate; closes: number }[]>`
    select market, day, sum(closes)::int as closes from price_day
    where price_set_id = ${priceSetId} and data_version <= (select version from data_version)
      and known_day <= ${isoDate(lastDay)} and day <= ${isoDate(lastDay)}
    group by market, day having sum(closes) > 0 order by market, day`
  const found = new Map<string, Int32Array>()
  for (const [market, ofMarket] of Map.groupBy(rows, row => row.market))
    found.set(market, tradingDaysOf(ofMarket.map(({ day, closes }) => ({ day: dayNumber(day), closes }))))
  return found
}

/** A security, and another one that ever had a symbol of it: it may go on where the first one ends. */
export interface SuccessorPair {
  readonly assetId: number
  readonly successorId: number
}

/**
 * The securities that ever shared a symbol with others and have later prices. Which of them go on where the others end depends
 * on the prices and symbols as known on a day.
 */
export async function readSuccessors(
  sql: SqlClient,
  priceSetId: number,
  assetIds: readonly number[],
): Promise<SuccessorPair[]> {
  return sql<SuccessorPair[]>`
    select a.asset_id as "assetId", b.asset_id as "successorId"
    from price_asset a
    join price_asset b on b.price_set_id = a.price_set_id and b.symbols && a.symbols and b.asset_id <> a.asset_id
      and b.last_day > a.first_day
    where a.price_set_id = ${priceSetId} and a.asset_id = any(${[...assetIds]}::int[])
    order by a.asset_id, b.asset_id`
}
