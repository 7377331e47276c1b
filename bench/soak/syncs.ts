import { resolve } from 'node:path'
import type { Cluster } from '../../deploy/cluster/cluster.ts'
import { startReplay } from '../../test/ingest/network/replay.ts'

export interface SyncTally {
  readonly runs: number
  readonly done: number
  /** Runs that failed because the database was down. The next run continues them. */
  readonly failed: number
  /** How the last run of each market ended. */
  readonly last: Readonly<Record<string, number>>
  /** Why runs failed. */
  readonly reasons: readonly string[]
}

/** The markets whose request rate lets a run finish within a minute. */
const markets = ['us', 'be', 'nz', 'tw']
const pauseMs = 15_000

/** Runs `asfiled sync` for one market after the other against registers that replay recorded answers. */
export async function startSyncs(cluster: Cluster, folder: string) {
  const replay = await startReplay()
  const last: Record<string, number> = {}
  const reasons: string[] = []
  const tally = { runs: 0, done: 0, failed: 0, last, reasons }
  let isOpen = true
  const run = async (market: string) => {
    const child = Bun.spawn(['bun', 'src/cli.ts', 'sync', market], {
      cwd: resolve(import.meta.dir, '../..'),
      env: { ...process.env, ...cluster.environment, ...replay.settings, DATA_DIR: resolve(folder, 'syncs') },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: 120_000,
    })
    const [code, out, err] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    if (code !== 0) tally.reasons.push(`${market} (${code}): ${(out + err).trim().split('\n').at(-1)}`)
    tally.runs++
    tally.last[market] = code
    if (code === 0) tally.done++
    else tally.failed++
  }
  const working = (async () => {
    for (let place = 0; isOpen; place++) {
      await run(markets[place % markets.length])
      for (let waited = 0; isOpen && waited < pauseMs; waited += 500) await Bun.sleep(500)
    }
  })()
  return {
    /** Stops, after one more run of each market whose last run failed. */
    async stop(): Promise<SyncTally> {
      isOpen = false
      await working
      for (let left = 2; left > 0; left--)
        for (const [market, code] of Object.entries(tally.last)) if (code !== 0) await run(market)
      await replay.stop()
      return tally
    },
  }
}
