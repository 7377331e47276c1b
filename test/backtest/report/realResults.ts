import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { decodeResult } from '../../../src/backtest/pipeline/encodeResult.ts'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { reportSections } from '../../../src/backtest/report/reportSections.ts'
import type { BacktestResult } from '../../../src/backtest/result.ts'
import { dayNumber } from '../../../src/dates.ts'
import { runBacktest } from '../../../src/features/backtests/run.ts'
import { asPanel, openBench, signals } from '../../features/backtests/backtestBench.ts'
import type { ResolvedSignal } from '../../features/signals/signalDays.ts'

/** Pages of the engine, each with the data of the same request. */

const sample = new URL('../../../sample/signals.csv.gz', import.meta.url)

async function* shippedSignals(horizon: string) {
  const rows: ResolvedSignal[] = []
  const lines = gunzipSync(readFileSync(sample)).toString().trim().split('\n').slice(1)
  for (const line of lines) {
    const [date, ticker, market, of, predicted, actual] = line.split(',')
    if (of !== horizon || actual === '') continue
    rows.push({ day: dayNumber(date), ticker, market, predicted: Number(predicted), actual: Number(actual) })
  }
  yield rows
}

/** No name has a score in March. */
const gapPanel = asPanel(signals(120)).map(row =>
  row.date.slice(5, 7) === '03' ? { ...row, score: null } : row,
)

export const requests: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'the shipped archive, one configuration': {},
  'the shipped archive, the default sweep': { sweep: true },
  'four names on thirty days': { panel: asPanel(signals(30, 4)) },
  'a sweep with a month of empty periods': {
    panel: gapPanel,
    sweep: { holdDays: [1, 5], quantile: [0.1, 0.3] },
  },
}

export interface RealResult {
  readonly page: string
  readonly result: BacktestResult
}

export function openEngine() {
  const bench = openBench({ loadArchive: shippedSignals, timeLimitMs: 120_000 })
  const run = (body: object, resultFormat: 'json' | 'html') =>
    runBacktest(bench.deps, new TextEncoder().encode(JSON.stringify(body)), undefined, {
      caller: operator,
      resultFormat,
    })
  return {
    bench,
    close: bench.close,
    page: async (body: object) => new TextDecoder().decode((await run(body, 'html')).bytes),
    data: async (body: object) => decodeResult(await run(body, 'json')),
    /** The page of a request, and the data of the same request with what the page shows. */
    async both(body: Readonly<Record<string, unknown>>): Promise<RealResult> {
      const include = reportSections(body.sweep !== undefined)
      return { page: await this.page(body), result: await this.data({ ...body, include }) }
    },
  }
}
