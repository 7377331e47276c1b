import type { PricedFigure, PricedMetric } from '../../markets/strategies/pricedMetrics.ts'
import { maxFigureAgeDays, maxPriceAgeDays, shareCount } from '../../markets/valuations.ts'
import {
  closeAsTraded,
  firstDayKnownOn,
  hasSplitBetween,
  type PriceBasis,
  type PriceColumns,
  priceKnownOn,
  splitsBetween,
  splitsKnownFrom,
} from '../../prices/priceSeries.ts'
import { slack as textSlack } from './carried/texts.ts'
import type { Events } from './figureEvents.ts'
import { none } from './positions.ts'

/** The prices with which companies are valued. */
export interface ValuationPrices {
  readonly set: { readonly basis: PriceBasis; readonly statesSplits: boolean }
  /** For each company, its securities. */
  readonly securities: readonly (readonly PriceColumns[])[]
  /** The ids of units. */
  readonly units: { readonly shares: number; readonly currency: number; readonly pure: number }
}

/** What rows show of one figure: `positions` are indexes in `events`. */
export interface FigureOfRows {
  readonly events: Events
  readonly positions: Int32Array
}

export interface ValuedRows {
  readonly count: number
  /** The row's index in the companies of `prices.securities`; -1: none. */
  readonly companyOfRow: (row: number) => number
  /** For each row the last day whose prices are known. */
  readonly lastDays: Int32Array
}

/** A row's capitalisation, in the shares of the day of its price. */
interface Capitalisation {
  readonly value: number
  readonly priceDay: number
  /** The first day on which the price, the count and the splits between them were known. */
  readonly known: number
}

/**
 * Values companies: for each row the price of its day, the count of shares and the figures that were known then.
 *
 *     market_cap = close as traded on day P x count of day A, filed on day F, x splits after F and up to P
 *
 * NaN, never a number on a mixed basis:
 * - no close within `maxPriceAgeDays` before the row's day, or closes of several securities of the company: the count
 *   does not say how many shares each of them has;
 * - a split between A and F, where the filing may state the count before or after it, or between P and A;
 * - prices that, as known on the row's day, begin after A, so a split in between would not be seen;
 * - a figure in another currency than the prices, or whose period ended more than `maxFigureAgeDays` before P;
 * - a denominator that is not positive, or figures of several periods where they must be of one.
 *
 * The result has one event a row: `ends` is the day of the price, `filed` the day on which the last input became known.
 */
export function valueRows(
  metric: PricedMetric,
  rows: ValuedRows,
  figures: ReadonlyMap<string, FigureOfRows>,
  prices: ValuationPrices,
): FigureOfRows {
  const { count } = rows
  const { units } = prices
  const built = new RowEvents(count, units[metric.unit])
  const positions = new Int32Array(count).fill(none)
  const counts = figures.get(shareCount.metric)
  if (counts === undefined) throw new Error('Valuations are computed with the count of shares.')
  for (let row = 0; row < count; row++) {
    const capitalisation = capitalisationOf(rows, row, counts, prices)
    if (capitalisation === null) continue
    const { value: cap, priceDay } = capitalisation
    const found = figuresOfRow(metric, figures, row, priceDay, units.currency)
    if (found === null) continue
    const value = metric.valueOf(cap, found.values)
    if (!Number.isFinite(value)) continue
    positions[row] = built.add(value, priceDay, Math.max(capitalisation.known, found.filed))
  }
  return { events: built.finish(), positions }
}

interface FiguresOfRow {
  readonly values: readonly number[]
  /** The day on which the last of them was filed. */
  readonly filed: number
}

/** The figures of a metric as a row shows them; null if one is missing or they are of several periods. */
function figuresOfRow(
  { figures: wanted, isOfOnePeriod }: PricedMetric,
  figures: ReadonlyMap<string, FigureOfRows>,
  row: number,
  priceDay: number,
  currency: number,
): FiguresOfRow | null {
  const values: number[] = []
  let filed = Number.NEGATIVE_INFINITY
  let end: number | null = null
  for (const figure of wanted) {
    const found = figureOf(figures, figure, row, priceDay, currency)
    if (found === null || (isOfOnePeriod && end !== null && found.end !== end)) return null
    values.push(found.value)
    filed = Math.max(filed, found.filed)
    end = found.end
  }
  return { values, filed }
}

/** A figure as a row shows it; null if it is unknown, too old or in another unit. */
function figureOf(
  figures: ReadonlyMap<string, FigureOfRows>,
  wanted: PricedFigure,
  row: number,
  priceDay: number,
  currency: number,
): { readonly value: number; readonly end: number; readonly filed: number } | null {
  const found = figures.get(wanted.metric)
  const at = found?.positions[row] ?? none
  if (found === undefined || at === none) return null
  const { values, ends, filed, units } = found.events
  if ((wanted.isAmount && units[at] !== currency) || priceDay - ends[at] > maxFigureAgeDays) return null
  return { value: values[at], end: ends[at], filed: filed[at] }
}

function capitalisationOf(
  { companyOfRow, lastDays }: ValuedRows,
  row: number,
  { events, positions }: FigureOfRows,
  { set, securities, units }: ValuationPrices,
): Capitalisation | null {
  const at = positions[row]
  const company = companyOfRow(row)
  if (at === none || company === -1 || events.units[at] !== units.shares || !(events.values[at] > 0))
    return null
  const lastDay = lastDays[row]
  let priced: { readonly security: PriceColumns; readonly day: number; readonly row: number } | null = null
  for (const security of securities[company]) {
    const price = priceKnownOn(security, lastDay, maxPriceAgeDays)
    if (price === null) continue
    if (priced !== null) return null
    priced = { security, ...price }
  }
  if (priced === null) return null
  const { security, day: priceDay } = priced
  const close = closeAsTraded(security, priced.row, set)
  const [counted, filed] = [events.ends[at], events.filed[at]]
  const first = firstDayKnownOn(security, lastDay)
  if (close === null || first === null || first > counted || priceDay - counted > maxFigureAgeDays)
    return null
  // A filing that follows a split may state the count of an earlier day before it or after it.
  if (hasSplitBetween(security, Math.min(counted, priceDay), filed, lastDay)) return null
  const splits = splitsBetween(security, filed, priceDay, lastDay)
  const known = Math.max(
    filed,
    security.knownDays[priced.row],
    splitsKnownFrom(security, Math.min(counted, priceDay), Math.max(filed, priceDay), lastDay),
  )
  return { value: close * (events.values[at] * splits), priceDay, known }
}

/** One event for each row. Consecutive rows with equal values share one. */
class RowEvents {
  #count = 0
  readonly #unit: number
  readonly #values: Float64Array
  readonly #ends: Int32Array
  readonly #filed: Int32Array

  constructor(capacity: number, unit: number) {
    this.#unit = unit
    this.#values = new Float64Array(capacity)
    this.#ends = new Int32Array(capacity)
    this.#filed = new Int32Array(capacity)
  }

  add(value: number, end: number, filed: number): number {
    const last = this.#count - 1
    const isSame =
      last >= 0 && this.#values[last] === value && this.#ends[last] === end && this.#filed[last] === filed
    if (isSame) return last
    // Turns -0 into 0.
    this.#values[this.#count] = value + 0
    this.#ends[this.#count] = end
    this.#filed[this.#count] = filed
    return this.#count++
  }

  finish(): Events {
    const count = this.#count
    const values = this.#values.subarray(0, count)
    const textStarts = new Int32Array(count + 1)
    const texts = Array.from(values, String)
    for (const [index, text] of texts.entries()) textStarts[index + 1] = textStarts[index] + text.length
    const bytes = new TextEncoder().encode(texts.join(''))
    // The copy loop of the writer reads slightly past the last text.
    const text = new Uint8Array(bytes.length + textSlack)
    text.set(bytes)
    return {
      starts: Int32Array.of(0, count),
      days: this.#filed.subarray(0, count),
      values,
      ends: this.#ends.subarray(0, count),
      filed: this.#filed.subarray(0, count),
      units: new Int16Array(count).fill(this.#unit),
      text,
      textStarts,
    }
  }
}
