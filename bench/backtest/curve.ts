import { buildDataset } from '../../src/backtest/dataset/build.ts'
import { shareDataset } from '../../src/backtest/dataset/packed.ts'
import { rankDataset } from '../../src/backtest/dataset/rank.ts'
import type { Figure } from '../figure.ts'
import { makePanel } from './makePanel.ts'
import { measure } from './measure.ts'
import { time } from './timings.ts'

/** Dates x assets, from 10,000 to 20 million rows. */
const sizes: readonly [dates: number, assets: number][] = [
  [100, 100],
  [252, 400],
  [1_000, 1_000],
  [2_520, 1_000],
  [2_520, 3_000],
  [5_000, 4_000],
]

/** The time of the base case by panel size, without and with a stored ranking. */
export function costCurve(): Figure[] {
  return sizes.flatMap(([dates, assets]) => {
    const { dataset } = buildDataset(makePanel(dates, assets))
    if (!dataset) throw new Error('the panel repeats a cell')
    const rows = dates * assets
    const runs = rows > 5e6 ? 5 : 15
    const raw = time(() => measure(dataset), runs).medianMs
    const ranked = rankDataset(shareDataset(dataset))
    const stored = time(() => measure(ranked), runs).medianMs
    const size = `${dates}x${assets}`
    return [
      { name: `backtest.curve_raw_${size}`, value: raw, unit: 'ms', spread: perRow(raw, rows) },
      { name: `backtest.curve_stored_${size}`, value: stored, unit: 'ms', spread: perRow(stored, rows) },
    ] satisfies Figure[]
  })
}

function perRow(ms: number, rows: number): string {
  return `${((1e6 * ms) / rows).toFixed(2)} ns a row`
}
