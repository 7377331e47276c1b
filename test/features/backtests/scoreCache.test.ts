import { afterEach, expect, test } from 'bun:test'
import { buildEvents } from '../../../src/backtest/asOf/figureEvents.ts'
import { neverEnds, vintageBytes } from '../../../src/backtest/asOf/packedVintages.ts'
import { dayNumber } from '../../../src/dates.ts'
import type { FigureRequest, OpenedFigures } from '../../../src/features/asOfJoins/scoreFigures.ts'
import { maxScoredDatasets, ScoreCache } from '../../../src/features/backtests/scoreCache.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { type Bench, openBench } from './backtestBench.ts'

let bench: Bench | null = null
afterEach(async () => {
  await bench?.close()
}, 180_000)

/** Each of the names has the figure of its place from the day before a day on, for good. */
function figuresOf({ names }: FigureRequest, from: string): OpenedFigures {
  const places = names.split('\n').map((_, place) => place)
  const rows = Buffer.alloc(vintageBytes * places.length)
  for (const place of places) {
    const filed = dayNumber(from) - 1
    const numbers = [place, filed, neverEnds, filed]
    for (const [i, number] of numbers.entries()) rows.writeInt32BE(number, vintageBytes * place + 4 * i)
    rows.writeDoubleBE(place, vintageBytes * place + 20)
  }
  return {
    entities: Int32Array.from(places),
    units: new Int16Array(places.length),
    dated: [],
    blocks: [buildEvents({ firstEntity: 0, rows })],
    release: () => {},
  }
}

const wanted = (maxAgeDays: number) =>
  ({ horizon: '1d', market: 'US', metric: `${maxAgeDays}`, unit: 'pure', maxAgeDays }) as const

test('scores are read once for everyone, and again only when the data version has moved', async () => {
  let version = 1
  const reads: FigureRequest[] = []
  bench = openBench({ dataVersion: () => version })
  const { pool, archive } = bench.deps
  const scores = new ScoreCache({
    pool,
    archive,
    findListed: async () => [],
    openFigures: async requested => {
      reads.push(requested)
      await Bun.sleep(20)
      return figuresOf(requested, '2024-01-10')
    },
  })
  const [a, b] = await Promise.all([scores.get(wanted(550)), scores.get(wanted(550))])
  expect(a).toBe(b)
  expect(reads.map(({ metric }) => Number(metric))).toEqual([550])
  expect(reads[0].names.split('\n')).toEqual(['T1', 'T10', 'T11', 'T2', 'T4', 'T5', 'T7', 'T8'])
  // The archive's own columns are the same memory, and its scores are what they were.
  const { data } = await archive.get('1d', 'US')
  const outcome = data.forwardReturn[0]
  data.forwardReturn[0] = 42
  expect(a.data.forwardReturn[0]).toBe(42)
  data.forwardReturn[0] = outcome
  expect(a.data.score.buffer).toBeInstanceOf(SharedArrayBuffer)
  expect(data.score.some(Number.isNaN)).toBe(false)
  const before = data.offsets[data.days.findIndex(day => day >= dayNumber('2024-01-10'))]
  expect(nonEmpty([...a.data.score.subarray(0, before)]).every(Number.isNaN)).toBe(true)
  expect([...a.data.score.subarray(before)]).toEqual([...data.asset.subarray(before)])
  await scores.get(wanted(100))
  version = 2
  await scores.get(wanted(550))
  expect(reads.map(({ metric }) => Number(metric))).toEqual([550, 100, 550])
  expect(scores.size).toBe(1)
})

test('the cache is bounded, and evicts the scores used longest ago', async () => {
  const reads: number[] = []
  bench = openBench()
  const scores = new ScoreCache({
    pool: bench.deps.pool,
    archive: bench.deps.archive,
    findListed: async () => [],
    openFigures: async requested => {
      reads.push(Number(requested.metric))
      return figuresOf(requested, '2024-01-10')
    },
  })
  for (let age = 1; age <= maxScoredDatasets; age++) await scores.get(wanted(age))
  await scores.get(wanted(1))
  await scores.get(wanted(100))
  expect(scores.size).toBe(maxScoredDatasets)
  await scores.get(wanted(1))
  expect(reads).toEqual([...Array.from({ length: maxScoredDatasets }, (_, i) => i + 1), 100])
  await scores.get(wanted(2))
  expect(reads.at(-1)).toBe(2)
})

test('a read that fails is not cached, and at most two run at a time', async () => {
  let broken = true
  let underWay = 0
  let maxUnderWay = 0
  const gate = Promise.withResolvers<void>()
  bench = openBench()
  const scores = new ScoreCache({
    pool: bench.deps.pool,
    archive: bench.deps.archive,
    findListed: async () => [],
    openFigures: async requested => {
      maxUnderWay = Math.max(maxUnderWay, ++underWay)
      if (underWay === 2) gate.resolve()
      // Both must be in progress at the same time; otherwise this never continues.
      await gate.promise
      await Bun.sleep(10)
      underWay--
      if (broken) throw new Error('the database is away')
      return figuresOf(requested, '2024-01-10')
    },
  })
  const ages = [1, 2, 3, 4, 5]
  const failed = await Promise.allSettled(ages.map(age => scores.get(wanted(age))))
  expect(failed.map(({ status }) => status)).toEqual(ages.map(() => 'rejected'))
  expect([maxUnderWay, scores.size]).toEqual([2, 0])
  broken = false
  // On the only date on which a figure of a day's age counts, seven of the eight assets have a row.
  expect((await scores.get(wanted(1))).assets).toBe(7)
  expect((await scores.get(wanted(100))).assets).toBe(8)
})
