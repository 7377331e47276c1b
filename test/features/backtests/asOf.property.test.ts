import { afterAll, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import type { ResolvedSignal } from '../signals/signalDays.ts'
import { openBench } from './backtestBench.ts'

const sample = await Bun.file(new URL('../../../sample/signals.csv.gz', import.meta.url)).bytes()
const rows = readSample(gunzipSync(sample).toString('utf8'), '1d')

function readSample(text: string, horizon: string): ResolvedSignal[] {
  const [, ...lines] = text.trimEnd().split(/\r?\n/)
  const signals: ResolvedSignal[] = []
  for (const line of lines) {
    const [date, ticker, market, rowHorizon, predicted, actual] = line.split(',')
    if (rowHorizon !== horizon) continue
    signals.push({
      day: dayNumber(date),
      ticker,
      market,
      predicted: Number(predicted),
      actual: Number(actual),
    })
  }
  return signals.sort((a, b) => a.day - b.day || (a.ticker < b.ticker ? -1 : 1))
}

const days = [...new Set(rows.map(row => row.day))]

let archive: readonly ResolvedSignal[] = []
let version = 0
// One pool of threads for all cases: a thread takes longer to start than a backtest to run.
const bench = openBench({
  dataVersion: () => version,
  loadArchive: async function* () {
    yield [...archive]
  },
})
afterAll(bench.close, 60_000)

/** A backtest on an archive that has only these signals. */
async function run(signals: readonly ResolvedSignal[], request: object): Promise<object> {
  archive = signals
  version++
  const { data_version, request: echo, ...result } = await bench.run(request)
  expect([data_version, echo?.data_version]).toEqual([version, version])
  return { ...result, request: { ...echo, data_version: null } }
}

// The archive of the sample ends in 2017: everything after `to` is the future of a backtest that ends there.
test('a backtest up to a day is the one that the archive of that day would have given', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 30, max: days.length - 2 }),
      fc.constantFrom(1, 5, 21),
      fc.constantFrom('equal', 'rank', 'score'),
      async (last, holdDays, weighting) => {
        const to = days[last]
        const config = { holdDays, weighting, quantile: 0.2 }
        const cut = await run(rows, { source: { to: isoDate(to) }, config })
        const then = await run(
          rows.filter(row => row.day <= to),
          { config },
        )
        const plain = { source: null, request: null }
        expect({ ...cut, ...plain }).toEqual({ ...then, ...plain })
      },
    ),
    { numRuns: 12 },
  )
}, 240_000)

/** Six tickers whose scores tie, so that the order of names decides who is held. */
function tied(): ResolvedSignal[] {
  return days.slice(0, 40).flatMap((day, t) =>
    ['A', 'A1', 'A.', 'B', 'B-', 'C'].map((ticker, i) => ({
      day,
      ticker,
      market: 'US',
      predicted: (i + t) % 2,
      actual: Math.cos(78.233 * i + 2.3 * t) / 40,
    })),
  )
}

// A second listing renames the first IDs to A:US and B:US, which sort differently from A and B.
test('a ticker that is listed in another market later settles no tie of the days before', async () => {
  const later = ['A', 'B'].map(ticker => ({
    day: days[41],
    ticker,
    market: 'TW',
    predicted: 1,
    actual: 0.1,
  }))
  const config = { quantile: 0.2, holdDays: 2 }
  for (const source of [{ to: isoDate(days[39]) }, { to: isoDate(days[39]), market: 'US' }]) {
    const then = await run(tied(), { source, config })
    expect(await run([...tied(), ...later], { source, config })).toEqual(then)
  }
}, 240_000)
