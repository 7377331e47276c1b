import type { ValuationPrices } from '../../backtest/asOf/valuations.ts'
import { isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { maxFigureAgeDays, maxPriceAgeDays } from '../../markets/valuations.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { primaryOf } from '../../postgres/readRoute.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { PackedPrices } from '../../prices/packedPrices.ts'
import {
  findPriceSet,
  type PriceSet,
  readPackedPrices,
  readPriceHistories,
  readPriceSets,
} from '../../prices/priceQueries.ts'
import type { PriceHistory } from '../../prices/priceSeries.ts'
import type { Rights } from '../../rights/rights.ts'
import type { EventStore } from './eventStore.ts'
import { countPriceBlocks } from './valuationQueries.ts'

/** The most prices that one request reads: 28 bytes each. */
const maxPrices = 10_000_000
const pricesPerBlock = 253
/** The most blocks of prices, one for each security and year, that the valuations of a market read on one day. */
const maxMarketBlocks = 200_000
/** More than the oldest figure before the oldest price, so that a security's first price read is older than every count. */
const daysBefore = maxFigureAgeDays + maxPriceAgeDays + 40

/**
 * The set that the caller named, or the only one that the caller may see. Read on the primary: on a replica a right that was
 * withdrawn lasts until the replica has caught up.
 *
 * @param metric a valuation that was sent, for messages
 * @param param the parameter that names a set
 */
export async function choosePrices(
  pool: Sql,
  rights: Rights,
  sent: string | null,
  metric: string,
  param = 'prices',
): Promise<PriceSet> {
  const sql = primaryOf(pool)
  const set = sent === null ? await onlySet(sql, rights, metric, param) : await findPriceSet(sql, sent)
  if (set === null || !isThere(set, rights)) throw noSuchSet(metric, sent, param)
  if (set.basis === 'total_return')
    throw unfit(
      set,
      param,
      'are adjusted for dividends, so no price that was paid can be derived from them. Import closes as traded',
    )
  if (!set.statesSplits)
    throw unfit(
      set,
      param,
      'do not state splits, and a count of shares from before a split would meet a price from after it. Import them with a column of split factors, 1 on days without a split',
    )
  return set
}

/** Before its first import, as an earlier data version shows it, a set is not there. */
const isThere = (set: PriceSet, rights: Rights): boolean => set.imports > 0 && rights.maySeePrices(set)

/** Valuations show prices, so sets that a caller may not see are not even counted. */
async function onlySet(
  sql: SqlClient,
  rights: Rights,
  metric: string,
  param: string,
): Promise<PriceSet | null> {
  const sets = (await readPriceSets(sql)).filter(set => isThere(set, rights))
  if (sets.length < 2) return sets[0] ?? null
  throw new Failure(
    'parameter_invalid',
    `${metric} takes prices, and your key may see the sets ${sets.map(({ name }) => name).join(', ')}. Send one of them as ${param}.`,
    { param },
  )
}

/** The sets that all callers of the licence may see and that value companies, by the rights on the primary. */
export async function usableSetsOfLicence(sql: Sql, rights: Rights): Promise<PriceSet[]> {
  return (await readPriceSets(primaryOf(sql))).filter(
    ({ access, licences, basis, statesSplits }) =>
      access === 'licence' && licences.includes(rights.licence) && basis !== 'total_return' && statesSplits,
  )
}

function noSuchSet(metric: string, sent: string | null, param: string): Failure {
  const which = sent === null ? 'there is no set of prices' : `${param}=${sent} is no set of prices`
  return new Failure(
    'parameter_invalid',
    `${metric} takes prices, which no register publishes, and ${which} that your key may see. An operator imports one with \`./asfiled prices import FILE --set NAME\` and says who may see it with \`./asfiled prices rights\`.`,
    { param },
  )
}

const unfit = ({ name }: PriceSet, param: string, why: string): Failure =>
  new Failure('parameter_invalid', `The prices of ${name} ${why}, or choose another set.`, { param })

/** The ids of units that no figure in the database has. */
const currencyWithoutId = -2
const pureWithoutId = -3

/** The units of valuations by name, and the names of all units of an answer. */
export function valuationUnits(known: ReadonlyMap<number, string>, { currency }: Pick<PriceSet, 'currency'>) {
  const idOf = (wanted: string, otherwise: number): number => {
    for (const [id, name] of known) if (name === wanted) return id
    return otherwise
  }
  const units = {
    shares: idOf('shares', -1),
    currency: idOf(currency, currencyWithoutId),
    pure: idOf('pure', pureWithoutId),
  }
  return { units, names: new Map([...known, [units.currency, currency], [units.pure, 'pure']]) }
}

/** The days on which companies are valued. */
export interface DaysValued {
  readonly first: number
  readonly last: number
}

const rowsLimit = { param: 'rows', mend: 'Split the rows by date or by ticker.' }

/** Reads the prices of companies for days, as far as valuations need them. */
export async function readValuationPrices(
  sql: SqlClient,
  set: PriceSet,
  entities: Int32Array,
  { first, last }: DaysValued,
  units: ValuationPrices['units'],
  { param, mend }: { readonly param: string; readonly mend: string } = rowsLimit,
): Promise<ValuationPrices> {
  const from = isoDate(first - daysBefore)
  // Closes that are adjusted for splits are restored with those of later days.
  const to = set.basis === 'raw' ? isoDate(last) : undefined
  const ids = [...new Set(entities)].filter(entity => entity !== -1)
  const blocks = await countPriceBlocks(sql, set.priceSetId, ids, from, to)
  if (blocks * pricesPerBlock > maxPrices)
    throw new Failure(
      'body_invalid',
      `The valuations of these companies and dates would read about ${(blocks * pricesPerBlock).toLocaleString('en')} prices; the limit is ${maxPrices.toLocaleString('en')}. ${mend}`,
      { param },
    )
  const histories = await readPriceHistories(sql, set.priceSetId, ids, { from, to })
  return {
    set: { basis: set.basis, statesSplits: set.statesSplits },
    securities: Array.from(entities, entity => (histories.get(entity) ?? []).map(columnsOf)),
    units,
  }
}

/** Reads the prices of companies for one day, packed, for a thread that values them. */
export async function readMarketPrices(
  sql: SqlClient,
  set: PriceSet,
  entities: Int32Array,
  day: number,
): Promise<PackedPrices> {
  const from = isoDate(day - daysBefore)
  const to = set.basis === 'raw' ? isoDate(day) : undefined
  const blocks = await countPriceBlocks(sql, set.priceSetId, [...entities], from, to)
  if (blocks > maxMarketBlocks)
    throw new Failure(
      'parameter_invalid',
      `The valuations of ${entities.length.toLocaleString('en')} companies would read ${blocks.toLocaleString('en')} blocks of prices of ${set.name}; the limit is ${maxMarketBlocks.toLocaleString('en')}. Import closes as traded (--raw), of which two or three years are read, or filter by universe, sector or group.`,
      { param: 'prices' },
    )
  return readPackedPrices(sql, set.priceSetId, entities, {
    from,
    to,
    lastFrom: isoDate(day - maxPriceAgeDays),
  })
}

/** Only what valuations read is copied to the thread. */
const columnsOf = ({ days, knownDays, closes, splitFactors, basisDays }: PriceHistory) => ({
  days,
  knownDays,
  closes,
  splitFactors,
  basisDays,
})

/** The prices of a request's valuations. */
export interface OpenedPrices {
  readonly set: PriceSet
  readonly prices: ValuationPrices
  readonly unitNames: ReadonlyMap<number, string>
}

/** Which prices a request needs. */
export interface WantedPrices {
  readonly events: Pick<EventStore, 'units'>
  readonly rights: Rights
  /** The name of the set as sent; null: none. */
  readonly sent: string | null
  /** A valuation that was sent and the parameter that names a set, for messages. */
  readonly valuation: string
  readonly param: string
  readonly days: DaysValued
}

const maxAttempts = 8

/**
 * Opens figures together with the prices of their companies, all from one data version.
 *
 * @param wanted null: no prices
 */
export async function withPrices<
  Opened extends { readonly dataVersion: number; readonly entities: Int32Array },
>(
  sql: Sql,
  wanted: WantedPrices | null,
  open: () => Promise<Opened>,
): Promise<Opened & { readonly valued: OpenedPrices | null }> {
  if (wanted === null) return { ...(await open()), valued: null }
  const { events, rights, sent, valuation, param, days } = wanted
  for (let left = maxAttempts; left > 0; left--) {
    const set = await choosePrices(sql, rights, sent, valuation, param)
    const opened = await open()
    const valued = await withSnapshot(sql, async snapshot => {
      if ((await readDataVersion(snapshot)) !== opened.dataVersion) return null
      const { units, names } = valuationUnits(events.units, set)
      const prices = await readValuationPrices(snapshot, set, opened.entities, days, units)
      return { set, prices, unitNames: names }
    })
    if (valued !== null) return { ...opened, valued }
  }
  throw new Failure(
    'database_unavailable',
    'The data kept changing while this request was being served. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}
