import type { Outcome } from '../../compute/protocol.ts'
import { Failure } from '../../errors.ts'
import type { Job } from '../../model/job.ts'
import { readBody } from '../../store/jobs/bodies.ts'
import { prepareBacktest } from '../backtests/prepareBacktest.ts'
import type { OpenJob } from './OpenJobs.ts'
import { whenThereIsRoom } from './whenThereIsRoom.ts'
import type { JobWork } from './work.ts'

/** What this process makes of a job's body, made once for each round. */
export function prepareJob(work: JobWork, open: OpenJob, job: Job): Promise<Outcome> {
  if (open.prepared?.round === job.round) return open.prepared.backtest
  const backtest = prepare(work, open, job)
  const prepared = { round: job.round, backtest }
  open.prepared = prepared
  backtest.catch(() => {
    if (open.prepared === prepared) open.prepared = null
  })
  return backtest
}

/** The body waits for room in memory: to read it for every look whether there is some would be 256 MB five times a
 * second, from a database that is busy too. */
async function prepare({ sql, backtests }: JobWork, { signal }: OpenJob, job: Job): Promise<Outcome> {
  const read = () => readBody(sql, job.id, job.bodyBytes)
  let body = await read()
  return whenThereIsRoom(signal, async () => {
    // A try that came as far as a thread gave the bytes to it.
    if (body?.byteLength !== job.bodyBytes) body = await read()
    if (body === null) throw new Failure('internal', 'The body of the backtest is no longer there.')
    const visit = backtests.pool.enter()
    try {
      const { bodyFormat: format, bodyQuery: query, keyId } = job
      return await prepareBacktest(backtests, body, { signal, visit }, { format, query, keyId })
    } finally {
      backtests.pool.leave(visit)
    }
  })
}
