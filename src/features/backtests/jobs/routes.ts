import { Elysia } from 'elysia'
import { Failure } from '../../../errors.ts'
import { dataHeaders, encodedAnswer, jsonType, pageHeaders, unchanged } from '../../../http/answers.ts'
import { type Answer, type Call, requireQuant } from '../../../http/context.ts'
import type { RouteMaker } from '../../../http/handler.ts'
import { answerHeaders, entityTag } from '../../../http/headers.ts'
import { noQuery, pathReader, queryReader } from '../../../http/parameters.ts'
import { prefersHtml } from '../../../http/preferences.ts'
import type { Services } from '../../../http/services.ts'
import {
  backtestEventsOperation,
  backtestOperation,
  backtestsOperation,
  cancelOperation,
} from './documentation.ts'
import { jobEvents } from './events.ts'
import {
  BacktestJobParams,
  BacktestJobQuery,
  BacktestJobsQuery,
  type Job,
  jobSummary,
  jobText,
} from './schema.ts'

const path = '/api/v1/backtests'
const readId = pathReader('id', BacktestJobParams.properties.id)
const readQuery = queryReader(BacktestJobsQuery)
const readForm = queryReader(BacktestJobQuery)
const Vary = 'Accept, Accept-Encoding, Authorization'
const idleSeconds = 60

/** GET /api/v1/backtests and what is below it: backtests that were submitted with `Prefer: respond-async`. */
export function backtests(services: Services, route: RouteMaker) {
  const { jobs, settings } = services
  const streams = new StreamCount()

  const idOf = (call: Call) => readId(call.path.slice(path.length + 1).split('/')[0])

  async function list(call: Call): Promise<Answer> {
    const keyId = requireQuant(call)
    const { jobs: found, next } = await jobs.page(keyId, readQuery(call.queryText))
    const data = found.map(job => jobSummary(job, settings.baseUrl))
    const text = JSON.stringify({ object: 'backtest_list', count: data.length, next, data })
    const headers = dataHeaders(jsonType, entityTag(0, text))
    return unchanged(call, headers) ?? encodedAnswer(call, text, headers)
  }

  async function read(call: Call): Promise<Answer> {
    const accept = call.request.headers.get('accept')
    if (accept?.includes('text/event-stream')) return events(call)
    const keyId = requireQuant(call)
    const { format = prefersHtml(accept) ? 'html' : 'json' } = readForm(call.queryText)
    const job = await jobs.read(keyId, idOf(call))
    const asPage = format === 'html' && job.state === 'succeeded'
    const tag = entityTag(0, `${asPage} ${job.id} ${job.state} ${job.done} ${job.total} ${job.round}`)
    const own = asPage ? pageHeaders(services.tearSheet.policy, tag) : dataHeaders(jsonType, tag)
    const headers = { ...own, Vary }
    const same = unchanged(call, headers)
    if (same !== null) return same
    const result = job.state === 'succeeded' ? await jobs.result(job.id) : null
    const content =
      asPage && result !== null
        ? await services.tearSheet.write(result)
        : jobText(job, settings.baseUrl, result)
    return encodedAnswer(call, content, headers)
  }

  async function cancel(call: Call): Promise<Answer> {
    const keyId = requireQuant(call)
    noQuery(call)
    const job = await jobs.cancel(keyId, idOf(call))
    return plain(jobSummary(job, settings.baseUrl))
  }

  async function events(call: Call): Promise<Answer> {
    const keyId = requireQuant(call)
    noQuery(call)
    const id = idOf(call)
    await jobs.read(keyId, id)
    const onEnd = streams.take(keyId)
    call.server?.timeout(call.request, idleSeconds)
    const body = jobEvents({
      read: () => jobs.read(keyId, id),
      watch: told => jobs.watch(id, told),
      elapsedMs: services.elapsedMs,
      baseUrl: settings.baseUrl,
      onEnd,
    })
    return { status: 200, headers: answerHeaders(eventHeaders), body }
  }

  const listed = route(path, 'key', list)
  const found = route(`${path}/{id}`, 'key', read)
  const cancelled = route(`${path}/{id}`, 'key', cancel)
  const told = route(`${path}/{id}/events`, 'key', events)
  return new Elysia()
    .get(path, ({ request }) => listed(request), { detail: backtestsOperation })
    .get(`${path}/:id`, ({ request }) => found(request), { detail: backtestOperation })
    .delete(`${path}/:id`, ({ request }) => cancelled(request), { parse: 'none', detail: cancelOperation })
    .get(`${path}/:id/events`, ({ request }) => told(request), { detail: backtestEventsOperation })
}

/** 202: stored, and to be run. */
export function acceptedAnswer(job: Job, baseUrl: string): Answer {
  const summary = jobSummary(job, baseUrl)
  const { headers } = plain(summary)
  headers.set('Location', summary.url)
  headers.set('Preference-Applied', 'respond-async')
  if (summary.finished_at === null) headers.set('Retry-After', '1')
  return { status: 202, headers, body: `${JSON.stringify(summary).slice(0, -1)},"result":null}` }
}

const eventHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  Vary: 'Accept, Authorization',
  // nginx would gather events until a block of them is full.
  'X-Accel-Buffering': 'no',
}

function plain(body: object): Answer {
  return {
    status: 200,
    headers: answerHeaders({
      'Content-Type': jsonType,
      'Cache-Control': 'no-store',
      Vary: 'Authorization',
    }),
    body: JSON.stringify(body),
  }
}

const mostStreams = 256
const mostStreamsPerKey = 8

/** How many event streams are open, in all and of each key. */
class StreamCount {
  readonly #ofKey = new Map<number, number>()
  #all = 0

  /** Returns what gives the place back, once. */
  take(keyId: number): () => void {
    const own = this.#ofKey.get(keyId) ?? 0
    if (own >= mostStreamsPerKey || this.#all >= mostStreams) {
      const most = own >= mostStreamsPerKey ? `${mostStreamsPerKey} of a key` : `${mostStreams} of a server`
      throw new Failure(
        'compute_busy',
        `As many event streams are open as may be: ${most}. Close one, or ask for the backtest itself from time to time.`,
        { retryAfterSeconds: 10 },
      )
    }
    this.#ofKey.set(keyId, own + 1)
    this.#all++
    return () => {
      const left = (this.#ofKey.get(keyId) ?? 1) - 1
      if (left === 0) this.#ofKey.delete(keyId)
      else this.#ofKey.set(keyId, left)
      this.#all--
    }
  }
}
