import { Failure } from '../../errors.ts'
import { computeCaller } from '../../http/computeCaller.ts'
import { endJob } from '../../jobs/endJobQueries.ts'
import { startRound } from '../../jobs/jobQueries.ts'
import { inputOf } from '../../jobs/kind.ts'
import type { OpenJob } from '../../jobs/openJobs.ts'
import { readBody } from '../../jobs/submitQueries.ts'
import { type JobTask, jobTask, RoundPayload, type RoundTask } from '../../jobs/tasks.ts'
import { readPrincipal } from '../../rights/queries.ts'
import { storeResults } from '../asOfJoins/resultQueries.ts'
import { type JoinJobDeps, whenThereIsRoom } from '../asOfJoins/runJob.ts'
import { auditTag, writeAudit } from './answer.ts'
import type { AuditDeps } from './filedFigures.ts'
import { auditKind } from './jobKind.ts'
import { openAudit, runAudit } from './runAudit.ts'
import { auditFormats } from './schema.ts'

export type AuditJobDeps = JoinJobDeps & AuditDeps

/** The task that runs audits as jobs. */
export const auditTasks = (deps: AuditJobDeps): readonly JobTask[] => [
  jobTask(auditKind.firstTask, RoundPayload, (openJob, task) => runAuditJob(deps, openJob, task)),
]

/**
 * Runs an audit and stores its report, and its rows in the formats that were asked for, each with the bytes of a synchronous
 * response. An interrupted run stores nothing.
 */
async function runAuditJob(
  deps: AuditJobDeps,
  { signal }: OpenJob,
  { jobId, round }: RoundTask,
): Promise<void> {
  const { sql, markets } = deps
  const job = await startRound(sql, jobId, round)
  if (job === null) return
  const { format, query } = inputOf(auditKind, job)
  // The licence is read when the job runs, because it may have changed since the request.
  const rights = deps.rightsOf(await readPrincipal(sql, job.keyId))
  // The rows were counted when the audit was submitted.
  const sender = { rights, caller: computeCaller(rights, ''), budget: null }
  const { audit, tag } = await whenThereIsRoom(signal, async () => {
    const body = await readBody(sql, job.id, job.bodyBytes)
    if (body === null) throw new Failure('internal', 'The body of the audit has been deleted.')
    const sent = { body, format, query: query.settings }
    const read = await openAudit(deps, sender, sent, signal)
    return {
      tag: auditTag(rights, sent),
      audit: await runAudit(deps, sender, read, query.formats, signal, 'background'),
    }
  })
  try {
    const stored = auditFormats.filter(
      name => name === 'html' || name === 'json' || query.formats.includes(name),
    )
    const results = stored.map(name => ({ name, ...writeAudit(markets, audit, name, tag) }))
    await endJob(sql, job.id, {
      state: 'succeeded',
      dataVersion: audit.dataVersion,
      result: transaction => storeResults(transaction, job.id, results, signal),
    })
  } finally {
    audit.release()
  }
}
