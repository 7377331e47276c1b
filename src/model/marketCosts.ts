import type { IsoDate } from './date.ts'

/** What a round trip costs, and on whose word. */
export interface RoundTripCost {
  readonly roundTripBps: number
  readonly source: string
  /** The latest day on which one of its components changed. */
  readonly date: IsoDate
}

/** Round-trip costs as plain data that can cross to a thread. */
export interface MarketCosts {
  /** By market code, for every market with a manifest. */
  readonly markets: Readonly<Record<string, RoundTripCost>>
  /** For a row without a market, or of a market without a manifest. */
  readonly standard: RoundTripCost
}
