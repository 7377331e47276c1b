import { Elysia } from 'elysia'
import { type Answer, type RequestContext, requireQuant } from '../../http/context.ts'
import { noQuery, pathReader, queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { plainAnswer } from '../../jobs/answers.ts'
import type { Job } from '../../jobs/job.ts'
import { readJob } from '../backtests/submitted/keyJobs.ts'
import { revokeOperation, shareOperation, sharesOperation } from './documentation.ts'
import { listShares } from './queries.ts'
import { defaultDays, reportFacts, ShareParams, ShareQuery } from './schema.ts'
import { revokeShare, type ShareDeps, shareReport } from './share.ts'

const path = '/api/v1/backtests/:id/shares'
const readId = pathReader('id', ShareParams.properties.id)
const readShare = pathReader('share', ShareParams.properties.share)
const readQuery = queryReader(ShareQuery)

/** /api/v1/backtests/{id}/shares: the public addresses of a backtest's report. */
export function sharedReportRoutes(http: HttpPlugin, deps: ShareDeps) {
  return new Elysia({ name: 'sharedReports' })
    .use(http)
    .post(path, ({ context }) => share(deps, context), { ...shareOperation, parse: 'none' })
    .get(path, ({ context }) => list(deps, context), { ...sharesOperation })
    .delete(`${path}/:share`, ({ context }) => revoke(deps, context), { ...revokeOperation, parse: 'none' })
}

/** The backtest that the path names. If it belongs to another key, this fails as if it had never existed. */
async function jobOf({ sql }: ShareDeps, context: RequestContext): Promise<Job> {
  const keyId = requireQuant(context)
  return readJob(sql, keyId, readId(context.path.split('/')[4] ?? ''))
}

async function share(deps: ShareDeps, context: RequestContext): Promise<Answer> {
  requireQuant(context)
  const { queryText } = context
  const { expires_in_days: days = defaultDays } = queryText === '' ? {} : readQuery(queryText)
  const { report, url } = await shareReport(deps, await jobOf(deps, context), days, context.address)
  return plainAnswer({ ...reportFacts(report), url })
}

async function list(deps: ShareDeps, context: RequestContext): Promise<Answer> {
  noQuery(context)
  const job = await jobOf(deps, context)
  const data = (await listShares(deps.sql, job.id)).map(reportFacts)
  return plainAnswer({ object: 'shared_report_list', count: data.length, data })
}

async function revoke(deps: ShareDeps, context: RequestContext): Promise<Answer> {
  noQuery(context)
  const job = await jobOf(deps, context)
  const id = readShare(context.path.split('/')[6] ?? '')
  await revokeShare(deps.sql, job, id, context.address)
  return plainAnswer({ object: 'shared_report', id, deleted: true })
}
