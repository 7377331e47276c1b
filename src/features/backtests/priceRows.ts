import type { Dataset } from '../../backtest/dataset/dataset.ts'
import { defaultDelistingReturn, defaultEntryLag } from '../../backtest/forwardReturns.ts'
import type { RowPrices } from '../../backtest/pipeline/selectData.ts'
import { paidKey } from '../../backtest/pool/caller.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import type { AssetCompanies, RowReturns } from '../../backtest/priceReturns/computeReturns.ts'
import type { PricedRows } from '../../backtest/priceReturns/pricedDataset.ts'
import type { BacktestPrices } from '../../backtest/requestPrices.ts'
import { dayNumber, type IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { Markets } from '../../markets/markets.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import { countPrices, readTradingDays } from '../../prices/priceQueries.ts'
import { lastPriceDay } from '../../prices/priceSeries.ts'
import { enforceEntityCap } from '../../rights/entityCap.ts'
import { readPrincipal } from '../../rights/queries.ts'
import { Rights } from '../../rights/rights.ts'
import { Semaphore } from '../../semaphore.ts'
import { idReader } from '../companies/symbols.ts'
import { notesOf } from '../prices/forwardReturns.ts'
import { findCompaniesOfSymbols } from '../prices/import/findCompanies.ts'
import { attributionOf, requirePriceSet } from '../prices/sets.ts'
import { readStoredPrices } from '../prices/storedPrices.ts'
import type { ArchivePins } from './pinnedArchives.ts'
import { readsOf } from './priceReads.ts'

export interface RowPriceDeps {
  readonly sql: Sql
  readonly pool: Pick<ComputePool, 'tasks'>
  readonly markets: Markets
  readonly pins: ArchivePins
  /** The current UTC day. */
  readonly today: () => IsoDate
}

/** Rows whose returns are wanted. */
export interface UnpricedRows {
  readonly data: Dataset
  /** The IDs of the assets in their order, one per line. */
  readonly names: string
  readonly prices: BacktestPrices
  /** Trading days from entry to exit, if the request does not name them. */
  readonly defaultHorizon: number
  /** The first and last day whose rows are wanted; null: no bound. */
  readonly from: IsoDate | null
  readonly to: IsoDate | null
  /** The data version to read; null: the current one. */
  readonly version: number | null
  /** Whether the request names that version. */
  readonly isPinned: boolean
}

export interface OpenedRows {
  readonly rows: PricedRows
  readonly prices: RowPrices
}

/** Each read holds a connection while threads compute. */
const reads = new Semaphore({ slots: 2 })

/**
 * The returns of a dataset's rows from a price set that a key may see: those of `POST /api/v1/prices/{set}/forward-returns`,
 * by the same functions. All companies of the rows count against a cap before any price is read.
 */
export async function priceRows(
  deps: RowPriceDeps,
  keyId: number,
  wanted: UnpricedRows,
): Promise<OpenedRows> {
  const { sql, pins, today } = deps
  const { known = today() } = wanted.prices
  // Read when the job runs rather than with the request, because rights may have changed in between.
  const rights = await requirePrices(deps, keyId, wanted.prices)
  if (wanted.isPinned) rights.requireVersion(wanted.version ?? undefined, 'prices', null)
  const read = (store: SqlClient) => readRows(deps, store, rights, { ...wanted, known })
  return reads.run(async () => {
    const { version } = wanted
    if (version === null) return withSnapshot(sql, read)
    const current = await withSnapshot(sql, async snapshot =>
      (await readDataVersion(snapshot)) === version ? await read(snapshot) : null,
    )
    if (current !== null) return current
    const pin = await pins.open(version)
    try {
      return await withSnapshot(pin.store.sql, read)
    } finally {
      pin.release()
    }
  })
}

/** Fails if a key may not see the set that prices name, or if their known day has not come. Returns the rights of the key. */
export async function requirePrices(
  { sql, today }: Pick<RowPriceDeps, 'sql' | 'today'>,
  keyId: number,
  { set, known }: Pick<BacktestPrices, 'set' | 'known'>,
): Promise<Rights> {
  if (known !== undefined && known > today())
    throw new Failure(
      'parameter_invalid',
      `prices.known is ${known}, which is in the future: today is ${today()} (UTC). Send a day up to today, or omit it.`,
      { param: 'prices.known' },
    )
  const rights = new Rights(await readPrincipal(sql, keyId))
  await requirePriceSet(sql, rights, set, 'prices.set')
  return rights
}

async function readRows(
  deps: RowPriceDeps,
  store: SqlClient,
  rights: Rights,
  { data, names, prices: sent, defaultHorizon, from, to, known }: UnpricedRows & { readonly known: IsoDate },
): Promise<OpenedRows> {
  const { pool, sql } = deps
  const set = await requirePriceSet(store, rights, sent.set, 'prices.set')
  const assets = await findCompanies(deps, store, names)
  const companies = [...new Set(assets.flatMap(({ entityIds }) => entityIds))].filter(id => id !== -1)
  await enforceEntityCap({ sql }, rights, companies, 'the rows', 'panel')
  const request = {
    set: set.name,
    horizon: sent.horizon ?? defaultHorizon,
    entry_lag: sent.entry_lag ?? defaultEntryLag,
    delisting: sent.delisting ?? defaultDelistingReturn,
    known,
  }
  const lastDay = lastPriceDay(known)
  const tradingDays = await readTradingDays(store, set.priceSetId, lastDay)
  const found = emptyReturns(data.asset.length)
  const caller = { caller: paidKey(rights.keyId ?? 0), priority: 'background' } as const
  const days = {
    first: from === null ? data.days[0] : dayNumber(from),
    last: to === null ? data.days[data.days.length - 1] : dayNumber(to),
  }
  const { horizon, entry_lag: entryLag, delisting: assumedDelistingReturn } = request
  const rule = { horizon, entryLag, assumedDelistingReturn, lastDay }
  const counts = await countPrices(store, set.priceSetId, companies)
  for (const some of readsOf(assets, counts, set.name)) {
    const ids = [...new Set(some.flatMap(({ entityIds }) => entityIds))].filter(id => id !== -1)
    // Of all years: which security an ID names, and what continues it, must not depend on the first date.
    const prices = await readStoredPrices(store, set, ids)
    await pool.tasks.computeReturns({ data, assets: some, prices, tradingDays, rule, days, found }, caller)
  }
  const rows = await pool.tasks.priceDataset({ data, found }, caller)
  const used = {
    set: set.name,
    currency: set.currency,
    basis: set.basis,
    data_version: await readDataVersion(store),
    known,
    horizon,
    entry_lag: entryLag,
    entry: entries[entryLag],
    delisting: assumedDelistingReturn,
    mean_return: rows.meanReturn,
    rows: rows.rows,
    sensitivity: [...rows.sensitivity],
    notes: notesOf(set),
    attribution: attributionOf(set),
  }
  return { rows, prices: { used, request, beforeAssumption: rows.beforeAssumption } }
}

/** By lag. */
const entries = [
  'A row trades at the close of the first trading day on or after its date, so its score must have been known before that close.',
  'A row trades at the next close after that of the first trading day on or after its date.',
  'A row trades at the second close after that of the first trading day on or after its date.',
]

async function findCompanies(
  { markets }: RowPriceDeps,
  store: SqlClient,
  names: string,
): Promise<AssetCompanies[]> {
  const ids = names.split('\n')
  const symbols = ids.map(id => ({ symbol: id.toUpperCase(), market: '' }))
  const found = await findCompaniesOfSymbols(idReader(store), markets, symbols)
  return ids.map((id, asset) => ({
    asset,
    id,
    from: found[asset].map(stretch => stretch.from),
    entityIds: found[asset].map(({ company }) => company?.entityId ?? -1),
  }))
}

function emptyReturns(rows: number): RowReturns {
  return {
    returns: new Float64Array(new SharedArrayBuffer(8 * rows)).fill(Number.NaN),
    beforeAssumption: new Float64Array(new SharedArrayBuffer(8 * rows)).fill(Number.NaN),
    states: new Uint8Array(new SharedArrayBuffer(rows)),
    isCarried: new Uint8Array(new SharedArrayBuffer(rows)),
  }
}
