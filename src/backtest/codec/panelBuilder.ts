import { dayNumber } from '../../dates.ts'
import type { Failure } from '../../errors.ts'
import type { Columns } from '../dataset/dataset.ts'
import type { PanelRowWithoutScore } from './cells.ts'
import { maxAssetLength, maxMarketLength } from './cells.ts'
import { NameInterner } from './nameInterner.ts'

/** The rows of a body, with the path of each row for error messages. */
export interface ParsedPanel {
  readonly columns: Columns
  readonly placeOf: (row: number) => string
  /** The error to return if the request does not say where the scores come from; null: every row has a score
   * or null. */
  readonly missingScore: Failure | null
}

/** Columns that are filled row by row, in shared memory that a dataset may take over. The system allocates a
 * page only when a row reaches it, so a generous capacity costs nothing. */
export class PanelBuilder {
  readonly assets = new NameInterner(maxAssetLength)
  readonly markets = new NameInterner(maxMarketLength)
  count = 0
  /** The first row whose score is absent rather than null; -1: none. */
  withoutScore = -1
  readonly #day: Int32Array
  readonly #asset: Int32Array
  readonly #market: Uint16Array
  readonly #score: Float64Array
  readonly #forwardReturn: Float64Array
  readonly #capacity: number
  /** Null until a row has one: panels without volumes, closes or borrow costs use no memory for them. */
  #dollarVolume: Float64Array | null = null
  #close: Float64Array | null = null
  #borrowBps: Float64Array | null = null

  /** @param capacity at least one row more than allowed */
  constructor(capacity: number) {
    this.#day = new Int32Array(new SharedArrayBuffer(4 * capacity))
    this.#asset = new Int32Array(new SharedArrayBuffer(4 * capacity))
    this.#market = new Uint16Array(new SharedArrayBuffer(2 * capacity))
    this.#score = new Float64Array(new SharedArrayBuffer(8 * capacity))
    this.#forwardReturn = new Float64Array(new SharedArrayBuffer(8 * capacity))
    this.#capacity = capacity
    this.markets.numberOf('')
  }

  /** NaN for a missing number; market 0 for none. */
  push(
    day: number,
    asset: number,
    market: number,
    score: number,
    forwardReturn: number,
    dollarVolume: number,
    close: number,
    borrowBps: number,
  ): void {
    const row = this.count++
    this.#day[row] = day
    this.#asset[row] = asset
    this.#market[row] = market
    this.#score[row] = score
    this.#forwardReturn[row] = forwardReturn
    if (!Number.isNaN(dollarVolume)) {
      this.#dollarVolume ??= this.#unknown()
      this.#dollarVolume[row] = dollarVolume
    }
    if (!Number.isNaN(close)) {
      this.#close ??= this.#unknown()
      this.#close[row] = close
    }
    if (!Number.isNaN(borrowBps)) {
      this.#borrowBps ??= this.#unknown()
      this.#borrowBps[row] = borrowBps
    }
  }

  /** Records that the next row to be pushed has no score. */
  noteNoScore(): void {
    if (this.withoutScore === -1) this.withoutScore = this.count
  }

  #unknown(): Float64Array {
    return new Float64Array(new SharedArrayBuffer(8 * this.#capacity)).fill(Number.NaN)
  }

  pushRow(row: PanelRowWithoutScore): void {
    if (row.score === undefined) this.noteNoScore()
    this.push(
      dayNumber(row.date),
      this.assets.numberOf(row.asset),
      this.markets.numberOf(row.market ?? ''),
      row.score ?? Number.NaN,
      ('forward_return' in row ? row.forward_return : null) ?? Number.NaN,
      row.dollar_volume ?? Number.NaN,
      ('close' in row ? row.close : null) ?? Number.NaN,
      row.borrow_bps ?? Number.NaN,
    )
  }

  columns(): Columns {
    return {
      count: this.count,
      day: this.#day.subarray(0, this.count),
      asset: this.#asset.subarray(0, this.count),
      market: this.#market.subarray(0, this.count),
      score: this.#score.subarray(0, this.count),
      forwardReturn: this.#forwardReturn.subarray(0, this.count),
      dollarVolume: this.#dollarVolume?.subarray(0, this.count),
      close: this.#close?.subarray(0, this.count),
      borrowBps: this.#borrowBps?.subarray(0, this.count),
      assetNames: this.assets.names,
      marketNames: this.markets.names,
    }
  }
}
