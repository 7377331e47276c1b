import { Elysia } from 'elysia'
import type { AccessDeps } from '../../access/authenticate.ts'
import { Failure } from '../../errors.ts'
import { spool } from '../../formats/spool.ts'
import { redirectAnswer } from '../../http/answers.ts'
import type { BodyReader } from '../../http/body.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { useFileForm } from '../../http/fileForm.ts'
import { personalHeaders } from '../../http/headers.ts'
import { noQuery } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { prefersHtml } from '../../http/preferences.ts'
import { cancelJob } from '../../jobs/endJobQueries.ts'
import type { Job } from '../../jobs/job.ts'
import { findJob } from '../../jobs/jobQueries.ts'
import type { Sql } from '../../postgres/client.ts'
import { findNamedResult, readParts } from '../asOfJoins/resultQueries.ts'
import { auditKind } from '../audits/jobKind.ts'
import type { AuditFormat } from '../audits/schema.ts'
import { answerPage, reportHeaders, unstored } from './answers.ts'
import { missingRunPage, runPage, runPath } from './runPage.ts'

export interface RunRouteDeps {
  readonly sql: Sql
  readonly access: AccessDeps
  readonly bodies: BodyReader
}

const path = '/audit/runs/:id'
const page = { access: 'page', detail: { hide: true } } as const
const form = { ...page, access: 'pageForm', parse: 'none' } as const
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const youngMs = 60_000

/** /audit/runs/{id} and its subpages: an audit's progress, report and downloads, for those who have its key. */
export function runRoutes(http: HttpPlugin, deps: RunRouteDeps) {
  const result = (format: AuditFormat) => (context: RequestContext) => answerResult(deps, context, format)
  // `async` is required in handlers: Elysia awaits an answer only if the handler's source text looks asynchronous.
  return new Elysia({ name: 'auditRuns' })
    .use(http)
    .get(path, async ({ context }) => showRun(deps, context), { ...page })
    .get(`${path}/report`, async ({ context }) => result('html')(context), { ...page })
    .get(`${path}/csv`, async ({ context }) => result('csv')(context), { ...page })
    .get(`${path}/parquet`, async ({ context }) => result('parquet')(context), { ...page })
    .get(`${path}/json`, async ({ context }) => result('json')(context), { ...page })
    .post(`${path}/cancel`, async ({ context }) => cancel(deps, context), { ...form })
}

/** The audit that the path names. Another key's gives null, as if it had never existed. */
async function findRun({ sql }: RunRouteDeps, context: RequestContext): Promise<Job | null> {
  const { keyId } = context.authenticatedCaller.rights
  const id = context.path.split('/')[3] ?? ''
  if (keyId === null || !uuid.test(id)) return null
  const job = await findJob(sql, id, auditKind)
  return job?.keyId === keyId ? job : null
}

async function requireRun(deps: RunRouteDeps, context: RequestContext): Promise<Job> {
  const job = await findRun(deps, context)
  if (job !== null) return job
  throw new Failure(
    'entity_unknown',
    'There is no audit at this address, or it belongs to another account.',
    { param: 'id' },
  )
}

async function showRun(deps: RunRouteDeps, context: RequestContext): Promise<Answer> {
  noQuery(context)
  const isPage = prefersHtml(context.request.headers.get('accept'))
  const job = isPage ? await findRun(deps, context) : await requireRun(deps, context)
  if (job === null) return answerPage(context, 404, missingRunPage())
  const isYoung = deps.access.epochMs() - job.createdAt.getTime() < youngMs
  return answerPage(context, 200, runPage(job, isYoung ? 2 : 15))
}

async function answerResult(
  deps: RunRouteDeps,
  context: RequestContext,
  format: AuditFormat,
): Promise<Answer> {
  noQuery(context)
  const { sql } = deps
  const { id, state } = await requireRun(deps, context)
  const result = state === 'succeeded' ? await findNamedResult(sql, id, format) : null
  if (result === null)
    throw new Failure('conflict', `This audit has no result: it is ${state}.`, { param: 'id' })
  const { ETag: _, ...stored } = result.headers
  const own = format === 'html' ? reportHeaders : stored
  const headers = personalHeaders({ ...own, ...unstored })
  return { status: 200, headers, body: spool(readParts(sql, id, result.parts, result.first), () => {}) }
}

async function cancel(deps: RunRouteDeps, context: RequestContext): Promise<Answer> {
  return useFileForm(context, deps.bodies, { names: [], maxLength: 0 }, async () => {
    const { id, keyId } = await requireRun(deps, context)
    await cancelJob(deps.sql, id, keyId)
    return redirectAnswer(runPath(id))
  })
}
