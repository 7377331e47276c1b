import { addBusinessDays } from '../../../src/backtest/dataset/calendar.ts'
import { decodeResult } from '../../../src/backtest/pipeline/encodeResult.ts'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../src/backtest/pool/computePool.ts'
import type { BacktestResult } from '../../../src/backtest/result.ts'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import { ArchiveCache, type ArchiveDeps } from '../../../src/features/backtests/archive.ts'
import { type BacktestDeps, runBacktest } from '../../../src/features/backtests/run.ts'
import { type Horizon, horizons } from '../../../src/horizons.ts'
import type { MarketCosts } from '../../../src/markets/costs.ts'
import { packDays, type ResolvedSignal } from '../signals/signalDays.ts'

export const costs: MarketCosts = {
  markets: {
    US: { roundTripBps: 5, source: 'the US manifest', date: '2024-05-22' },
    TW: { roundTripBps: 45, source: 'the TW manifest', date: '2017-04-28' },
  },
  standard: { roundTripBps: 20, source: 'the default manifest', date: '2026-01-01' },
}

/** Signals of `dates` business days: two markets, deterministic, with gaps. */
export function signals(dates: number, names = 12): ResolvedSignal[] {
  const rows: ResolvedSignal[] = []
  let day = dayNumber('2024-01-01')
  for (let t = 0; t < dates; t++) {
    for (let i = 0; i < names; i++) {
      if ((t + 3 * i) % 11 === 0) continue
      const predicted = Math.sin(12.9898 * i + 0.7 * t) / 100
      const actual = Math.cos(78.233 * i + 2.3 * t) / 40 + predicted / 5
      rows.push({ day, ticker: `T${i}`, market: i % 3 === 0 ? 'TW' : 'US', predicted, actual })
    }
    day = addBusinessDays(day, 1)
  }
  return rows
}

/** The same signals as a request's panel. */
export function asPanel(rows: ResolvedSignal[]) {
  return rows.map(({ day, ticker, market, predicted, actual }) => ({
    date: isoDate(day),
    asset: ticker,
    market,
    score: predicted,
    forward_return: actual,
  }))
}

export interface Bench {
  deps: BacktestDeps
  run: (body: unknown) => Promise<BacktestResult>
  close: () => Promise<void>
}

export interface BenchArchive {
  readonly dataVersion?: ArchiveDeps['dataVersion']
  readonly loadArchive?: (horizon: Horizon) => AsyncIterable<readonly ResolvedSignal[]>
  readonly listHorizons?: ArchiveDeps['listHorizons']
  readonly timeLimitMs?: number
  /** Closed by whoever made it. */
  readonly pool?: ComputePool
}

export const benchPool = (timeLimitMs = 20_000) => new ComputePool({ threads: 2, queue: 50, timeLimitMs })

async function* usualSignals() {
  const rows = signals(80)
  for (let i = 0; i < rows.length; i += 100) yield rows.slice(i, i + 100)
}

/** Domain, pool and worker threads for real; only the rows come from memory. */
export function openBench({
  dataVersion = () => 7,
  loadArchive = usualSignals,
  listHorizons = async () => horizons,
  timeLimitMs,
  pool = benchPool(timeLimitMs),
}: BenchArchive = {}): Bench {
  const deps = {
    pool,
    costs,
    archive: new ArchiveCache({
      pool,
      dataVersion,
      listHorizons,
      loadArchive: async function* (horizon) {
        for await (const some of loadArchive(horizon)) yield packDays(some)
      },
    }),
  }
  return {
    deps,
    run: async body =>
      decodeResult(
        await runBacktest(deps, new TextEncoder().encode(JSON.stringify(body)), undefined, {
          caller: operator,
        }),
      ),
    close: () => pool.close(),
  }
}
