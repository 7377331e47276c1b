import { Elysia } from 'elysia'
import { paidKey } from '../../backtest/pool/caller.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import { Failure } from '../../errors.ts'
import { redirectAnswer } from '../../http/answers.ts'
import type { BodyReader } from '../../http/body.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { errorStatus } from '../../http/errors.ts'
import { useFileForm } from '../../http/fileForm.ts'
import { personalHeaders } from '../../http/headers.ts'
import { noQuery } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { prefersHtml } from '../../http/preferences.ts'
import { eventHeaders, StreamCount } from '../../jobs/answers.ts'
import { type JobNotifier, jobEvents } from '../../jobs/events.ts'
import type { Job } from '../../jobs/job.ts'
import { findJob, readStored } from '../../jobs/jobQueries.ts'
import { inputOf } from '../../jobs/kind.ts'
import { cancelBacktest } from '../backtests/submitted/keyJobs.ts'
import { backtestKind } from '../backtests/submitted/kind.ts'
import { readResult } from '../backtests/submitted/results.ts'
import { jobSummary } from '../backtests/submitted/schema.ts'
import { listShares } from '../sharedReports/queries.ts'
import { maxDays } from '../sharedReports/schema.ts'
import { revokeShare, type ShareDeps, shareReport, sharingRefusal } from '../sharedReports/share.ts'
import { answerPage, type ResultForm, resultAnswer } from './answers.ts'
import { useForm } from './runForm.ts'
import { findRunner, type RunnerDeps } from './runner.ts'
import { missingRunPage, runPage, runPath } from './runPage.ts'
import { shareActions } from './shareSection.ts'
import { snippetsFor } from './snippets.ts'

export interface RunRouteDeps extends RunnerDeps, ShareDeps {
  readonly pool: ComputePool
  readonly bodies: BodyReader
  readonly notifier: JobNotifier
  readonly elapsedMs: () => number
}

const path = '/backtest/runs/:id'
const page = { access: 'page', detail: { hide: true } } as const
const form = { ...page, access: 'pageForm', parse: 'none' } as const
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const idleSeconds = 60
const youngMs = 60_000

/** /backtest/runs/{id} and its subpages: a run's progress, report and downloads, for its owner only. */
export function runRoutes(http: HttpPlugin, deps: RunRouteDeps) {
  const streams = new StreamCount()
  const download = (kind: ResultForm) => (context: RequestContext) => answerResult(deps, context, kind)
  // `async` is required in handlers: Elysia awaits an answer only if the handler's source text looks
  // asynchronous.
  return new Elysia({ name: 'backtestRuns' })
    .use(http)
    .get(path, async ({ context }) => showRun(deps, context), { ...page })
    .get(`${path}/report`, async ({ context }) => download('html')(context), { ...page })
    .get(`${path}/result`, async ({ context }) => download('json')(context), { ...page })
    .get(`${path}/curve`, async ({ context }) => download('csv')(context), { ...page })
    .get(`${path}/events`, async ({ context }) => sendEvents(deps, streams, context), { ...page })
    .post(path, async ({ context }) => receiveForm(deps, context), { ...form })
    .post(`${path}/cancel`, async ({ context }) => cancel(deps, context), { ...form })
}

/**
 * The run that the path names, if it belongs to the sender. Another person's run gives null, as if it had
 * never existed.
 */
async function findRun(deps: RunRouteDeps, context: RequestContext): Promise<Job | null> {
  const { keyIds } = await findRunner(deps, context)
  const id = context.path.split('/')[3] ?? ''
  if (keyIds.length === 0 || !uuid.test(id)) return null
  const job = await findJob(deps.sql, id, backtestKind)
  return job !== null && keyIds.includes(job.keyId) ? job : null
}

async function requireRun(deps: RunRouteDeps, context: RequestContext): Promise<Job> {
  const job = await findRun(deps, context)
  if (job !== null) return job
  throw new Failure(
    'entity_unknown',
    'There is no backtest at this address, or it belongs to another account.',
    {
      param: 'id',
    },
  )
}

async function showRun(deps: RunRouteDeps, context: RequestContext): Promise<Answer> {
  noQuery(context)
  const isPage = prefersHtml(context.request.headers.get('accept'))
  const job = isPage ? await findRun(deps, context) : await requireRun(deps, context)
  if (job === null) return answerPage(context, 404, missingRunPage())
  return answerRun(deps, context, job, {})
}

interface Shared {
  readonly newAddress?: string
  readonly failure?: Failure
}

async function answerRun(
  deps: RunRouteDeps,
  context: RequestContext,
  job: Job,
  { newAddress, failure }: Shared,
): Promise<Answer> {
  const { sql, pool, settings, access } = deps
  const result = job.state === 'succeeded' ? await readResult(sql, job.id) : null
  const parts =
    result === null ? null : await pool.tasks.readResultParts({ result }, { caller: paidKey(job.keyId) })
  return answerPage(
    context,
    failure === undefined ? 200 : errorStatus(failure.code).status,
    runPage({
      job,
      address: `${settings.baseUrl}${runPath(job.id)}`,
      snippets:
        parts === null ? null : snippetsFor(settings.baseUrl, parts, inputOf(backtestKind, job).format),
      sharing: {
        shares: parts === null ? [] : await listShares(sql, job.id),
        newAddress: newAddress ?? null,
        fault: failure?.message ?? null,
        refusal: parts === null ? null : (sharingRefusal(deps, parts)?.message ?? null),
      },
      // A run that takes hours is not polled every two seconds.
      refreshSeconds: access.epochMs() - job.createdAt.getTime() < youngMs ? 2 : 15,
    }),
  )
}

async function answerResult(deps: RunRouteDeps, context: RequestContext, kind: ResultForm): Promise<Answer> {
  noQuery(context)
  const { id, state, keyId } = await requireRun(deps, context)
  const read = kind === 'html' ? readStored : readResult
  const result = state === 'succeeded' ? await read(deps.sql, id) : null
  if (result !== null) return resultAnswer(deps.pool, paidKey(keyId), result, kind)
  throw new Failure('conflict', `This backtest has no result: it is ${state}.`, { param: 'id' })
}

async function sendEvents(
  deps: RunRouteDeps,
  streams: StreamCount,
  context: RequestContext,
): Promise<Answer> {
  noQuery(context)
  const { sql, notifier, elapsedMs, settings } = deps
  const { id, keyId } = await requireRun(deps, context)
  const onEnd = streams.take(keyId)
  context.server?.timeout(context.request, idleSeconds)
  const body = jobEvents({
    read: async () => {
      const job = await findJob(sql, id, backtestKind)
      if (job === null) throw new Failure('entity_unknown', 'The backtest has been deleted.')
      return job
    },
    watch: onChange => notifier.watch(id, onChange),
    elapsedMs,
    summarize: job => jobSummary(job, settings.baseUrl),
    onEnd,
  })
  return { status: 200, headers: personalHeaders({ ...eventHeaders, Vary: 'Cookie, Authorization' }), body }
}

async function cancel(deps: RunRouteDeps, context: RequestContext): Promise<Answer> {
  return useForm(context, deps.bodies, async () => {
    const { id, keyId } = await requireRun(deps, context)
    await cancelBacktest(deps.sql, keyId, id)
    return redirectAnswer(runPath(id))
  })
}

const shareFields = { names: ['do', 'days', 'share'], maxLength: 40 } as const

/** Makes the report public, or revokes one of its public addresses. */
async function receiveForm(deps: RunRouteDeps, context: RequestContext): Promise<Answer> {
  return useFileForm(context, deps.bodies, shareFields, async ({ typed }) => {
    const job = await requireRun(deps, context)
    try {
      if (typed.do === shareActions.revoke) {
        await revokeShare(deps.sql, job, shareOf(typed.share), context.address)
        return redirectAnswer(`${runPath(job.id)}#shares`)
      }
      const { url } = await shareReport(deps, job, daysOf(typed.days), context.address)
      // The address is only in this response, because only its digest is stored.
      return await answerRun(deps, context, job, { newAddress: url })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return answerRun(deps, context, job, { failure: error })
    }
  })
}

function shareOf(sent = ''): string {
  if (uuid.test(sent)) return sent
  throw new Failure('parameter_invalid', 'The form names no public address.', { param: 'share' })
}

function daysOf(sent = ''): number {
  const days = Number(sent)
  if (/^\d+$/.test(sent) && days >= 1 && days <= maxDays) return days
  throw new Failure('parameter_invalid', `A public address works for 1 to ${maxDays} days.`, {
    param: 'days',
  })
}
