import { type Kernel, Layout, openKernel } from '../portfolio/kernel/wasm.ts'

/** The number of resamples that one call of `drawBlocks` draws. */
export const resamplesAtOnce = 4

/** Byte addresses of the inputs and outputs of `drawBlocks`. */
export interface BlockPlaces {
  readonly scratch: number
  /** T integers for each resample. */
  readonly starts: number
  readonly ends: number
  /** One integer for each resample. */
  readonly counts: number
}

/** Reserves memory for resamples of T periods. A resample has at most T blocks, of one period each. */
export function placeBlocks(layout: Layout, periods: number): BlockPlaces {
  const bytes = 4 * periods * resamplesAtOnce
  return {
    scratch: layout.place(scratchBytes),
    starts: layout.place(bytes),
    ends: layout.place(bytes),
    counts: layout.place(4 * resamplesAtOnce),
  }
}

/** 128 words and 48 bytes for each resample: see kernel/assembly/resamples.ts. */
const scratchBytes = resamplesAtOnce * (4 * 128 + 48)

/** Draws resamples `stream` .. `stream + 3` of the stationary bootstrap: T periods in blocks whose lengths are
 * geometric with mean L. The record is a circle: a block that passes the last period continues at the first, as a
 * block of its own.
 *
 * The random numbers are part of the definition, so two implementations agree to the last digit. Resample s of a
 * seed has its own stream, so resamples can be drawn in any order and on any thread:
 *
 * - state: four words of splitmix32, which starts at (seed + s * 0x9E3779B9) mod 2^32
 * - u: the next word of xoshiro128** / 2^32
 * - the first period is floor(u T); then each period takes one u. Below 1/L a block starts at floor(u' T) with the
 *   next u'. Otherwise the period after the last one follows.
 *
 * The kernel draws the words of four streams at once and marks those below 1/L, so that beyond the words a resample
 * costs O(blocks).
 *
 * @param meanBlock L >= 1, in periods
 * @param places from `placeBlocks` for the same T >= 1
 * @see Politis, D. N. and Romano, J. P. (1994), The Stationary Bootstrap, JASA 89(428)
 * @see Blackman, D. and Vigna, S. (2021), Scrambled Linear Pseudorandom Number Generators, ACM TOMS 47(4) */
export function drawBlocks(
  { calls }: Kernel,
  { scratch, starts, ends, counts }: BlockPlaces,
  seed: number,
  stream: number,
  periods: number,
  meanBlock: number,
): void {
  // u < 1/L exactly, without a division for each period: both sides times 2^32, a power of two.
  const lastStart = Math.ceil((1 / meanBlock) * two32) - 1
  calls.drawBlocks(seed, stream, periods, lastStart, scratch, starts, ends, counts)
}

const two32 = 4_294_967_296

/** The blocks of one resample. Block i covers the periods `starts[i] .. ends[i] - 1`. */
export interface Blocks {
  /** Byte addresses of `count` integers. */
  readonly starts: number
  readonly ends: number
  readonly count: number
}

/** The blocks of one resample from the latest call of `drawBlocks`. */
export function blocksOf(
  { integers }: Kernel,
  { starts, ends, counts }: BlockPlaces,
  periods: number,
  resample: number,
): Blocks {
  const from = 4 * periods * resample
  return { starts: starts + from, ends: ends + from, count: integers[counts / 4 + resample] }
}

/** Which resamples of a record are drawn. */
export interface Resampling {
  /** L >= 1, in periods. */
  readonly meanBlock: number
  /** B. */
  readonly resamples: number
  readonly seed: number
}

/** Visits resamples 0 .. B - 1 of T periods in their order.
 *
 * @param visit gets the integers that the addresses of the blocks point to; both are overwritten afterwards */
export function forEachResample(
  periods: number,
  { meanBlock, resamples, seed }: Resampling,
  visit: (integers: Int32Array, blocks: Blocks, resample: number) => void,
): void {
  const layout = new Layout()
  const places = placeBlocks(layout, periods)
  const kernel = openKernel(layout.bytes)
  for (let drawn = 0; drawn < resamples; drawn += resamplesAtOnce) {
    drawBlocks(kernel, places, seed, drawn, periods, meanBlock)
    for (let s = drawn; s < Math.min(resamples, drawn + resamplesAtOnce); s++)
      visit(kernel.integers, blocksOf(kernel, places, periods, s - drawn), s)
  }
}
