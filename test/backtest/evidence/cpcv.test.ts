import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addBusinessDays } from '../../../src/backtest/dataset/calendar.ts'
import { chooseGroups, cpcv, cpcvGroups } from '../../../src/backtest/evidence/cpcv.ts'
import { near } from '../near.ts'

const anyDays = fc
  .array(fc.integer({ min: 1, max: 9 }), { minLength: 30, maxLength: 90 })
  .map(gaps => Int32Array.from(gaps.map((_, t) => 19_000 + gaps.slice(0, t).reduce((a, b) => a + b, 0))))
const anySettings = fc.record({
  tranches: fc.integer({ min: 1, max: 6 }),
  returnDays: fc.integer({ min: 1, max: 12 }),
})

test('no training return overlaps a test return, however irregular the dates, and at least h + 1 periods are purged', () => {
  fc.assert(
    fc.property(anyDays, anySettings, fc.integer({ min: 2, max: 8 }), (days, settings, count) => {
      const groups = cpcvGroups(days, count, settings)
      for (const { start, end, from, to } of groups) {
        if (from > 0) {
          expect(addBusinessDays(days[from - 1], settings.returnDays)).toBeLessThanOrEqual(days[start])
          expect(start - from).toBeGreaterThanOrEqual(settings.tranches + 1)
        }
        if (to < days.length) {
          expect(addBusinessDays(days[end - 1], settings.returnDays)).toBeLessThanOrEqual(days[to])
          expect(to - end).toBeGreaterThanOrEqual(settings.tranches + 1)
        }
      }
      expect(groups.map(({ start }) => start).slice(1)).toEqual(groups.map(({ end }) => end).slice(0, -1))
      expect(groups[groups.length - 1].end).toBe(days.length)
    }),
  )
})

test('every group is tested equally often', () => {
  const choices = chooseGroups(10, 2)
  expect(choices.length).toBe(45)
  for (let g = 0; g < 10; g++) expect(choices.filter(choice => choice.includes(g)).length).toBe(9)
  expect(choices[0]).toEqual([0, 1])
  expect(choices[44]).toEqual([8, 9])
})

test('configurations with holding times of their own are purged by their own periods, as plain loops say', () => {
  const periods = 97
  const days = Int32Array.from({ length: periods }, (_, t) => addBusinessDays(19_000, t + 1))
  const value = (c: number, t: number) => Math.sin(12.9898 * c + 78.233 * t + c * t) / 50
  const candidates = [1, 5, 10, 5].map((tranches, c) => ({
    net: Float64Array.from({ length: periods }, (_, t) => value(c, t)),
    groups: cpcvGroups(days, 6, { tranches, returnDays: 1 }),
    purge: tranches + 1,
  }))
  const size = Math.floor(periods / 6)
  const bounds = [0, 1, 2, 3, 4, 5].map(g => [g * size, g === 5 ? periods : (g + 1) * size])
  const seen: number[][][] = bounds.map(() => [])
  for (let a = 0; a < 6; a++) {
    for (let b = a + 1; b < 6; b++) {
      const scores = candidates.map(({ net, purge }) => {
        const kept = [...net].filter((_, t) =>
          [a, b].every(g => t < bounds[g][0] - purge || t >= bounds[g][1] + purge),
        )
        return sharpe(kept)
      })
      const best = scores.indexOf(Math.max(...scores))
      for (const g of [a, b]) seen[g].push([...candidates[best].net.slice(bounds[g][0], bounds[g][1])])
    }
  }
  const paths = cpcv(candidates, 2) ?? []
  expect(paths.length).toBe(5)
  paths.forEach((path, j) => {
    near(path, sharpe(seen.flatMap(group => group[j])), 1e-12)
  })
})

function sharpe(values: readonly number[]): number {
  const mean = values.reduce((a, b) => a + b, 0) / values.length
  const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (values.length - 1)
  return mean / Math.sqrt(variance)
}

test('a candidate that is another one’s double is never taken for it, and a record without variation ranks last', () => {
  const days = Int32Array.from({ length: 60 }, (_, t) => addBusinessDays(19_000, t + 1))
  const groups = cpcvGroups(days, 5, { tranches: 1, returnDays: 1 })
  const net = Float64Array.from({ length: 60 }, (_, t) => Math.cos(t * t) / 40 + 0.003)
  const still = { net: new Float64Array(60).fill(0.01), groups }
  const own = cpcv([{ net, groups }], 2)
  expect(cpcv([still, { net, groups }, { net: net.slice(), groups }], 2)).toEqual(own)
  expect(cpcv([still, still], 2)).toEqual([null, null, null, null])
  expect(cpcv([{ net: net.slice(0, 9), groups }], 2)).toBeNull()
})

test('two hundred doubles of each candidate change no path', () => {
  const days = Int32Array.from({ length: 2_520 }, (_, t) => addBusinessDays(10_000, t + 1))
  const groups = cpcvGroups(days, 10, { tranches: 1, returnDays: 1 })
  const net = Float64Array.from({ length: 2_520 }, (_, t) => Math.cos(t * t) / 40)
  const other = Float64Array.from({ length: 2_520 }, (_, t) => Math.sin(t * t) / 40)
  const different = [
    { net, groups },
    { net: other, groups },
  ]
  const own = cpcv(different, 3)
  const candidates = different.flatMap(one =>
    Array.from({ length: 200 }, () => ({ net: one.net.slice(), groups })),
  )
  expect(cpcv(candidates, 3)).toEqual(own)
  // Candidates with equal returns but different purges are separate candidates.
  const wide = cpcvGroups(days, 10, { tranches: 40, returnDays: 1 })
  expect(cpcv([{ net, groups: wide }, ...different], 3)?.length).toBe(own?.length ?? 0)
})

test('of configurations that trained equally well the first is taken', () => {
  const groups = [
    { start: 0, end: 4, from: 0, to: 4 },
    { start: 4, end: 8, from: 4, to: 8 },
  ]
  const trained = [0.01, -0.02, 0.03, 0.01]
  const first = { net: Float64Array.of(...trained, 0.02, 0, -0.01, 0.01), groups }
  const second = { net: Float64Array.of(...trained, -0.03, 0.02, 0.01, 0.02), groups }
  // On the second half both are equal, so the only path has the returns of the first candidate.
  for (const [one, other] of [
    [first, second],
    [second, first],
  ]) {
    const mean = one.net.reduce((sum, value) => sum + value, 0) / 8
    const deviation = Math.sqrt(one.net.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 7)
    expect(cpcv([one, other], 1)?.[0]).toBeCloseTo(mean / deviation, 12)
  }
})
