import { symbolsKnownOn } from '../../prices/knownSymbols.ts'
import type { SuccessorPair } from '../../prices/priceQueries.ts'
import {
  asKnownOn,
  type PriceBasis,
  type PriceHistory,
  type PriceSeries,
  tradedFactors,
} from '../../prices/priceSeries.ts'
import { type BasisDays, historiesOf, type StoredSecurity } from '../../prices/storedPrices.ts'
import type { PricedSecurity } from '../forwardReturns.ts'

/** The stored prices of some companies, with the securities that may continue theirs. */
export interface StoredPrices {
  readonly set: { readonly basis: PriceBasis; readonly statesSplits: boolean }
  readonly securities: readonly StoredSecurity[]
  readonly successors: readonly SuccessorPair[]
  readonly basisDays: BasisDays
}

/** A security with its prices as known on a day, those of the securities that continue it included. */
export interface KnownSecurity {
  /** The latest one last. */
  readonly symbols: readonly string[]
  readonly market: string
  readonly priced: PricedSecurity
}

/** A security continues another one if its prices begin within this many calendar days after the other's end. */
const maxGapDays = 10
const maxContinuations = 8

/** The securities of each company as known on a day. Securities without any known price are left out. */
export function knownSecurities(
  { set, securities, successors, basisDays }: StoredPrices,
  entityIds: Iterable<number>,
  lastDay: number,
): Map<number, KnownSecurity[]> {
  const known = new Map<number, KnownHistory>(
    historiesOf(securities, basisDays).map(history => [
      history.assetId,
      { history, series: asKnownOn(history, lastDay), symbols: symbolsKnownOn(history.symbols, lastDay) },
    ]),
  )
  const wanted = new Set(entityIds)
  const successorsOf = Map.groupBy(successors, ({ assetId }) => assetId)
  const found = new Map<number, KnownSecurity[]>()
  for (const one of known.values()) {
    const { symbols, history } = one
    const { entityId, market } = history
    if (entityId === null || !wanted.has(entityId) || one.series.count === 0) continue
    const chain = [one]
    for (let last = one; chain.length <= maxContinuations && !isDelisted(last.series); ) {
      const next = continuation(known, successorsOf.get(last.history.assetId) ?? [], last)
      if (next === undefined || chain.includes(next)) break
      chain.push(next)
      last = next
    }
    const own = found.get(entityId) ?? []
    found.set(entityId, [...own, { symbols, market: market ?? '', priced: priced(set, chain) }])
  }
  return found
}

interface KnownHistory {
  readonly history: PriceHistory
  readonly series: PriceSeries
  readonly symbols: readonly string[]
}

/**
 * Whether a delisting return is stated and no close follows it: another security with the symbol does not continue this
 * one.
 */
function isDelisted({ closes, delistingReturns }: PriceSeries): boolean {
  const last = delistingReturns.findLastIndex(value => !Number.isNaN(value))
  return last !== -1 && last >= closes.findLastIndex(value => !Number.isNaN(value))
}

/**
 * The only security that goes on where another ends: with the same symbol in the same market, under another company, within
 * ten days.
 */
function continuation(
  known: ReadonlyMap<number, KnownHistory>,
  pairs: readonly SuccessorPair[],
  { history: { market }, series: { days }, symbols }: KnownHistory,
): KnownHistory | undefined {
  const end = days[days.length - 1]
  const following = pairs.flatMap(({ successorId }) => {
    const next = known.get(successorId)
    if (next === undefined || next.series.count === 0) return []
    if (!next.symbols.some(symbol => symbols.includes(symbol))) return []
    if (market !== null && next.history.market !== null && next.history.market !== market) return []
    const first = next.series.days[0]
    return first > end && first <= end + maxGapDays ? [next] : []
  })
  return following.length === 1 ? following[0] : undefined
}

/** One series of a security, in prices as traded where the set allows it. */
function priced(set: StoredPrices['set'], chain: readonly KnownHistory[]): PricedSecurity {
  const parts = chain.map(({ history, series }) => ({ series, factors: tradedFactors(series, history, set) }))
  const join = (of: (part: (typeof parts)[number]) => Float64Array) => joined(parts.map(of))
  const days = Int32Array.from(parts.flatMap(({ series }) => [...series.days]))
  const delistingReturns = join(({ series }) => series.delistingReturns)
  const closes = join(({ series, factors }) => series.closes.map((close, at) => close * factors[at]))
  // Closes that are adjusted for dividends have them already, as adjusted closes have their splits unless undone.
  if (set.basis === 'total_return' || (set.basis === 'split_adjusted' && !set.statesSplits))
    return {
      days,
      closes,
      delistingReturns,
      ...(set.basis === 'total_return' ? {} : { dividends: join(({ series }) => series.dividends) }),
    }
  return {
    days,
    closes,
    delistingReturns,
    splitFactors: join(({ series }) => series.splitFactors),
    dividends: join(({ series, factors }) => series.dividends.map((dividend, at) => dividend * factors[at])),
  }
}

function joined(parts: readonly Float64Array[]): Float64Array {
  if (parts.length === 1) return parts[0]
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** The securities that an ID may name among those of its company: those with that symbol or, if there are none, all. */
export function securitiesNamed(securities: readonly KnownSecurity[], id: string): readonly KnownSecurity[] {
  const named = securities.filter(({ symbols }) => symbols.includes(id.toUpperCase()))
  return named.length > 0 ? named : securities
}

/** The security that an ID names among those of its company, or why there is none. */
export function securityOf(
  securities: readonly KnownSecurity[],
  id: string,
): KnownSecurity | 'no_prices' | 'several_securities' {
  const [security, ...more] = securitiesNamed(securities, id)
  if (security === undefined) return 'no_prices'
  return more.length > 0 ? 'several_securities' : security
}
