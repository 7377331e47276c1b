/** The resolved signals of one day and horizon as the database packs them: to read millions of rows one by one would
 * keep a thread from everything else for seconds. Ordered by ticker, then market. */
export interface SignalDay {
  /** Since 1970-01-01. */
  readonly day: number
  /** `TICKER MARKET`, one a line. */
  readonly names: string
  /** The forecasts, 8 bytes each, big-endian. */
  readonly predicted: Uint8Array
  /** The outcomes, likewise. */
  readonly actual: Uint8Array
}
