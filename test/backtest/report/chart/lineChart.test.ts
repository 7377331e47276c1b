import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { columnEnvelope, lineChart } from '../../../../src/backtest/report/chart/lineChart.ts'

const line = fc
  .array(fc.tuple(fc.double({ min: 0, max: 30, noNaN: true }), fc.double({ min: -5, max: 5 })), {
    minLength: 1,
    maxLength: 400,
  })
  .map(points => {
    const x = points.map(([at]) => at).sort((a, b) => a - b)
    return { x: Float64Array.from(x), y: Float64Array.from(points, ([, value]) => value) }
  })

test('no peak, trough or break is lost: each pixel column draws its first, lowest, highest and last point', () => {
  fc.assert(
    fc.property(line, ({ x, y }) => {
      const envelope = columnEnvelope(x, y)
      const column = (i: number) => Math.floor(x[i])
      for (let at = 0; at <= 30; at++) {
        const all = [...x.keys()].filter(i => column(i) === at)
        const drawn = envelope.filter(i => column(i) === at)
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

test('points are drawn in order, each once', () => {
  fc.assert(
    fc.property(line, ({ x, y }) => {
      const envelope = columnEnvelope(x, y)
      expect(envelope).toEqual([...new Set(envelope)].sort((a, b) => a - b))
    }),
  )
})

test('labels of days cover neither one another nor those of values, and do not extend past the chart', () => {
  const plotLeft = 56
  const size = { name: 'wide', width: 880 } as const
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 15_000 }), fc.integer({ min: 0, max: 9_000 }), (span, first) => {
      const days = Float64Array.of(first, first + span)
      const chart = lineChart(
        {
          id: 'line',
          title: '',
          description: '',
          dates: ['', ''],
          days,
          values: [1, 2],
          base: 1,
          isFilled: false,
          isLogarithmic: false,
          height: 200,
          formatTick: String,
          formatPoint: String,
        },
        size,
      ).text
      const labels = [...chart.matchAll(/<text text-anchor="(\w+)" x="([\d.]+)" y="[\d.]+">(.*?)</g)]
      // Left of it is the label of the lowest value, which may be on the same height.
      let end = plotLeft
      for (const [, anchor, x, label] of labels) {
        // Of a character of 13 px: at least half as wide as high.
        const width = label.length * 7
        const start =
          Number(x) - { start: 0, middle: width / 2, end: width }[anchor as 'start' | 'middle' | 'end']
        expect(start).toBeGreaterThanOrEqual(end)
        end = start + width
      }
      expect(end).toBeLessThanOrEqual(size.width + 0.1)
      expect(labels.length).toBeGreaterThan(0)
    }),
  )
})
