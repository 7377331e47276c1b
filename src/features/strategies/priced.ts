import { dayNumber, type IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { isInstant } from '../../instants.ts'
import { capitalisation, type KnownFigure, type Strategy } from '../../markets/strategies/strategies.ts'
import { maxFigureAgeDays } from '../../markets/valuations.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'
import type { PriceSet } from '../../prices/priceQueries.ts'
import type { Rights } from '../../rights/rights.ts'
import { choosePrices } from '../asOfJoins/valuationPrices.ts'
import type { MarketQuery } from '../marketPages/query.ts'
import type { companyValuer } from '../valuations/valueMarket.ts'
import type { InputFigure } from './queries.ts'

/** Values companies on behalf of a caller. */
export type ValueCompanies = ReturnType<typeof companyValuer>

/**
 * The set of prices that a strategy takes; null: it takes none. The rights are read for each request, so a caller who may not
 * see the set never finds a cached answer.
 */
export async function pricesOfStrategy(
  sql: Sql,
  rights: Rights,
  { name, takesPrices }: Strategy,
  sent: string | undefined,
): Promise<PriceSet | null> {
  if (takesPrices) return choosePrices(sql, rights, sent ?? null, name)
  if (sent === undefined) return null
  throw new Failure(
    'parameter_invalid',
    `prices=${sent} names a set of prices, but ${name} follows from filings alone. Omit prices.`,
    { param: 'prices' },
  )
}

/** Prices belong to a day. */
export function requireDay({ asOf }: Pick<MarketQuery, 'asOf'>, { name, takesPrices }: Strategy): void {
  if (!takesPrices || !isInstant(asOf)) return
  throw new Failure(
    'parameter_invalid',
    `${name} takes the price of a day. Send the day as as_of, without a time, or join rows with times by POST /api/v1/as-of.`,
    { param: 'as_of' },
  )
}

/** The market capitalisations of companies on a day, as inputs of a strategy: `end` is the day of the close. */
export async function capitalisationsOf(
  snapshot: SqlClient,
  value: ValueCompanies,
  set: PriceSet,
  {
    market,
    day,
    entities,
  }: { readonly market: string; readonly day: IsoDate; readonly entities: readonly number[] },
): Promise<ReadonlyMap<number, InputFigure>> {
  const metrics = [capitalisation]
  const rule = { maxAgeDays: null, checks: null }
  const found = await value(snapshot, { metrics, set, market, entities, day: dayNumber(day), ...rule })
  return new Map(
    found.map(({ entityId, metric, priceDay, known, value, unit }) => [
      entityId,
      { metric, end: dayNumber(priceDay), filed: dayNumber(known), rank: 0, value, unit, accession: null },
    ]),
  )
}

/** The capitalisation as a figure of the strategy's period, which may have ended so long before the close as in joins. */
export function capitalisationOfPeriod(
  { end: priceDay, filed, value }: InputFigure,
  unit: number,
  anchor: readonly KnownFigure[],
): KnownFigure[] {
  const end = anchor.reduce((latest, figure) => Math.max(latest, figure.end), Number.NEGATIVE_INFINITY)
  return priceDay - end > maxFigureAgeDays ? [] : [{ end, filed, value, unit }]
}
