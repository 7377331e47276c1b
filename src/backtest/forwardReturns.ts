import { firstRowFrom } from '../prices/priceRows.ts'

/** The prices of one security, one row for each day, in order of day. */
export interface PricedSecurity {
  /** Days since 1970-01-01. */
  readonly days: Int32Array
  /** As traded; NaN: no close. */
  readonly closes: Float64Array
  /** New shares for one old share, from the opening of the day; 1: no split. */
  readonly splitFactors?: Float64Array
  /** Cash per share after the splits of the day, which is the ex-day. */
  readonly dividends?: Float64Array
  /** The return from the last close to what holders received at the end; NaN: not delisted. */
  readonly delistingReturns?: Float64Array
}

/** Where a return comes from. */
export const returnStates = [
  /** From close to close. */
  'closes',
  /** The security was delisted before the end of the horizon, with a stated return. */
  'stated_delisting',
  /** Its prices end before the end of the horizon, and the assumed delisting return was used. */
  'assumed_delisting',
  /** The horizon has not ended yet, or too few days have passed to know whether the security has ended. No return. */
  'pending',
  /** No close on the day of entry. No return. */
  'no_entry',
] as const
export type ReturnState = (typeof returnStates)[number]
const stateCode = (state: ReturnState) => returnStates.indexOf(state)

export interface ForwardReturnSettings {
  /** Trading days from entry to exit. */
  readonly horizons: readonly number[]
  /** Trading days from the date to the close at which it is traded: 0 trades at the close of the date itself. */
  readonly entryLag: number
  /** The return after the last close if a security's prices end without a stated delisting return; -1 loses everything. */
  readonly assumedDelistingReturn: number
}

/** One row trades at the close after its date unless a request says otherwise. */
export const defaultEntryLag = 1
/**
 * In backtests. A record's training ends at least two periods before the periods that it is tested on, so a training return that
 * begins up to two days late still ends before them.
 */
export const maxEntryLag = 2

/** Shumway (1997): the average return of NYSE and AMEX stocks that were delisted for performance. */
export const defaultDelistingReturn = -0.3

/** A security counts as ended once this many trading days have passed after its last close. */
export const minAbsentTradingDays = 10

/** The returns of one security over some intervals, one element for each. */
export interface IntervalReturns {
  /** Total returns as fractions; NaN: none. */
  readonly returns: Float64Array
  /** The returns before the assumed delisting return `a`; where that was used, return = (1 + this)(1 + a) - 1. NaN: none. */
  readonly beforeAssumption: Float64Array
  /** The returns to the latest close up to the exit, or to what holders of a delisted security had received by then: all that
   * was known on the day of the exit. NaN: no entry, or the exit has not come yet. */
  readonly knownAtExit: Float64Array
  /** Indexes of `returnStates`. */
  readonly states: Uint8Array
  /** 1 where the exit day had no close, so the latest earlier one was used. */
  readonly isCarried: Uint8Array
}

/** The returns of one horizon, one element for each date. */
export interface HorizonReturns extends IntervalReturns {
  readonly horizon: number
}

/**
 * Total returns of one security over several horizons.
 *
 * The entry of a date is the first trading day on or after it, plus `entryLag` trading days, at that day's close. The
 * exit is `horizon` trading days later. `returnsBetween` defines the return.
 *
 * @param tradingDays every trading day of the market in order; the last one is the end of what is known
 * @param dates days since 1970-01-01, in any order
 */
export function forwardReturns(
  security: PricedSecurity,
  tradingDays: Int32Array,
  dates: Int32Array,
  { horizons, entryLag, assumedDelistingReturn }: ForwardReturnSettings,
): HorizonReturns[] {
  const entries = dates.map(date => firstRowFrom(tradingDays, date) + entryLag)
  return horizons.map(horizon => ({
    horizon,
    ...returnsBetween(security, tradingDays, {
      entries,
      exits: entries.map(entry => entry + horizon),
      assumedDelistingReturn,
    }),
  }))
}

/** Intervals as indexes of trading days, which may lie beyond the last one. */
export interface Intervals {
  readonly entries: Int32Array
  readonly exits: Int32Array
  readonly assumedDelistingReturn: number
}

/**
 * Total returns of one security from the close of each entry to that of its exit. With V the value of one share at the
 * first row, its splits and reinvested dividends included, the return is V(exit) / V(entry) - 1. A dividend is reinvested
 * at the close of its ex-day, or at the next close if that day has none; until then it counts as cash. Over one day that is
 * (close + dividend) * splitFactor / closeBefore - 1, the definition of CRSP.
 *
 * Without a close on the exit day the latest earlier close counts, if the security trades again. If it was delisted, the
 * stated delisting return follows its last close, and the proceeds stay in cash. If its prices end without one, at least
 * `minAbsentTradingDays` trading days before the last, `assumedDelistingReturn` follows its last close.
 *
 * @param tradingDays every trading day of the market in order; the last one is the end of what is known
 */
export function returnsBetween(
  security: PricedSecurity,
  tradingDays: Int32Array,
  { entries, exits, assumedDelistingReturn }: Intervals,
): IntervalReturns {
  const values = new SecurityValues(security)
  const unknown = () => new Float64Array(entries.length).fill(Number.NaN)
  const found = {
    returns: unknown(),
    beforeAssumption: unknown(),
    knownAtExit: unknown(),
    states: new Uint8Array(entries.length),
    isCarried: new Uint8Array(entries.length),
  }
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]
    const exit = exits[at]
    const entryRow = entry < tradingDays.length ? values.rowOn(tradingDays[entry]) : -1
    if (entry < tradingDays.length && (entryRow === -1 || !values.hasClose(entryRow)))
      found.states[at] = stateCode('no_entry')
    else if (exit >= tradingDays.length) found.states[at] = stateCode('pending')
    else {
      const state = values.stateOn(tradingDays, exit)
      const before = values.valueOn(tradingDays[exit]) / values.valueAt(entryRow) - 1
      found.states[at] = stateCode(state)
      found.knownAtExit[at] = before
      if (state === 'pending') continue
      found.beforeAssumption[at] = before
      found.returns[at] =
        state === 'assumed_delisting' ? (1 + before) * (1 + assumedDelistingReturn) - 1 : before
      if (state === 'closes' && !values.hasCloseOn(tradingDays[exit])) found.isCarried[at] = 1
    }
  }
  return found
}

/** The value of one share of the first row at each row. */
class SecurityValues {
  readonly #values: Float64Array
  /** The first day on which the stated delisting return has been received; null: none. */
  readonly #delistedOn: number | null = null
  #valueBeforeDelisting = 0
  readonly #lastClose: number

  constructor(readonly security: PricedSecurity) {
    const { days, closes, splitFactors, dividends, delistingReturns } = security
    this.#values = new Float64Array(days.length)
    let shares = 1
    let cash = 0
    let invested = 0
    let lastClose = -1
    for (let at = 0; at < days.length; at++) {
      if (this.#delistedOn !== null) {
        this.#values[at] = this.#values[at - 1]
        continue
      }
      shares *= splitFactors?.[at] ?? 1
      cash += shares * (dividends?.[at] ?? 0)
      if (!Number.isNaN(closes[at])) {
        shares += cash / closes[at]
        cash = 0
        invested = shares * closes[at]
        lastClose = at
      }
      this.#values[at] = invested + cash
      const delisting = delistingReturns?.[at] ?? Number.NaN
      // A close after a delisting contradicts it: the security traded on.
      if (!Number.isNaN(delisting) && !closesAfter(closes, at)) {
        this.#valueBeforeDelisting = this.#values[at]
        this.#values[at] *= 1 + delisting
        this.#delistedOn = days[at]
      }
    }
    this.#lastClose = lastClose
  }

  rowOn(day: number): number {
    const row = firstRowFrom(this.security.days, day)
    return this.security.days[row] === day ? row : -1
  }

  hasClose(row: number): boolean {
    return !Number.isNaN(this.security.closes[row])
  }

  hasCloseOn(day: number): boolean {
    const row = this.rowOn(day)
    return row !== -1 && this.hasClose(row)
  }

  /** The value at a close, before any delisting return of that row. */
  valueAt(row: number): number {
    const delisting = this.security.delistingReturns?.[row] ?? Number.NaN
    if (this.#delistedOn !== this.security.days[row] || Number.isNaN(delisting)) return this.#values[row]
    return this.#valueBeforeDelisting
  }

  /** The value of the latest row up to a day. */
  valueOn(day: number): number {
    return this.#values[firstRowFrom(this.security.days, day + 1) - 1]
  }

  stateOn(tradingDays: Int32Array, exit: number): ReturnState {
    const day = tradingDays[exit]
    if (this.#delistedOn !== null && this.#delistedOn <= day) return 'stated_delisting'
    const last = this.#lastClose === -1 ? -1 : this.security.days[this.#lastClose]
    if (last >= day || this.#delistedOn !== null) return 'closes'
    const absent = tradingDays.length - firstRowFrom(tradingDays, last + 1)
    return absent >= minAbsentTradingDays ? 'assumed_delisting' : 'pending'
  }
}

function closesAfter(closes: Float64Array, row: number): boolean {
  for (let at = row + 1; at < closes.length; at++) if (!Number.isNaN(closes[at])) return true
  return false
}
