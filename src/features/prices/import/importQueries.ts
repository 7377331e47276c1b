import { dayNumber, type IsoDate, isoDate } from '../../../dates.ts'
import type { Sql, TransactionSql } from '../../../postgres/client.ts'
import { BinaryCopyWriter, copyBytes } from '../../../postgres/copy.ts'
import { advanceDataVersion, lockNextDataVersion } from '../../../postgres/dataVersion.ts'
import type { KnownSymbol } from '../../../prices/knownSymbols.ts'
import { decodePriceBlock } from '../../../prices/priceBlock.ts'
import type { PriceRows } from '../../../prices/priceRows.ts'
import type { PriceBasis } from '../../../prices/priceSeries.ts'
import type { Security } from './securities.ts'

/** What an operator states about a set. */
export interface StatedSet {
  readonly name: string
  readonly currency: string | null
  readonly basis: PriceBasis | null
}

export interface LockedSet {
  readonly priceSetId: number
  readonly currency: string
  readonly basis: PriceBasis
  readonly isNew: boolean
}

/** The set, locked until the transaction ends, so that imports into it take turns. Creates it if both facts are stated. */
export async function lockPriceSet(
  transaction: TransactionSql,
  { name, currency, basis }: StatedSet,
): Promise<LockedSet | null> {
  const created =
    currency === null || basis === null
      ? []
      : await transaction`
          insert into price_set (name, currency, basis) values (${name}, ${currency}, ${basis})
          on conflict (name) do nothing returning price_set_id`
  const [row] = await transaction<Omit<LockedSet, 'isNew'>[]>`
    select price_set_id as "priceSetId", currency, basis from price_set where name = ${name} for update`
  return row === undefined ? null : { ...row, isNew: created.length > 0 }
}

interface SecurityRow extends Omit<Security, 'firstDay' | 'lastDay'> {
  readonly first: IsoDate
  readonly last: IsoDate
}

export async function readSecurities(transaction: TransactionSql, priceSetId: number): Promise<Security[]> {
  const rows = await transaction<SecurityRow[]>`
    select a.asset_id as "assetId", a.entity_id as "entityId", coalesce(a.market, e.market) as market, a.symbols,
           a.first_day as first, a.last_day as last
    from price_asset a left join entity e on e.entity_id = a.entity_id
    where a.price_set_id = ${priceSetId} order by a.asset_id`
  return rows.map(({ first, last, ...row }) => ({
    ...row,
    symbols: [...row.symbols],
    firstDay: dayNumber(first),
    lastDay: dayNumber(last),
  }))
}

/**
 * The symbols of securities whose first days are exact. Which rows named which of several symbols was not stored before
 * symbols had versions, so of those a first day is only known of a symbol that is alone. In the order in which they were
 * imported.
 */
export async function readExactSymbols(
  transaction: TransactionSql,
  assetIds: readonly number[],
): Promise<Map<number, KnownSymbol[]>> {
  const rows = await transaction<{ assetId: number; symbol: string; first: IsoDate; known: IsoDate }[]>`
    select asset_id as "assetId", symbol, first_day as first, known_day as known
    from (
      select s.*, count(*) filter (where data_version = 0) over (partition by asset_id) as unversioned
      from price_symbol s where asset_id = any(${[...assetIds]}::int[])) s
    where data_version > 0 or unversioned = 1 order by asset_id, data_version, first_day`
  const found = Map.groupBy(rows, row => row.assetId)
  return new Map(
    [...found].map(([assetId, own]) => [
      assetId,
      own.map(({ symbol, first, known }) => ({
        symbol,
        firstDay: dayNumber(first),
        knownDay: dayNumber(known),
      })),
    ]),
  )
}

export async function nextImportId(transaction: TransactionSql): Promise<number> {
  const [row] = await transaction<{ id: number }[]>`
    select nextval(pg_get_serial_sequence('price_import', 'import_id'))::int as id`
  return row.id
}

/** Stores new securities, and what changed of others. Returns the number of each. */
export async function saveSecurities(
  transaction: TransactionSql,
  priceSetId: number,
  securities: readonly Security[],
): Promise<Map<Security, number>> {
  const ids = new Map<Security, number>()
  const added = securities.filter(({ assetId }) => assetId === null)
  const known = securities.filter(({ assetId }) => assetId !== null)
  for (const security of known) ids.set(security, security.assetId ?? 0)
  if (known.length > 0)
    await transaction`
      update price_asset a set symbols = string_to_array(u.symbols, ' '), first_day = u.first, last_day = u.last, entity_id = u.entity
      from unnest(
        ${known.map(({ assetId }) => assetId ?? 0)}::int[], ${known.map(({ symbols }) => symbols.join(' '))}::text[],
        ${known.map(({ firstDay }) => isoDate(firstDay))}::date[], ${known.map(({ lastDay }) => isoDate(lastDay))}::date[],
        ${known.map(({ entityId }) => entityId)}::int[]) as u (id, symbols, first, last, entity)
      where a.asset_id = u.id`
  if (added.length > 0) {
    const rows = await transaction<{ assetId: number; at: number }[]>`
      with numbered as materialized (
        select nextval(pg_get_serial_sequence('price_asset', 'asset_id'))::int as asset_id, u.*
        from unnest(
          ${added.map(({ entityId }) => entityId)}::int[], ${added.map(({ market }) => market)}::text[],
          ${added.map(({ symbols }) => symbols.join(' '))}::text[],
          ${added.map(({ firstDay }) => isoDate(firstDay))}::date[], ${added.map(({ lastDay }) => isoDate(lastDay))}::date[])
          with ordinality as u (entity, market, symbols, first, last, at)),
      stored as (
        insert into price_asset (asset_id, price_set_id, entity_id, market, symbols, first_day, last_day, price_count)
        overriding system value
        select asset_id, ${priceSetId}, entity, market, string_to_array(symbols, ' '), first, last, 0 from numbered)
      select asset_id as "assetId", at::int from numbered order by at`
    for (const { assetId, at } of rows) ids.set(added[at - 1], assetId)
  }
  return ids
}

/** A block of one security and year. */
export interface BlockKey {
  readonly assetId: number
  readonly year: number
}

/** The rows on record of some securities in a range of years, by security and year. */
export async function readRecordedBlocks(
  transaction: TransactionSql,
  assetIds: readonly number[],
  years: { readonly first: number; readonly last: number },
): Promise<Map<number, Map<number, PriceRows>>> {
  const found = new Map<number, Map<number, PriceRows>>()
  if (assetIds.length === 0) return found
  const rows = await transaction<(BlockKey & { readonly bytes: Buffer })[]>`
    select asset_id as "assetId", year, bytes from price_block
    where asset_id = any(${[...assetIds]}::int[]) and year between ${years.first} and ${years.last}`
  for (const { assetId, year, bytes } of rows) {
    const ofAsset = found.get(assetId) ?? new Map<number, PriceRows>()
    found.set(assetId, ofAsset.set(year, decodePriceBlock(bytes)))
  }
  return found
}

export async function deleteBlocks(transaction: TransactionSql, keys: readonly BlockKey[]): Promise<void> {
  if (keys.length === 0) return
  await transaction`
    delete from price_block b using unnest(
      ${keys.map(({ assetId }) => assetId)}::int[], ${keys.map(({ year }) => year)}::int[]) as k (asset_id, year)
    where b.asset_id = k.asset_id and b.year = k.year`
}

export interface NewBlock extends BlockKey {
  readonly bytes: Uint8Array
}

/** Stores blocks as they are made. */
export function copyBlocks(transaction: TransactionSql, blocks: AsyncIterable<NewBlock>): Promise<void> {
  const chunks = async function* () {
    const writer = new BinaryCopyWriter(3)
    for await (const { assetId, year, bytes } of blocks) {
      writer.row()
      writer.integer(assetId)
      writer.smallint(year)
      writer.bytes(bytes)
      yield* writer.takeFull()
    }
    yield* writer.finish()
  }
  return copyBytes(
    transaction,
    'copy price_block (asset_id, year, bytes) from stdin with (format binary)',
    chunks(),
  )
}

export async function countPrices(
  transaction: TransactionSql,
  counts: ReadonlyMap<number, number>,
): Promise<void> {
  if (counts.size === 0) return
  await transaction`
    update price_asset a set price_count = price_count + u.added
    from unnest(${[...counts.keys()]}::int[], ${[...counts.values()]}::int[]) as u (id, added)
    where a.asset_id = u.id`
}

/** By how many the securities of a market with a close on a day change, as known from a day on. */
export interface MarketDay {
  readonly market: string
  readonly day: number
  readonly knownDay: number
  readonly closes: number
}

/** A symbol that rows of a security name. */
export interface NamedSymbol extends KnownSymbol {
  readonly assetId: number
}

interface ImportRecord {
  readonly importId: number
  readonly priceSetId: number
  readonly basisDay: IsoDate
  readonly file: string
  readonly known: string
  readonly rowsStored: number
  readonly statesSplits: boolean
  readonly statesDividends: boolean
  readonly statesDelistings: boolean
  readonly days: readonly MarketDay[]
  /** What the rows say about symbols beyond what is on record. */
  readonly symbols: readonly NamedSymbol[]
  /** The numbers of the securities that were given their company. */
  readonly adopted: readonly number[]
}

/** Records an import, which makes its rows visible, and returns its data version. */
export async function recordImport(
  transaction: TransactionSql,
  record: ImportRecord,
  name: string,
): Promise<number> {
  const version = await lockNextDataVersion(transaction)
  await transaction`
    insert into price_import (
      import_id, price_set_id, data_version, basis_day, file, known, rows_stored, states_splits, states_dividends, states_delistings)
    overriding system value
    values (
      ${record.importId}, ${record.priceSetId}, ${version}, ${record.basisDay}, ${record.file}, ${record.known},
      ${record.rowsStored}, ${record.statesSplits}, ${record.statesDividends}, ${record.statesDelistings})`
  const { days, symbols } = record
  if (days.length > 0)
    await transaction`
      insert into price_day (price_set_id, market, day, known_day, data_version, closes)
      select ${record.priceSetId}, market, day, known_day, ${version}, closes
      from unnest(
        ${days.map(({ market }) => market)}::text[], ${days.map(({ day }) => isoDate(day))}::date[],
        ${days.map(({ knownDay }) => isoDate(knownDay))}::date[],
        ${days.map(({ closes }) => closes)}::int[]) as u (market, day, known_day, closes)`
  if (symbols.length > 0)
    await transaction`
      insert into price_symbol (asset_id, symbol, first_day, known_day, data_version)
      select asset_id, symbol, first_day, known_day, ${version}
      from unnest(
        ${symbols.map(({ assetId }) => assetId)}::int[], ${symbols.map(({ symbol }) => symbol)}::text[],
        ${symbols.map(({ firstDay }) => isoDate(firstDay))}::date[],
        ${symbols.map(({ knownDay }) => isoDate(knownDay))}::date[]) as u (asset_id, symbol, first_day, known_day)`
  if (record.adopted.length > 0)
    await transaction`
      update price_asset set adopted_version = ${version} where asset_id = any(${[...record.adopted]}::int[])`
  return advanceDataVersion(transaction, { source: `prices ${name}`, entities: 0, factsAdded: 0 })
}

/** Tables grow by millions of rows at once, so the planner's statistics are renewed. */
export async function analyzePrices(sql: Sql): Promise<void> {
  await sql`analyze price_asset, price_block, price_symbol`
}
