import type { ArchiveRequest } from '../../src/compute/protocol.ts'
import { packSignals } from '../../src/domain/backtests/packSignals.ts'
import { loadMarkets } from '../../src/domain/markets/loadMarkets.ts'
import { loadSignalsSample } from '../../src/domain/signals/loadSignalsSample.ts'
import { streamResolvedSignals } from '../../src/domain/signals/streamResolvedSignals.ts'
import type { BacktestResult } from '../../src/model/backtestResult.ts'
import { runArchiveBacktest } from '../../workers/backtest/runArchiveBacktest.ts'
import { buildArchive } from '../../workers/dataset/buildArchive.ts'
import { scratchDatabase } from '../scratchDatabase.ts'

export interface ArchiveKernel {
  readonly rows: number
  /** The request on the shipped sample's archive, in this thread. */
  run(request: ArchiveRequest, dataVersion: number): BacktestResult
}

/** The archive as the server's workers have it, without the server. */
export async function openArchiveKernel(): Promise<ArchiveKernel> {
  const data = await scratchDatabase(async sql => {
    await loadSignalsSample(sql)
    return buildArchive({ columns: await packSignals(streamResolvedSignals(sql, { horizon: '1d' })) })
  })
  const costs = (await loadMarkets()).costs.plain
  return {
    rows: data.asset.length,
    run: (request, dataVersion) => runArchiveBacktest({ data, request, costs, dataVersion }),
  }
}
