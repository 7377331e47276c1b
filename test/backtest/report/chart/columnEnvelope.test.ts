import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { columnEnvelope } from '../../../../src/backtest/report/chart/lines.ts'

const line = fc
  .array(fc.tuple(fc.double({ min: 0, max: 30, noNaN: true }), fc.double({ min: -5, max: 5 })), {
    minLength: 1,
    maxLength: 400,
  })
  .map(points => {
    const x = points.map(([at]) => at).sort((a, b) => a - b)
    return { x: Float64Array.from(x), y: Float64Array.from(points, ([, value]) => value) }
  })

test('no peak, no fall and no break is lost: each pixel column keeps its first, lowest, highest and last', () => {
  fc.assert(
    fc.property(line, ({ x, y }) => {
      const kept = columnEnvelope(x, y)
      const column = (i: number) => Math.floor(x[i])
      for (let at = 0; at <= 30; at++) {
        const all = [...x.keys()].filter(i => column(i) === at)
        const drawn = kept.filter(i => column(i) === at)
        const known = (among: number[]) => among.map(i => y[i]).filter(value => !Number.isNaN(value))
        expect([drawn[0], drawn.at(-1)]).toEqual([all[0], all.at(-1)])
        expect(Math.min(...known(drawn))).toBe(Math.min(...known(all)))
        expect(Math.max(...known(drawn))).toBe(Math.max(...known(all)))
        expect(drawn.some(i => Number.isNaN(y[i]))).toBe(all.some(i => Number.isNaN(y[i])))
        expect(drawn.length).toBeLessThanOrEqual(5)
      }
    }),
  )
})

test('points are drawn in their order, each once', () => {
  fc.assert(
    fc.property(line, ({ x, y }) => {
      const kept = columnEnvelope(x, y)
      expect(kept).toEqual([...new Set(kept)].sort((a, b) => a - b))
    }),
  )
})
