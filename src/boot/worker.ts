import { ComputePool } from '../backtest/pool/computePool.ts'
import type { Config } from '../config.ts'
import { ArchiveCache } from '../features/backtests/archive.ts'
import { JobNews } from '../features/backtests/jobs/events.ts'
import { streamResolvedSignals } from '../features/signals/archive.ts'
import { createLog } from '../http/log.ts'
import { loadMarkets } from '../markets/markets.ts'
import { explainDatabaseError } from '../postgres/errors.ts'
import { readDataVersion } from '../postgres/snapshot.ts'
import { makePanels, makeScores } from './backtests.ts'
import { openDatabase, superviseDatabase } from './database.ts'
import { startJobs } from './jobs.ts'
import { endOnSignal } from './signals.ts'

/** Runs submitted backtests until SIGINT or SIGTERM, then finishes what is under way and ends the process. */
export async function runWorker(config: Config): Promise<void> {
  const opened = new AsyncDisposableStack()
  const announce = (line: string) => console.log(`asfiled worker: ${line}`)
  endOnSignal(opened, 'finishing what is under way ...', announce)
  const log = createLog(config.logLevel)
  const database = await openDatabase(config, config.statementTimeoutMs, announce)
  opened.defer(() => database.close())
  const { sql, url } = database
  const stopSupervising = superviseDatabase(database, line => log.warn(line))
  opened.defer(async () => stopSupervising())
  const pool = new ComputePool({
    threads: config.computeThreads,
    queue: config.computeQueue,
    timeLimitMs: config.computeTimeoutMs,
  })
  opened.defer(() => pool.close())
  const markets = await loadMarkets()
  const archive = new ArchiveCache({
    pool,
    dataVersion: () => readDataVersion(sql),
    loadArchive: horizon => streamResolvedSignals(sql, horizon),
  })
  const panels = makePanels({ sql, pool, config })
  const concurrency = Math.max(1, config.jobConcurrency)
  const stopJobs = await startJobs(
    { url, concurrency, patienceMs: config.drainTimeoutMs },
    {
      sql,
      backtests: {
        ...{ pool, archive, markets: markets.costs.plain, openPanel: panels.open },
        openScored: makeScores({ sql, pool, archive, markets }),
      },
      processId: crypto.randomUUID(),
      explain: explainDatabaseError,
      report: (message, error) => log.warn(error === null ? {} : { err: error }, message),
      news: new JobNews(),
    },
  )
  opened.defer(stopJobs)
  announce(`ready; takes ${concurrency} ${concurrency === 1 ? 'task' : 'tasks'} at a time. Ctrl-C ends it.`)
}
