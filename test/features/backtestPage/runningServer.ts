import { startJobs } from '../../../src/boot/jobs.ts'
import { auditTasks } from '../../../src/features/audits/runJob.ts'
import { backtestTasks } from '../../../src/features/backtests/submitted/tasks.ts'
import { type RealServer, type RealServerOptions, realServer } from '../../http/realServer.ts'

/** A test server on the shipped sample that runs submitted backtests and audits, too. */
export async function runningServer(options: RealServerOptions = {}): Promise<RealServer> {
  const server = await realServer(options)
  const { resources, databaseUrl: url } = server
  const stopJobs = await startJobs(
    { url, concurrency: 2, drainTimeoutMs: 5_000 },
    {
      ...resources,
      tasks: [...backtestTasks(resources), ...auditTasks(resources)],
      explain: resources.storage.explain,
      report: () => {},
    },
  )
  return {
    ...server,
    stop: async () => {
      await stopJobs()
      await server.stop()
    },
  }
}
