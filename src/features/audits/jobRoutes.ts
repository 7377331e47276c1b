import { Elysia } from 'elysia'
import { Failure } from '../../errors.ts'
import { spool } from '../../formats/spool.ts'
import { dataHeaders, encodedAnswer, jsonType, notModified, streamAnswer } from '../../http/answers.ts'
import { compressions } from '../../http/compression.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { entityTag } from '../../http/etag.ts'
import { noQuery, pathReader, queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { acceptedFormat, prefersHtml } from '../../http/preferences.ts'
import { plainAnswer } from '../../jobs/answers.ts'
import { cancelJob } from '../../jobs/endJobQueries.ts'
import { type Job, jobRetentionDays } from '../../jobs/job.ts'
import { findJob } from '../../jobs/jobQueries.ts'
import type { Sql } from '../../postgres/client.ts'
import { findNamedResult, readParts } from '../asOfJoins/resultQueries.ts'
import { auditJobOperation, auditResultOperation, cancelAuditOperation } from './documentation.ts'
import { auditKind } from './jobKind.ts'
import { requireAuditKey } from './ownKey.ts'
import { type AuditFormat, AuditParams, AuditResultQuery, auditSummary } from './schema.ts'

interface AuditJobRouteDeps {
  readonly sql: Sql
  readonly settings: { readonly baseUrl: string }
}

const path = '/api/v1/audits'
const readId = pathReader('id', AuditParams.properties.id)
const readQuery = queryReader(AuditResultQuery)

/** The routes under /api/v1/audits, for audits that run as jobs. */
export function auditJobRoutes(http: HttpPlugin, deps: AuditJobRouteDeps) {
  return new Elysia({ name: 'auditJobs' })
    .use(http)
    .get(`${path}/:id`, ({ context }) => read(deps, context), { ...auditJobOperation })
    .get(`${path}/:id/result`, ({ context }) => readResult(deps, context), { ...auditResultOperation })
    .delete(`${path}/:id`, ({ context }) => cancel(deps, context), { ...cancelAuditOperation, parse: 'none' })
}

/** The audit that the path names. If it belongs to another key, this fails as if it had never existed. */
async function jobOf({ sql }: AuditJobRouteDeps, context: RequestContext): Promise<Job> {
  const keyId = requireAuditKey(context)
  const id = readId(context.path.slice(path.length + 1).split('/')[0])
  const job = await findJob(sql, id, auditKind)
  if (job?.keyId === keyId) return job
  throw new Failure(
    'entity_unknown',
    `This key has no audit ${id}. A finished one is deleted after ${jobRetentionDays} days, or earlier if newer results of the key need the space.`,
    { param: 'id' },
  )
}

async function read(deps: AuditJobRouteDeps, context: RequestContext): Promise<Answer> {
  noQuery(context)
  const text = JSON.stringify(auditSummary(await jobOf(deps, context), deps.settings.baseUrl))
  const headers = dataHeaders(jsonType, entityTag(0, text))
  return notModified(context, headers) ?? encodedAnswer(context, text, headers)
}

async function readResult(deps: AuditJobRouteDeps, context: RequestContext): Promise<Answer> {
  const { sql } = deps
  const { format: asked } = context.queryText === '' ? {} : readQuery(context.queryText)
  const accept = context.request.headers.get('accept')
  const format = asked ?? (prefersHtml(accept) ? 'html' : acceptedFormat(accept))
  const job = await jobOf(deps, context)
  const result = job.state === 'succeeded' ? await findNamedResult(sql, job.id, format) : null
  if (result === null) throw noResult(job, format)
  const { headers, first, parts } = result
  const same = notModified(context, headers)
  if (same !== null) return same
  const body = spool(readParts(sql, job.id, parts, first), () => {})
  return streamAnswer(context, body, headers, compressions.marketRows)
}

function noResult({ id, state, finishedAt }: Job, format: AuditFormat): Failure {
  if (state === 'succeeded') {
    return new Failure(
      'conflict',
      `The rows of this audit were not stored as ${format}. It has a report as json and html; send the rows again with format=${format}.`,
      { param: 'format' },
    )
  }
  if (finishedAt === null) {
    return new Failure('conflict', `The audit is ${state}: it has no result yet. Try again in a moment.`, {
      retryAfterSeconds: 1,
    })
  }
  return new Failure(
    'conflict',
    `The audit has no result: it is ${state}. GET ${path}/${id} says why. Submit it again.`,
    { param: 'id' },
  )
}

async function cancel(deps: AuditJobRouteDeps, context: RequestContext): Promise<Answer> {
  noQuery(context)
  const { id, keyId } = await jobOf(deps, context)
  await cancelJob(deps.sql, id, keyId)
  return plainAnswer(auditSummary(await jobOf(deps, context), deps.settings.baseUrl))
}
