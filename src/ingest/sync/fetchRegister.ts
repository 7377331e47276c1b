import { Failure } from '../../errors.ts'
import type { Sql } from '../../postgres/client.ts'
import { askPolitely, stopIfAsked } from '../network/fetch.ts'
import { makePace, withoutSecrets } from '../network/network.ts'
import type { Answer, Plan, RegisterRequest, Step } from '../network/source.ts'
import { recallAnswer, recordAnswer } from './answers.ts'
import type { Fetched, SyncOptions } from './options.ts'

/** A register that fails so often in a row is not asked any further. */
const mostFailuresInARow = 5
const failuresNamed = 1_000

type Handled = Answer | { readonly kind: 'stop'; readonly reason: string }

interface Fetching {
  readonly sql: Sql
  readonly options: SyncOptions
  readonly pace: (signal: AbortSignal) => Promise<void>
  readonly clean: (text: string) => string
  readonly fetched: Fetched
  inARow: number
}

/** What a plan asks of the store. */
export interface Places {
  /** Records a place. */
  readonly advance: (name: string, position: string) => Promise<void>
  /** The next companies to ask for; none: all were. */
  readonly nextCompanies: () => Promise<readonly string[]>
}

/** Works through a plan: what is had is not asked for, what comes is kept and recorded, one answer at a time.
 * @param onKept called after each answer that was kept, before the next is asked for */
export async function fetchRegister(
  sql: Sql,
  plan: Plan,
  options: SyncOptions,
  fetched: Fetched,
  places: Places,
  onKept: () => Promise<void>,
): Promise<void> {
  const fetching: Fetching = {
    ...{ sql, options, fetched, inARow: 0 },
    pace: makePace(options.manners.requestsPerSecond, options.network),
    clean: withoutSecrets(options.source, options.settings),
  }
  let failuresBefore = 0
  let told: Answer = { kind: 'had' }
  for (;;) {
    const { done, value: step } = plan.next(told)
    if (done) return
    told = { kind: 'had' }
    if (step.do === 'expect') fetched.expected += step.requests
    else if (step.do === 'next companies') told = { kind: 'companies', numbers: await places.nextCompanies() }
    else if (step.do === 'advance') {
      const failures = step.unless === 'run' ? fetched.failures : fetched.failures - failuresBefore
      failuresBefore = fetched.failures
      if (failures === 0) await places.advance(step.name, step.position)
    } else {
      const handled = await handle(fetching, step)
      if (handled.kind === 'stop') {
        fetched.stopped = fetching.clean(handled.reason)
        return
      }
      told = handled
      await onKept()
    }
    options.onProgress()
  }
}

/** Answers a plan's request, from what is had or from the register. A stop that was asked for is a reason to stop. */
async function handle(fetching: Fetching, { request }: Extract<Step, { do: 'ask' }>): Promise<Handled> {
  const { sql, options, fetched } = fetching
  try {
    stopIfAsked(options.signal)
    const { answer, validators, known } = await recallAnswer(sql, options, request)
    if (answer !== null) {
      fetched.known++
      return answer
    }
    fetched.asked++
    const outcome = await askPolitely(request, validators, {
      ...options,
      pace: fetching.pace,
      onRetry: (reason, waitMs) =>
        options.say(fetching.clean(`${nameOf(request)}: ${reason} Again in ${Math.ceil(waitMs / 1_000)} s.`)),
    })
    switch (outcome.kind) {
      case 'refused':
        return refusal(fetching, request, outcome)
      case 'failed':
        return failure(fetching, request, outcome.reason, outcome.ends)
      default: {
        fetching.inARow = 0
        return await recordAnswer(sql, options, request, outcome, known, fetched)
      }
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'shutting_down') throw error
    fetched.interrupted = true
    return { kind: 'stop', reason: error.message }
  }
}

function refusal(
  fetching: Fetching,
  request: RegisterRequest,
  { status, reason }: { readonly status: number; readonly reason: string },
): Handled {
  if (request.mayExpire) return { kind: 'expired' }
  const { required } = fetching.options.source
  const mend = required.length > 0 ? ` Check ${required.join(' and ')}.` : ''
  return failure(fetching, request, reason + mend, status === 401)
}

function failure(fetching: Fetching, request: RegisterRequest, reason: string, ends: boolean): Handled {
  const { fetched, clean } = fetching
  fetched.failures++
  fetching.inARow++
  if (fetched.failed.length < failuresNamed)
    fetched.failed.push({ name: nameOf(request), reason: clean(reason) })
  if (ends || request.needed) return { kind: 'stop', reason: `${nameOf(request)}: ${reason}` }
  if (fetching.inARow >= mostFailuresInARow)
    return {
      kind: 'stop',
      reason: `${mostFailuresInARow} requests in a row have failed; the last one: ${reason}`,
    }
  return { kind: 'failed' }
}

/** The address without its credentials. */
const nameOf = (request: RegisterRequest) => request.url
