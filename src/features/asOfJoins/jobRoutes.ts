import { Elysia } from 'elysia'
import { Failure } from '../../errors.ts'
import { spool } from '../../formats/spool.ts'
import { dataHeaders, encodedAnswer, jsonType, notModified, streamAnswer } from '../../http/answers.ts'
import { compressions } from '../../http/compression.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { entityTag } from '../../http/etag.ts'
import { noQuery, pathReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { plainAnswer } from '../../jobs/answers.ts'
import { cancelJob } from '../../jobs/endJobQueries.ts'
import { type Job, jobRetentionDays } from '../../jobs/job.ts'
import { findJob } from '../../jobs/jobQueries.ts'
import type { Sql } from '../../postgres/client.ts'
import { cancelJoinOperation, joinJobOperation, joinResultOperation } from './jobDocumentation.ts'
import { joinKind } from './jobKind.ts'
import { AsOfJoinParams, joinSummary } from './jobSchema.ts'
import { findResult, readParts } from './resultQueries.ts'
import { requireOwnKey } from './submit.ts'

interface JoinJobRouteDeps {
  readonly sql: Sql
  readonly settings: { readonly baseUrl: string }
}

const path = '/api/v1/as-of'
const readId = pathReader('id', AsOfJoinParams.properties.id)

/** The routes under /api/v1/as-of, for joins submitted with `Prefer: respond-async`. */
export function joinJobRoutes(http: HttpPlugin, deps: JoinJobRouteDeps) {
  return new Elysia({ name: 'joinJobs' })
    .use(http)
    .get(`${path}/:id`, ({ context }) => read(deps, context), { ...joinJobOperation })
    .get(`${path}/:id/result`, ({ context }) => readResult(deps, context), { ...joinResultOperation })
    .delete(`${path}/:id`, ({ context }) => cancel(deps, context), { ...cancelJoinOperation, parse: 'none' })
}

/** The join that the path names. If it belongs to another key, this fails as if it had never existed. */
async function jobOf({ sql }: JoinJobRouteDeps, context: RequestContext): Promise<Job> {
  const keyId = requireOwnKey(context)
  noQuery(context)
  const id = readId(context.path.slice(path.length + 1).split('/')[0])
  const job = await findJob(sql, id, joinKind)
  if (job?.keyId === keyId) return job
  throw new Failure(
    'entity_unknown',
    `This key has no submitted join ${id}. A finished one is deleted after ${jobRetentionDays} days, or earlier if newer results of the key need the space.`,
    { param: 'id' },
  )
}

async function read(deps: JoinJobRouteDeps, context: RequestContext): Promise<Answer> {
  const text = JSON.stringify(joinSummary(await jobOf(deps, context), deps.settings.baseUrl))
  const headers = dataHeaders(jsonType, entityTag(0, text))
  return notModified(context, headers) ?? encodedAnswer(context, text, headers)
}

async function readResult(deps: JoinJobRouteDeps, context: RequestContext): Promise<Answer> {
  const { sql } = deps
  const job = await jobOf(deps, context)
  const result = job.state === 'succeeded' ? await findResult(sql, job.id) : null
  if (result === null) throw noResult(job)
  const { headers, parts } = result
  const same = notModified(context, headers)
  if (same !== null) return same
  const body = spool(readParts(sql, job.id, parts), () => {})
  return streamAnswer(context, body, headers, compressions.marketRows)
}

function noResult({ id, state, finishedAt }: Job): Failure {
  if (finishedAt === null) {
    return new Failure('conflict', `The join is ${state}: it has no result yet. Try again in a moment.`, {
      retryAfterSeconds: 1,
    })
  }
  return new Failure(
    'conflict',
    `The join has no result: it is ${state}. GET ${path}/${id} says why. Submit it again.`,
    { param: 'id' },
  )
}

async function cancel(deps: JoinJobRouteDeps, context: RequestContext): Promise<Answer> {
  const { id, keyId } = await jobOf(deps, context)
  await cancelJob(deps.sql, id, keyId)
  return plainAnswer(joinSummary(await jobOf(deps, context), deps.settings.baseUrl))
}
