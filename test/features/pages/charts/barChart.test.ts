import { expect, test } from 'bun:test'
import { type BarChart, barChart, valueAxis } from '../../../../src/features/pages/charts/barChart.ts'

const tickText = String

interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The picture for desktops. */
function wideOf(chart: BarChart): string {
  const [, wide = ''] = /<svg class="bar-chart wide"([\s\S]*?)<\/svg>/.exec(barChart(chart).text) ?? []
  return wide
}

const attribute = (tag: string, name: string) => Number(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1])

const rectsIn = (group: string): Rect[] =>
  [...group.matchAll(/<rect[^>]*>/g)].map(([tag]) => ({
    x: attribute(tag, 'x'),
    y: attribute(tag, 'y'),
    width: attribute(tag, 'width'),
    height: attribute(tag, 'height'),
  }))

const groupOf = (svg: string, name: string) =>
  new RegExp(`<g class="${name}">(.*?)</g>`, 's').exec(svg)?.[1] ?? ''

/** Reads the scale from the labels of the axis: the value at a height in the picture. */
function valueAt(svg: string): (y: number) => number {
  const ticks = [...svg.matchAll(/<text class="y"[^>]* y="([\d.]+)"[^>]*>(-?[\d.]+)<\/text>/g)].map(
    ([, y, text]) => ({
      y: Number(y),
      value: Number(text),
    }),
  )
  const [first, last] = [ticks[0], ticks[ticks.length - 1]]
  return y => first.value + ((y - first.y) / (last.y - first.y)) * (last.value - first.value)
}

const bar = (value: number, ghost?: number) => ({
  value,
  title: `${value} USD`,
  ...(ghost === undefined ? {} : { ghost }),
})

// Apple's revenue as stated in 10-K/A of 2010-01-25 and as first filed (10-K of 2009-10-27), in millions.
const apple: BarChart = {
  label: 'Apple',
  categories: ['FY 2007', 'FY 2008', 'FY 2009'],
  series: [
    { name: 'Revenue', bars: [bar(24_578, 24_006), bar(37_491, 32_479), bar(42_905, 36_537)] },
    { name: 'Net income', bars: [bar(3_495), bar(6_119, 4_834), bar(8_235, 5_704)] },
  ],
  tickText,
}

test('each bar spans from zero to its value, and each outline to the value as first filed', () => {
  const svg = wideOf(apple)
  const value = valueAt(svg)
  for (const [number, { bars }] of apple.series.entries()) {
    const rects = rectsIn(groupOf(svg, `bar-${number}`))
    expect(rects).toHaveLength(3)
    for (const [index, { y, height }] of rects.entries()) {
      // A tenth of a pixel is about 20 million dollars.
      expect(Math.abs(value(y) - (bars[index]?.value ?? 0))).toBeLessThan(25)
      expect(Math.abs(value(y + height))).toBeLessThan(25)
    }
  }
  const ghosts = rectsIn(groupOf(svg, 'ghosts')).map(({ y }) => value(y))
  const asFiled = [24_006, 32_479, 4_834, 36_537, 5_704]
  expect(ghosts).toHaveLength(asFiled.length)
  for (const [index, ghost] of ghosts.entries()) expect(Math.abs(ghost - asFiled[index])).toBeLessThan(25)
})

test('bars of a category stand side by side in the order of the series, and categories from left to right', () => {
  const svg = wideOf(apple)
  const [revenue, income] = [0, 1].map(number => rectsIn(groupOf(svg, `bar-${number}`)))
  const order = revenue.flatMap(({ x, width }, index) => [
    x,
    x + width,
    income[index].x,
    income[index].x + width,
  ])
  for (let at = 1; at < order.length; at++) expect(order[at]).toBeGreaterThanOrEqual(order[at - 1] - 0.15)
  expect(order[order.length - 1]).toBeLessThanOrEqual(880)
})

test('a negative value hangs below zero', () => {
  const svg = wideOf({
    label: 'x',
    categories: ['a', 'b'],
    series: [{ name: 's', bars: [bar(-30), bar(50)] }],
    tickText,
  })
  const value = valueAt(svg)
  const [below, above] = rectsIn(groupOf(svg, 'bar-0'))
  expect(value(below.y)).toBeCloseTo(0, 0)
  expect(value(below.y + below.height)).toBeCloseTo(-30, 0)
  expect(value(above.y)).toBeCloseTo(50, 0)
  expect(value(above.y + above.height)).toBeCloseTo(0, 0)
})

test('stacked bars stand on each other, negative ones below zero', () => {
  const values = [
    [10, 20],
    [30, -5],
    [5, -10],
  ]
  const svg = wideOf({
    label: 'x',
    categories: ['a', 'b'],
    series: values.map((own, number) => ({ name: `s${number}`, bars: own.map(value => bar(value)) })),
    isStacked: true,
    tickText,
  })
  const value = valueAt(svg)
  const spans = values.map((_, number) =>
    rectsIn(groupOf(svg, `bar-${number}`)).map(({ y, height }) => [value(y + height), value(y)]),
  )
  const expected = [
    [
      [0, 10],
      [0, 20],
    ],
    [
      [10, 40],
      [-5, 0],
    ],
    [
      [40, 45],
      [-15, -5],
    ],
  ]
  for (const [number, own] of expected.entries())
    for (const [index, span] of own.entries())
      for (const [end, wanted] of span.entries()) expect(spans[number][index][end]).toBeCloseTo(wanted, 0)
})

test('the axis includes zero and covers every value with round steps', () => {
  for (const ends of [[36_537], [-4, -9], [-3, 8], [0.001, 0.0022], [1e12, -7e11]]) {
    const { low, high, ticks } = valueAxis(ends, tickText)
    expect(low).toBeLessThanOrEqual(Math.min(0, ...ends))
    expect(high).toBeGreaterThanOrEqual(Math.max(0, ...ends))
    expect(ticks.some(({ value }) => value === 0)).toBe(true)
    expect(ticks[0].value).toBeCloseTo(low, 9)
    expect(ticks[ticks.length - 1].value / high || 1).toBeCloseTo(1, 9)
    const step = ticks[1].value - ticks[0].value
    expect([1, 2, 5]).toContain(Number((step / 10 ** Math.floor(Math.log10(step) + 1e-9)).toFixed(6)))
  }
  expect(valueAxis([0, 0], tickText)).toEqual({ low: 0, high: 1, ticks: [{ value: 0, text: '0' }] })
})

test('every category can be focused and states its exact values, in both sizes', () => {
  const { text } = barChart({ ...apple, series: [{ name: 'A < B', bars: [bar(1), null, bar(3, 2)] }] })
  const labels = [...text.matchAll(/<g class="read" tabindex="0" role="img" aria-label="([^"]*)"/g)].map(
    ([, label]) => label,
  )
  const spoken = ['FY 2007: A &lt; B: 1 USD', 'FY 2008: no value', 'FY 2009: A &lt; B: 3 USD']
  expect(labels).toEqual([...spoken, ...spoken])
  expect(text).toContain('as first filed, where it differs')
})

test('of many labels only those are drawn for which there is room, and always the last', () => {
  const categories = Array.from({ length: 32 }, (_, at) => `Q${(at % 4) + 1} ${2000 + Math.floor(at / 4)}`)
  const svg = wideOf({
    label: 'x',
    categories,
    series: [{ name: 's', bars: categories.map((_, at) => bar(at)) }],
    tickText,
  })
  const labels = [...svg.matchAll(/<text class="x" x="([\d.]+)"[^>]*>([^<]*)</g)].map(([, x, text]) => ({
    x: Number(x),
    text,
  }))
  expect(labels[labels.length - 1].text).toBe('Q4 2007')
  for (let at = 1; at < labels.length; at++) expect(labels[at].x - labels[at - 1].x).toBeGreaterThan(7 * 7)
})
