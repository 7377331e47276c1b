import { Elysia } from 'elysia'
import { paidKey } from '../../../backtest/pool/caller.ts'
import type { ComputePool } from '../../../backtest/pool/computePool.ts'
import { contentPolicy } from '../../../backtest/report/tearSheet/policy.ts'
import { Failure } from '../../../errors.ts'
import { dataHeaders, encodedAnswer, jsonType, notModified, pageHeaders } from '../../../http/answers.ts'
import { type Answer, type RequestContext, requireQuant } from '../../../http/context.ts'
import { entityTag } from '../../../http/etag.ts'
import { answerHeaders } from '../../../http/headers.ts'
import { noQuery, pathReader, queryReader } from '../../../http/parameters.ts'
import type { HttpPlugin } from '../../../http/plugin.ts'
import { prefersHtml } from '../../../http/preferences.ts'
import { acceptedHeaders, eventHeaders, plainAnswer, StreamCount } from '../../../jobs/answers.ts'
import { type JobNotifier, jobEvents } from '../../../jobs/events.ts'
import { readStored } from '../../../jobs/jobQueries.ts'
import type { SubmittedJob } from '../../../jobs/submit.ts'
import type { Sql } from '../../../postgres/client.ts'
import {
  backtestEventsOperation,
  backtestOperation,
  backtestsOperation,
  cancelOperation,
} from './documentation.ts'
import { cancelBacktest, pageJobs, readJob } from './keyJobs.ts'
import { readResult } from './results.ts'
import { BacktestJobParams, BacktestJobQuery, BacktestJobsQuery, jobSummary, jobText } from './schema.ts'

interface JobRouteDeps {
  readonly sql: Sql
  /** Renders results as pages. */
  readonly pool: ComputePool
  readonly notifier: JobNotifier
  readonly elapsedMs: () => number
  readonly settings: { readonly baseUrl: string }
}

const path = '/api/v1/backtests'
const readId = pathReader('id', BacktestJobParams.properties.id)
const readQuery = queryReader(BacktestJobsQuery)
const readForm = queryReader(BacktestJobQuery)
const idleSeconds = 60

/** The routes under GET /api/v1/backtests, for backtests submitted with `Prefer: respond-async`. */
export function jobRoutes(http: HttpPlugin, deps: JobRouteDeps) {
  const streams = new StreamCount()
  return new Elysia({ name: 'backtests' })
    .use(http)
    .get(path, ({ context }) => list(deps, context), { ...backtestsOperation })
    .get(
      `${path}/:id`,
      ({ context }) => {
        const accept = context.request.headers.get('accept')
        return accept?.includes('text/event-stream') ? events(deps, streams, context) : read(deps, context)
      },
      { ...backtestOperation },
    )
    .delete(`${path}/:id`, ({ context }) => cancel(deps, context), { ...cancelOperation, parse: 'none' })
    .get(`${path}/:id/events`, ({ context }) => events(deps, streams, context), {
      ...backtestEventsOperation,
    })
}

/** `batch` is a route of its own with POST only, so it must not be taken for a job's ID. */
function idOf(context: RequestContext): string {
  const id = context.path.slice(path.length + 1).split('/')[0]
  if (id !== 'batch') return readId(id)
  const allow = ['POST', 'OPTIONS']
  const message = `${context.path} accepts ${allow.join(', ')}, not ${context.request.method}.`
  throw new Failure('method_not_allowed', message, { allow })
}

async function list({ sql, settings }: JobRouteDeps, context: RequestContext): Promise<Answer> {
  const keyId = requireQuant(context)
  const { jobs, next } = await pageJobs(sql, keyId, readQuery(context.queryText))
  const data = jobs.map(job => jobSummary(job, settings.baseUrl))
  const text = JSON.stringify({ object: 'backtest_list', count: data.length, next, data })
  const headers = dataHeaders(jsonType, entityTag(0, text))
  return notModified(context, headers) ?? encodedAnswer(context, text, headers)
}

async function read({ sql, pool, settings }: JobRouteDeps, context: RequestContext): Promise<Answer> {
  const keyId = requireQuant(context)
  const accept = context.request.headers.get('accept')
  const { format = prefersHtml(accept) ? 'html' : 'json' } = readForm(context.queryText)
  const job = await readJob(sql, keyId, idOf(context))
  const asPage = format === 'html' && job.state === 'succeeded'
  const tag = entityTag(0, `${asPage} ${job.id} ${job.state} ${job.done} ${job.total} ${job.round}`)
  const headers = asPage ? pageHeaders(contentPolicy, tag) : dataHeaders(jsonType, tag)
  const same = notModified(context, headers)
  if (same !== null) return same
  const stored = asPage ? await readStored(sql, job.id) : null
  const result = job.state === 'succeeded' && stored === null ? await readResult(sql, job.id) : null
  const content =
    stored === null
      ? jobText(job, settings.baseUrl, result)
      : (await pool.tasks.renderResultPage({ stored }, { caller: paidKey(keyId) })).bytes
  return encodedAnswer(context, content, headers)
}

async function cancel({ sql, settings }: JobRouteDeps, context: RequestContext): Promise<Answer> {
  const keyId = requireQuant(context)
  noQuery(context)
  const job = await cancelBacktest(sql, keyId, idOf(context))
  return plainAnswer(jobSummary(job, settings.baseUrl))
}

async function events(deps: JobRouteDeps, streams: StreamCount, context: RequestContext): Promise<Answer> {
  const { sql, notifier, elapsedMs, settings } = deps
  const keyId = requireQuant(context)
  noQuery(context)
  const id = idOf(context)
  await readJob(sql, keyId, id)
  const onEnd = streams.take(keyId)
  context.server?.timeout(context.request, idleSeconds)
  const body = jobEvents({
    read: () => readJob(sql, keyId, id),
    watch: onChange => notifier.watch(id, onChange),
    elapsedMs,
    summarize: job => jobSummary(job, settings.baseUrl),
    onEnd,
  })
  return { status: 200, headers: answerHeaders(eventHeaders), body }
}

/** 202: the backtest is stored and will run. */
export function acceptedAnswer({ job, replayed }: SubmittedJob, baseUrl: string): Answer {
  const summary = jobSummary(job, baseUrl)
  const body = `${JSON.stringify(summary).slice(0, -1)},"result":null}`
  return { status: 202, headers: acceptedHeaders(summary, replayed), body }
}
