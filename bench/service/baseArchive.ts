import type { ArchiveRequest } from '../../src/backtest/codec/settings.ts'
import type { Columns } from '../../src/backtest/dataset/dataset.ts'
import { buildArchive } from '../../src/backtest/pipeline/archiveDataset.ts'
import { runArchiveBacktest } from '../../src/backtest/pipeline/runRequest.ts'
import type { BacktestResult } from '../../src/backtest/result.ts'
import { openDatabase } from '../../src/boot/database.ts'
import { readConfig } from '../../src/config.ts'
import { isoDate } from '../../src/dates.ts'
import { importSignals } from '../../src/features/signals/import/importSignals.ts'
import { streamResolvedSignals } from '../../src/features/signals/queries.ts'
import { loadMarkets } from '../../src/markets/markets.ts'

/** A horizon for which the shipped sample has no signals. */
export const horizon = '3d'
const markets = ['US', 'JP', 'KR', 'TW']

export interface ArchiveKernel {
  /** Runs a request on the archive in this thread. */
  run(request: ArchiveRequest, dataVersion: number): BacktestResult
}

/** Imports the rows as signals into the database of the server with this environment, and loads them as its workers do. */
export async function importArchive(
  env: Record<string, string | undefined>,
  columns: Columns,
): Promise<ArchiveKernel> {
  const database = await openDatabase(readConfig(env), 0, () => {})
  try {
    const file = { name: 'base case', bytes: asCsv(columns) }
    const markets = await loadMarkets()
    const { added, faults, ...counts } = await importSignals(database.sql, file, {
      correct: false,
      now: () => new Date(),
      markets,
    })
    if (added !== columns.count)
      throw new Error(
        `${added} of ${columns.count} signals were imported: ${JSON.stringify({ ...counts, faults: faults.slice(0, 3) })}`,
      )
    const days = await Array.fromAsync(streamResolvedSignals(database.sql, horizon))
    const data = buildArchive(days.flat())
    const costs = markets.costs.plain
    return { run: (request, dataVersion) => runArchiveBacktest({ data, request, costs, dataVersion }) }
  } finally {
    await database.close()
  }
}

function asCsv({ count, day, asset, market, score, forwardReturn, assetNames }: Columns) {
  const encoder = new TextEncoder()
  let row = 0
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const lines = row === 0 ? ['date,ticker,market,horizon,predicted_pct,actual_pct\n'] : []
      for (const end = Math.min(count, row + 10_000); row < end; row++) {
        const names = `${isoDate(day[row])},${assetNames[asset[row]]},${markets[market[row]]}`
        lines.push(`${names},${horizon},${score[row]},${forwardReturn[row]}\n`)
      }
      controller.enqueue(encoder.encode(lines.join('')))
      if (row === count) controller.close()
    },
  })
}
