import type { BacktestPanelRow } from '../../src/model/backtest.ts'
import { dayNumber } from '../../src/model/date.ts'
import type { Columns } from '../../src/quant/columns.ts'
import { extended } from './extended.ts'
import { NameInterner } from './NameInterner.ts'

const encoder = new TextEncoder()

/** Columns that grow row by row, in shared memory from the first row: a dataset may take them over. */
export class PanelColumns {
  readonly assets = new NameInterner()
  readonly markets = new NameInterner()
  count = 0
  #day = new Int32Array(new SharedArrayBuffer(4 * 1024))
  #asset = new Int32Array(new SharedArrayBuffer(4 * 1024))
  #market = new Uint16Array(new SharedArrayBuffer(2 * 1024))
  #score = new Float64Array(new SharedArrayBuffer(8 * 1024))
  #forwardReturn = new Float64Array(new SharedArrayBuffer(8 * 1024))

  constructor() {
    this.markets.add('', new Uint8Array(0), 0, 0)
  }

  /** NaN for a missing score or return, market 0 for none. */
  push(day: number, asset: number, market: number, score: number, forwardReturn: number): void {
    const row = this.count++
    if (row === this.#day.length) this.#grow()
    this.#day[row] = day
    this.#asset[row] = asset
    this.#market[row] = market
    this.#score[row] = score
    this.#forwardReturn[row] = forwardReturn
  }

  pushRow(row: BacktestPanelRow): void {
    this.push(
      dayNumber(row.date),
      intern(this.assets, row.asset),
      row.market === undefined ? 0 : intern(this.markets, row.market),
      row.score ?? Number.NaN,
      row.forward_return ?? Number.NaN,
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
      assetNames: this.assets.names,
      marketNames: this.markets.names,
    }
  }

  #grow(): void {
    const size = 2 * this.#day.length
    this.#day = extended(this.#day, new Int32Array(new SharedArrayBuffer(4 * size)))
    this.#asset = extended(this.#asset, new Int32Array(new SharedArrayBuffer(4 * size)))
    this.#market = extended(this.#market, new Uint16Array(new SharedArrayBuffer(2 * size)))
    this.#score = extended(this.#score, new Float64Array(new SharedArrayBuffer(8 * size)))
    this.#forwardReturn = extended(this.#forwardReturn, new Float64Array(new SharedArrayBuffer(8 * size)))
  }
}

function intern(names: NameInterner, name: string): number {
  const bytes = encoder.encode(name)
  const found = names.find(bytes, 0, bytes.length)
  return found === -1 ? names.add(name, bytes, 0, bytes.length) : found
}
