import { expect, test } from 'bun:test'
import { childrenOf } from '../../deploy/cluster/processes.ts'
import { makeDataDir, removeDataDir, startServerProcess } from '../boot/serverProcess.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { scrape } from './metricsProcess.ts'

if (!process.env.LONG) console.warn('Skipped without LONG=1: it starts an embedded PostgreSQL and stops it.')

const figures = '/api/v1/fundamentals?ticker=AAPL&view=latest'

test.skipIf(!process.env.LONG)(
  'without a database, and under load, the metrics of the process still come',
  async () => {
    const folder = makeDataDir()
    const own = await startServerProcess(folder, {
      METRICS_PORT: '0',
      LOG_LEVEL: 'silent',
      COMPUTE_THREADS: '1',
    })
    let running = true
    const load = Array.from({ length: 64 }, async () => {
      while (running)
        await own.get(figures).then(
          answer => answer.arrayBuffer(),
          () => {},
        )
    })
    try {
      const busy = await scrape(own)
      expect(busy.get('asfiled_database_up')).toBe(1)
      const pid = Number(await postmaster(folder))
      expect(pid).toBeGreaterThan(1)
      // Stopped, it accepts connections and answers none, and the server that watches over it cannot start another.
      process.kill(pid, 'SIGSTOP')
      const stopped = childrenOf(pid)
      for (const child of stopped) process.kill(child, 'SIGSTOP')
      await Bun.sleep(6_000)
      const down = await scrape(own)
      expect(down.get('asfiled_database_up')).toBe(0)
      expect(down.get('process_resident_memory_bytes')).toBeGreaterThan(0)
      expect(nonEmpty(down.keys()).some(name => name.startsWith('asfiled_jobs'))).toBe(false)
      for (const one of [pid, ...stopped]) process.kill(one, 'SIGCONT')
    } finally {
      running = false
      own.signal('SIGKILL')
      await own.exited
      await Promise.all(load)
      const pid = Number((await postmaster(folder)) ?? 0)
      if (pid > 1) process.kill(pid, 'SIGTERM')
      await Bun.sleep(2_000)
      removeDataDir(folder)
    }
  },
  300_000,
)

/** The process id of the PostgreSQL of a folder. */
async function postmaster(folder: string): Promise<string | null> {
  for await (const file of new Bun.Glob('**/postmaster.pid').scan({ cwd: folder, dot: true }))
    return (await Bun.file(`${folder}/${file}`).text()).split('\n')[0]
  return null
}
