import { Failure } from '../../errors.ts'
import { computeCaller } from '../../http/computeCaller.ts'
import { readPrincipal } from '../../rights/queries.ts'
import type { RightsOf } from '../../rights/rights.ts'
import { joinHeaders, joinTag } from '../asOfJoins/answer.ts'
import { type JoinDeps, runJoin } from '../asOfJoins/join.ts'
import type { Job } from '../backtests/jobs/job.ts'
import { endJob } from '../backtests/jobs/jobQueries.ts'
import type { OpenJob } from '../backtests/jobs/openJobs.ts'
import { readBody } from '../backtests/jobs/submitQueries.ts'
import { readJoinRequest, storeResult } from './queries.ts'

/** Runs a submitted join to its result, as a synchronous request would: the bytes are the same. One that ran halfway has stored nothing. */
export async function runJoinJob(
  deps: JoinDeps & { readonly rightsOf: RightsOf },
  job: Job,
  { signal }: Pick<OpenJob, 'signal'>,
): Promise<void> {
  const { sql, markets } = deps
  const { bodyFormat, format, query } = await readJoinRequest(sql, job.id)
  // The licence is read now, not with the request: the key may have another one by then.
  const rights = deps.rightsOf(await readPrincipal(sql, job.keyId))
  // Its rows were counted when it was submitted.
  const sender = { rights, caller: computeCaller(rights, ''), budget: null }
  const { joined, tag } = await whenThereIsRoom(signal, async () => {
    const body = await readBody(sql, job.id, job.bodyBytes)
    if (body === null) throw new Failure('internal', 'The body of the join has been deleted.')
    const sent = { body, format: bodyFormat, query }
    // Hashed before the join: the bytes move to the thread and are gone here.
    const tag = joinTag(rights, sent, format)
    return { tag, joined: await runJoin(deps, sender, sent, format, signal, 'background') }
  })
  try {
    const result = { headers: joinHeaders(markets, joined, format, tag), bytes: joined.bytes, signal }
    await endJob(sql, job.id, {
      state: 'succeeded',
      dataVersion: joined.dataVersion,
      result: transaction => storeResult(transaction, job.id, result),
    })
  } finally {
    joined.release()
  }
}

const maxWaits = 30
const waitMs = 2_000

/** Full memory turns away requests, whose clients can send them again. A job waits for its turn, for a minute. */
async function whenThereIsRoom<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let waits = 0; ; waits++) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (waits >= maxWaits || !(error instanceof Failure) || error.code !== 'compute_busy') throw error
      await Bun.sleep(waitMs)
    }
  }
}
