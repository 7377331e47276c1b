import { dayNumber } from '../../dates.ts'
import type { Failure } from '../../errors.ts'
import type { Columns } from '../dataset/dataset.ts'
import type { PanelRowWithoutScore } from './cells.ts'
import { checkGroups, maxAssetLength, maxGroupLength, maxMarketLength } from './cells.ts'
import { ExtraColumns, type WantedColumns } from './extraColumns.ts'
import { NameInterner } from './nameInterner.ts'

/** The rows of a body, with the path of each row for error messages. */
export interface ParsedPanel {
  readonly columns: Columns
  readonly placeOf: (row: number) => string
  /** The error to return if the request does not say where the scores come from; null: every row has a score
   * or null. */
  readonly missingScore: Failure | null
  /** The same for returns. */
  readonly missingReturn?: Failure | null
  /** The refusals of the columns of a caller's own, in their order: each is thrown if no setting names its column. */
  readonly refusals?: readonly Failure[]
}

/** Columns that are filled row by row, in shared memory that a dataset may take over. The system allocates a
 * page only when a row reaches it, so a generous capacity costs nothing. */
export class PanelBuilder {
  readonly assets = new NameInterner(maxAssetLength)
  readonly markets = new NameInterner(maxMarketLength)
  readonly groups = new NameInterner(maxGroupLength)
  readonly extras: ExtraColumns
  count = 0
  /** The first row whose score is absent rather than null; -1: none. */
  withoutScore = -1
  /** The first row whose return is absent rather than null; -1: none. */
  withoutReturn = -1
  /** Whether the request says, or may say later, that the returns come from elsewhere. */
  readonly mayLackReturns: () => boolean
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
  /** Likewise for groups. */
  #group: Uint16Array | null = null

  /** @param capacity at least one row more than allowed */
  constructor(capacity: number, wanted: WantedColumns, mayLackReturns = () => false) {
    this.mayLackReturns = mayLackReturns
    this.extras = new ExtraColumns(wanted, capacity)
    this.#day = new Int32Array(new SharedArrayBuffer(4 * capacity))
    this.#asset = new Int32Array(new SharedArrayBuffer(4 * capacity))
    this.#market = new Uint16Array(new SharedArrayBuffer(2 * capacity))
    this.#score = new Float64Array(new SharedArrayBuffer(8 * capacity))
    this.#forwardReturn = new Float64Array(new SharedArrayBuffer(8 * capacity))
    this.#capacity = capacity
    this.markets.numberOf('')
    this.groups.numberOf('')
  }

  /** NaN for a missing number; market or group 0 for none. */
  push(
    day: number,
    asset: number,
    market: number,
    score: number,
    forwardReturn: number,
    dollarVolume: number,
    group: number,
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
    if (group !== 0) this.#groupColumn()[row] = group
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

  /** Records that the next row to be pushed has no return. */
  noteNoReturn(): void {
    if (this.withoutReturn === -1) this.withoutReturn = this.count
  }

  #unknown(): Float64Array {
    return new Float64Array(new SharedArrayBuffer(8 * this.#capacity)).fill(Number.NaN)
  }

  #groupColumn(): Uint16Array {
    checkGroups(this.groups.names.length)
    this.#group ??= new Uint16Array(new SharedArrayBuffer(2 * this.#capacity))
    return this.#group
  }

  /** @param own indices and values of columns of the caller's own */
  pushRow(row: PanelRowWithoutScore, own: readonly (readonly [column: number, value: number])[] = []): void {
    this.extras.clear(this.count)
    for (const [column, value] of own) this.extras.put(column, this.count, value)
    if (row.score === undefined) this.noteNoScore()
    this.push(
      dayNumber(row.date),
      this.assets.numberOf(row.asset),
      this.markets.numberOf(row.market ?? ''),
      row.score ?? Number.NaN,
      ('forward_return' in row ? row.forward_return : null) ?? Number.NaN,
      row.dollar_volume ?? Number.NaN,
      this.groups.numberOf(row.group ?? ''),
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
      ...(this.#group === null
        ? {}
        : { group: this.#group.subarray(0, this.count), groupNames: this.groups.names }),
      ...(this.extras.names.length === 0 ? {} : { extras: this.extras.columns(this.count) }),
    }
  }
}
