import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { maximaPerResample, prepareSpa, resampleMaxima } from '../../../src/backtest/evidence/spa.ts'
import { drawnPeriods } from './drawnPeriods.ts'

/** The engine's resamples against loops over every period, which follow the definition in evidence/bootstrap.ts word for word. */

/** xoshiro128** over a state from splitmix32, as fractions of 2^32. */
function stream(seed: number, resample: number): () => number {
  let x = (seed + resample * 0x9e37_79b9) | 0
  const mixed = () => {
    x = (x + 0x9e37_79b9) | 0
    let z = Math.imul(x ^ (x >>> 16), 0x21f0_aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a_2d97)
    return z ^ (z >>> 15)
  }
  const s = [mixed(), mixed(), mixed(), mixed()]
  const turn = (value: number, bits: number) => (value << bits) | (value >>> (32 - bits))
  return () => {
    const word = Math.imul(turn(Math.imul(s[1], 5), 7), 9) >>> 0
    const shifted = s[1] << 9
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= shifted
    s[3] = turn(s[3], 11)
    return word / 2 ** 32
  }
}

function plainPeriods(seed: number, resample: number, periods: number, meanBlock: number): number[] {
  const next = stream(seed, resample)
  const drawn = [Math.floor(next() * periods)]
  while (drawn.length < periods)
    drawn.push(
      next() < 1 / meanBlock ? Math.floor(next() * periods) : (drawn[drawn.length - 1] + 1) % periods,
    )
  return drawn
}

// Lengths around that of a chunk of random words, which ends anywhere in a block.
const lengths = fc.oneof(
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 120, max: 136 }),
  fc.integer({ min: 1, max: 1_500 }),
)
const meanBlocks = fc.oneof(
  fc.constant(1),
  fc.double({ min: 1, max: 2, noNaN: true }),
  fc.double({ min: 1, max: 2_000, noNaN: true }),
)
const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 })

test('resamples have the periods of the definition', () => {
  fc.assert(
    fc.property(
      seeds,
      fc.integer({ min: 0, max: 100_000 }),
      lengths,
      meanBlocks,
      (seed, resample, periods, meanBlock) => {
        expect(drawnPeriods(seed, resample, periods, meanBlock)).toEqual(
          plainPeriods(seed, resample, periods, meanBlock),
        )
      },
    ),
    { numRuns: 400 },
  )
})

test('the maxima of a resample are those of the means over its periods, for any number of configurations', () => {
  fc.assert(
    fc.property(
      seeds,
      fc.integer({ min: 0, max: 50 }),
      fc.integer({ min: 3, max: 400 }),
      meanBlocks,
      fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 255, max: 260 })),
      (seed, first, periods, meanBlock, configurations) => {
        const uniform = stream(seed, 1_000_000)
        const series = Array.from({ length: configurations }, () =>
          Float64Array.from({ length: periods }, () => 0.02 * uniform() - 0.01),
        )
        const spa = prepareSpa(series, new Float64Array(periods), meanBlock)
        if (spa === null) throw new Error('the test is defined for three periods')
        const resamples = 6
        for (const tile of spa.tiles) {
          const out = new Float64Array(maximaPerResample * resamples)
          resampleMaxima(spa, tile, seed, [first, first + resamples], out)
          for (let i = 0; i < resamples; i++) {
            const drawn = plainPeriods(seed, first + i, periods, meanBlock)
            const means = series.slice(tile.from, tile.from + tile.width).map(values => {
              const center = values.reduce((sum, value) => sum + value, 0) / periods
              return drawn.reduce((sum, t) => sum + values[t] - center, 0) / periods
            })
            const largest = (shift: Float64Array | null) =>
              Math.max(
                0,
                ...means.map((mean, k) => (mean + (shift?.[tile.from + k] ?? 0)) * spa.scale[tile.from + k]),
              )
            const expected = [
              largest(spa.lowerShift),
              largest(spa.consistentShift),
              largest(null),
              Math.max(...means),
            ]
            expected.forEach((value, at) => {
              const found = out[maximaPerResample * i + at]
              expect(Math.abs(found - value)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(value)))
            })
          }
        }
      },
    ),
    { numRuns: 60 },
  )
}, 30_000)
