import {
  blocksOf,
  drawBlocks,
  placeBlocks,
  resamplesAtOnce,
} from '../../../src/backtest/evidence/bootstrap.ts'
import { Layout, openKernel } from '../../../src/backtest/portfolio/kernel/wasm.ts'

/** The periods of a resample in their order, from the blocks that the engine draws for it and its three neighbours. */
export function drawnPeriods(seed: number, stream: number, periods: number, meanBlock: number): number[] {
  const layout = new Layout()
  const places = placeBlocks(layout, periods)
  const kernel = openKernel(layout.bytes)
  const first = stream - (stream % resamplesAtOnce)
  drawBlocks(kernel, places, seed, first, periods, meanBlock)
  const { starts, ends, count } = blocksOf(kernel, places, periods, stream - first)
  const drawn: number[] = []
  for (let i = 0; i < count; i++)
    for (let t = kernel.integers[starts / 4 + i]; t < kernel.integers[ends / 4 + i]; t++) drawn.push(t)
  return drawn
}
