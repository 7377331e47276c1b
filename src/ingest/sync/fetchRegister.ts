import { Failure } from '../../errors.ts'
import type { Sql } from '../../postgres/client.ts'
import { createThrottle, secretRedactor } from '../network/fetchPolicy.ts'
import { fetchWithRetry, throwIfStopped } from '../network/fetchWithRetry.ts'
import type { Plan, RegisterRequest, StepResult } from '../network/source.ts'
import type { FetchSummary, SyncOptions } from './options.ts'
import { findCached, saveResponse } from './responses.ts'

/** After this many failures in a row the register counts as unavailable, and the run ends. */
const maxConsecutiveFailures = 5
const maxListedFailures = 1_000

/** The cursors and companies in the database with which a plan works. */
interface PlanStore {
  /** Records the position of a cursor. */
  readonly advance: (name: string, position: string) => Promise<void>
  /** The next companies to fetch; empty if there are no more. */
  readonly nextCompanies: () => Promise<readonly string[]>
}

interface FetchRun {
  readonly sql: Sql
  readonly options: SyncOptions
  readonly throttle: (signal: AbortSignal) => Promise<void>
  /** Replaces credentials in a message. */
  readonly redact: (text: string) => string
  readonly fetched: FetchSummary
  consecutiveFailures: number
}

/**
 * Executes a plan: each response comes from the archive or from the register and is stored before the next
 * request.
 *
 * @param onResponse called after each request, before the next step of the plan
 */
export async function fetchRegister(
  sql: Sql,
  plan: Plan,
  options: SyncOptions,
  fetched: FetchSummary,
  store: PlanStore,
  onResponse: () => Promise<void>,
): Promise<void> {
  const run: FetchRun = {
    sql,
    options,
    fetched,
    consecutiveFailures: 0,
    throttle: createThrottle(options.fetchPolicy.requestsPerSecond, options.network),
    redact: secretRedactor(options.source, options.settings),
  }
  let failuresBefore = 0
  let result: StepResult = { kind: 'cached' }
  for (;;) {
    const { done, value: step } = plan.next(result)
    if (done) return
    result = { kind: 'cached' }
    if (step.do === 'expect') fetched.expected += step.requests
    else if (step.do === 'next companies')
      result = { kind: 'companies', numbers: await store.nextCompanies() }
    else if (step.do === 'advance') {
      const failures = step.unless === 'run' ? fetched.failures : fetched.failures - failuresBefore
      failuresBefore = fetched.failures
      if (failures === 0) await store.advance(step.name, step.position)
    } else {
      const handled = await handleRequest(run, step.request)
      if (handled.kind === 'stop') {
        fetched.stopped = run.redact(handled.reason)
        return
      }
      result = handled
      await onResponse()
    }
    options.onProgress()
  }
}

type RequestResult = StepResult | { readonly kind: 'stop'; readonly reason: string }

async function handleRequest(run: FetchRun, request: RegisterRequest): Promise<RequestResult> {
  const { sql, options, fetched } = run
  try {
    throwIfStopped(options.signal)
    const { result, validators, known } = await findCached(sql, options, request)
    if (result !== null) {
      fetched.cached++
      return result
    }
    fetched.requests++
    const outcome = await fetchWithRetry(request, validators, {
      ...options,
      throttle: run.throttle,
      onRetry: (reason, waitMs) =>
        options.log(run.redact(`${request.url}: ${reason} Retrying in ${Math.ceil(waitMs / 1_000)} s.`)),
    })
    switch (outcome.kind) {
      case 'refused':
        return handleRefusal(run, request, outcome)
      case 'failed':
        return handleFailure(run, request, outcome.reason, outcome.endsRun)
      default: {
        run.consecutiveFailures = 0
        return await saveResponse(sql, options, request, outcome, known, fetched)
      }
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'shutting_down') throw error
    fetched.interrupted = true
    return { kind: 'stop', reason: error.message }
  }
}

function handleRefusal(
  run: FetchRun,
  request: RegisterRequest,
  { status, reason }: { readonly status: number; readonly reason: string },
): RequestResult {
  if (request.mayExpire) return { kind: 'expired' }
  const { requiredSettings } = run.options.source
  const hint = requiredSettings.length > 0 ? ` Check ${requiredSettings.join(' and ')}.` : ''
  return handleFailure(run, request, reason + hint, status === 401)
}

/** Records a failure. Messages name the request by its `url`, which contains no credentials. */
function handleFailure(
  run: FetchRun,
  request: RegisterRequest,
  reason: string,
  endsRun: boolean,
): RequestResult {
  const { fetched, redact } = run
  fetched.failures++
  run.consecutiveFailures++
  if (fetched.failed.length < maxListedFailures)
    fetched.failed.push({ name: request.url, reason: redact(reason) })
  if (endsRun || request.requiredByPlan) return { kind: 'stop', reason: `${request.url}: ${reason}` }
  if (run.consecutiveFailures >= maxConsecutiveFailures)
    return {
      kind: 'stop',
      reason: `${maxConsecutiveFailures} requests in a row failed. The last failure: ${reason}`,
    }
  return { kind: 'failed' }
}
