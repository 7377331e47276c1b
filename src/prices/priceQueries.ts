import { dayNumber, type IsoDate } from '../dates.ts'
import type { SqlClient } from '../postgres/client.ts'
import { decodePriceBlock } from './priceBlock.ts'
import { joinPriceRows, type PriceRows } from './priceRows.ts'
import type { PriceBasis, PriceHistory } from './priceSeries.ts'

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

interface AssetRow {
  readonly assetId: number
  readonly entityId: number | null
  readonly market: string | null
  readonly symbols: readonly string[]
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
  const rows = await sql<AssetRow[]>`
    select a.asset_id as "assetId", a.entity_id as "entityId", a.market, a.symbols, b.bytes
    from price_asset a join price_block b on b.asset_id = a.asset_id
    where a.price_set_id = ${priceSetId} and a.entity_id = any(${[...entityIds]}::int[])
      and ${ofYears(sql, range)}
    order by a.asset_id, b.year`
  const histories = await historiesOf(sql, priceSetId, rows)
  return Map.groupBy(histories, ({ entityId }) => entityId ?? 0)
}

/** The histories of securities by their numbers. */
export async function readPricesOfAssets(
  sql: SqlClient,
  priceSetId: number,
  assetIds: readonly number[],
  range: ReadRange = {},
): Promise<PriceHistory[]> {
  const rows = await sql<AssetRow[]>`
    select a.asset_id as "assetId", a.entity_id as "entityId", a.market, a.symbols, b.bytes
    from price_asset a join price_block b on b.asset_id = a.asset_id
    where a.price_set_id = ${priceSetId} and a.asset_id = any(${[...assetIds]}::int[]) and ${ofYears(sql, range)}
    order by a.asset_id, b.year`
  return historiesOf(sql, priceSetId, rows)
}

const ofYears = (sql: SqlClient, { from, to }: ReadRange) => sql`
  b.year between ${from === undefined ? 0 : Number(from.slice(0, 4))} and ${to === undefined ? 9999 : Number(to.slice(0, 4))}`

/** Decodes blocks and leaves out rows of imports that the connection's data version does not include. */
async function historiesOf(
  sql: SqlClient,
  priceSetId: number,
  rows: readonly AssetRow[],
): Promise<PriceHistory[]> {
  const imports = await sql<{ importId: number; basisDay: IsoDate }[]>`
    select import_id as "importId", basis_day as "basisDay"
    from ${visibleImports(sql)} i where i.price_set_id = ${priceSetId}`
  const basisDayOf = new Map(imports.map(({ importId, basisDay }) => [importId, dayNumber(basisDay)]))
  const histories: PriceHistory[] = []
  for (const [assetId, blocks] of Map.groupBy(rows, row => row.assetId)) {
    const [{ entityId, market, symbols }] = blocks
    const stored = joinPriceRows(blocks.map(({ bytes }) => decodePriceBlock(bytes)))
    const visible = visibleRows(stored, basisDayOf)
    if (visible.count === 0) continue
    const basisDays = visible.imports.map(importId => basisDayOf.get(importId) ?? 0)
    histories.push({ ...visible, assetId, entityId, market, symbols, basisDays })
  }
  return histories
}

function visibleRows(rows: PriceRows, imports: ReadonlyMap<number, unknown>): PriceRows {
  if (rows.imports.every(importId => imports.has(importId))) return rows
  const isVisible = (_: number, index: number) => imports.has(rows.imports[index])
  const days = rows.days.filter(isVisible)
  return {
    count: days.length,
    days,
    knownDays: rows.knownDays.filter(isVisible),
    imports: rows.imports.filter(isVisible),
    closes: rows.closes.filter(isVisible),
    volumes: rows.volumes.filter(isVisible),
    splitFactors: rows.splitFactors.filter(isVisible),
    dividends: rows.dividends.filter(isVisible),
    delistingReturns: rows.delistingReturns.filter(isVisible),
  }
}

/**
 * The trading days of each market of a set, as days since 1970-01-01: the days on which any security has a close. A
 * Saturday or Sunday counts only if at least half as many securities have one as on the weekday with closes before it, so
 * that a stray row does not move the horizons of a whole market.
 */
export async function readTradingDays(sql: SqlClient, priceSetId: number): Promise<Map<string, Int32Array>> {
  const rows = await sql<{ market: string; day: IsoDate; closes: number }[]>`
    select market, day, sum(closes)::int as closes from price_day
    where price_set_id = ${priceSetId} and data_version <= (select version from data_version)
    group by market, day order by market, day`
  const found = new Map<string, Int32Array>()
  for (const [market, ofMarket] of Map.groupBy(rows, row => row.market)) {
    const days: number[] = []
    let closesBefore = 0
    for (const { day, closes } of ofMarket) {
      const number = dayNumber(day)
      const isWeekend = (number + 3) % 7 >= 5
      if (isWeekend && closes * 2 < closesBefore) continue
      if (!isWeekend) closesBefore = closes
      days.push(number)
    }
    found.set(market, Int32Array.from(days))
  }
  return found
}

/**
 * The securities that go on where others end: with the same symbol, under another company, within ten calendar days. Such
 * is a company that another registrant succeeded. By the number of the one that ends.
 */
export async function readContinuations(
  sql: SqlClient,
  priceSetId: number,
  assetIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await sql<{ ended: number; next: number }[]>`
    select a.asset_id as ended, min(b.asset_id) as next
    from price_asset a
    join price_asset b on b.price_set_id = a.price_set_id and b.symbols && a.symbols and b.asset_id <> a.asset_id
      and b.first_day > a.last_day and b.first_day <= a.last_day + 10
    where a.price_set_id = ${priceSetId} and a.asset_id = any(${[...assetIds]}::int[])
    group by a.asset_id having count(*) = 1`
  return new Map(rows.map(({ ended, next }) => [ended, next]))
}
