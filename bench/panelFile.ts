import { readFileSync } from 'node:fs'
import type { Columns } from '../src/backtest/dataset/dataset.ts'

/** Reads a panel in the file format of the peer implementations (`panelio.py`): a dense grid, where a NaN score marks an
 * absent row. Assets are A00000 .., markets M0 .., as in `gen_panel.py --csv`. */
export function readPanelFile(path: string): Columns {
  const bytes = readFileSync(path)
  if (bytes.subarray(0, 8).toString('latin1') !== 'PITPNL01') throw new Error(`${path} is not a panel file`)
  const dates = bytes.readUInt32LE(8)
  const assets = bytes.readUInt32LE(12)
  const markets = bytes.readUInt32LE(16)
  const buffer = new ArrayBuffer(bytes.length)
  new Uint8Array(buffer).set(bytes)
  const dateNumbers = new Int32Array(buffer, 24, dates)
  const marketAt = align(24 + 4 * dates)
  const marketCodes = new Uint8Array(buffer, marketAt, assets)
  const scoreAt = align(marketAt + assets)
  const scores = new Float64Array(buffer, scoreAt, dates * assets)
  const returns = new Float64Array(buffer, scoreAt + 8 * dates * assets, dates * assets)

  let count = 0
  for (const score of scores) if (!Number.isNaN(score)) count++
  const columns = {
    count,
    day: new Int32Array(count),
    asset: new Int32Array(count),
    market: new Uint16Array(count),
    score: new Float64Array(count),
    forwardReturn: new Float64Array(count),
    assetNames: Array.from({ length: assets }, (_, i) => `A${String(i).padStart(5, '0')}`),
    marketNames: Array.from({ length: markets }, (_, i) => `M${i}`),
  }
  let row = 0
  for (let t = 0; t < dates; t++) {
    const day = dayOf(dateNumbers[t])
    for (let i = 0; i < assets; i++) {
      const cell = t * assets + i
      if (Number.isNaN(scores[cell])) continue
      columns.day[row] = day
      columns.asset[row] = i
      columns.market[row] = marketCodes[i]
      columns.score[row] = scores[cell]
      columns.forwardReturn[row] = returns[cell]
      row++
    }
  }
  return columns
}

function align(offset: number): number {
  return offset + ((8 - (offset % 8)) % 8)
}

function dayOf(yyyymmdd: number): number {
  return (
    Date.UTC(Math.floor(yyyymmdd / 10_000), (Math.floor(yyyymmdd / 100) % 100) - 1, yyyymmdd % 100) /
    86_400_000
  )
}
