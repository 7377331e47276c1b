import { type Static, Type } from '@sinclair/typebox'
import { BacktestResult } from '../../../backtest/result.ts'
import { BacktestJobSummary } from '../../backtests/submitted/schema.ts'
import { type ApiAnswer, read, readAs, refusalOf, type ToolCall, ToolRefusal } from '../api.ts'
import { leftOutField } from '../fields.ts'
import { namesOf } from '../names.ts'
import { sizeOf } from '../pagination.ts'
import { said, shownAs } from '../schemas.ts'
import { defineTool, type ToolAnswer } from '../tool.ts'
import { inToolWords } from '../words.ts'
import { type BacktestArgs, BacktestInput, bodyOf } from './backtestArguments.ts'
import { ShortResult, shorten } from './shortResult.ts'

const job = BacktestJobSummary.properties

const Answer = Type.Object({
  state: said(job.state, 'queued or running: call again with job_id. succeeded, failed or cancelled.'),
  job_id: Type.Optional(said(job.id, 'Of a sweep.')),
  progress: Type.Optional(shownAs(job.progress, 'object', 'done of total configurations.')),
  result: Type.Optional(said(ShortResult, 'In short, with the sections of include where there is room.')),
  ...leftOutField,
})
type Answer = Static<typeof Answer>

const Job = Type.Object({
  id: job.id,
  state: job.state,
  progress: Type.Object(job.progress.properties),
  error: job.error,
})
type Job = Static<typeof Job>
const FinishedJob = Type.Object({ result: BacktestResult })

const defaultWaitSeconds = 45

export const runBacktest = defineTool({
  name: 'run_backtest',
  title: 'Backtest a ranking strategy',
  description:
    'Buys the names with the highest scores on each date and, with long_short, shorts those with the lowest, less trading and borrowing costs. Needs a key with the quant plan. A sweep is cancelled with the call, and deflates the Sharpe ratio of its winner for all trials. Tell the reader verdict and warnings; results are hypothetical.',
  input: BacktestInput,
  output: Answer,
  // A sweep is stored as a job, so the tool is not read-only.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: async (args, call) => {
    const { job_id, sweep } = args
    const body = bodyOf(args)
    if (job_id !== undefined) {
      if (Object.keys(body).length > 0)
        throw new ToolRefusal(
          'parameter_invalid',
          'job_id can be combined only with wait_seconds and max_characters: the backtest already has its settings. Expected: no other argument.',
        )
      return follow(args, await readJob(call, job_id), call)
    }
    const isLong = sweep !== undefined && sweep !== false
    const sent = { method: 'POST', path: '/api/v1/backtest', body, isAsync: isLong } as const
    if (isLong) return follow(args, await read(call, Job, sent), call)
    const result = await read(call, BacktestResult, sent)
    return finished(args, result, undefined, call)
  },
})

const jobPath = (id: string) => `/api/v1/backtests/${id}`
const readJob = (call: ToolCall, id: string) => read(call, Job, { path: jobPath(id) })

const firstPauseMs = 250
const maxPauseMs = 3_000

/**
 * Polls a stored backtest with growing pauses, because each poll counts as a request of the key. Cancelling
 * the call cancels the backtest; when only the time to wait ends, it continues. Clients of the 2025 protocol
 * cancel over HTTP with a second message that cannot be matched to the first, so their backtests continue as
 * well.
 */
async function follow(args: BacktestArgs, started: Job, call: ToolCall): Promise<ToolAnswer<Answer>> {
  let current = started
  let waitedMs = 0
  const waitMs = 1_000 * (args.wait_seconds ?? defaultWaitSeconds)
  for (let pauseMs = firstPauseMs; !hasEnded(current); pauseMs = Math.min(maxPauseMs, 1.6 * pauseMs)) {
    const { done, total } = current.progress
    await call.reportProgress(done, total, `${done} of ${total ?? 'an unknown number of'} configurations`)
    if (waitedMs >= waitMs) return unfinished(current)
    const restMs = Math.min(pauseMs, waitMs - waitedMs)
    waitedMs += restMs
    await pause(restMs, call.signal)
    if (call.signal.aborted) return cancel(current, call)
    const seen = await look(current, call)
    current = seen.job
    waitedMs += 1_000 * seen.waitSeconds
    if (seen.waitSeconds > 0) await pause(1_000 * seen.waitSeconds, call.signal)
  }
  const { id, state, error } = current
  if (state === 'succeeded') return readResult(args, id, call)
  if (error !== null) throw new ToolRefusal(error.code, inToolWords(error.message))
  throw new ToolRefusal('cancelled', 'The backtest was cancelled. Call again with its settings to rerun it.')
}

const hasEnded = ({ state }: Job) => state !== 'queued' && state !== 'running'

/** A poll that a limit refuses, or that the end of the call interrupts, says nothing about the backtest. */
async function look(current: Job, call: ToolCall): Promise<{ job: Job; waitSeconds: number }> {
  let answer: ApiAnswer
  try {
    answer = await call.request({ path: jobPath(current.id) })
  } catch (error) {
    if (call.signal.aborted) return { job: current, waitSeconds: 0 }
    throw error
  }
  if (answer.status !== 429) return { job: readAs(Job, answer), waitSeconds: 0 }
  const { code, retryAfterSeconds } = refusalOf(answer)
  if (code === 'rate_limited_day') throw refusalOf(answer)
  return { job: current, waitSeconds: retryAfterSeconds ?? 1 }
}

/** No client is waiting for it any more. */
async function cancel({ id }: Job, call: ToolCall): Promise<never> {
  await call.requestAnyway({ method: 'DELETE', path: jobPath(id) }).catch(() => {})
  throw new ToolRefusal('cancelled', 'The call was cancelled, and the backtest with it.')
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const ended = Promise.withResolvers<void>()
  const end = () => ended.resolve()
  signal.addEventListener('abort', end, { once: true })
  const timer = setTimeout(end, ms)
  await ended.promise
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
}

function unfinished({ id, state, progress }: Job): ToolAnswer<Answer> {
  const { done, total } = progress
  const said = `The backtest still runs: ${done} of ${total ?? '?'} configurations are done. Call run_backtest with job_id ${id} to go on waiting.`
  return {
    structured: { state, job_id: id, progress: { done, total }, left_out: said },
    text: said,
  }
}

async function readResult(args: BacktestArgs, id: string, call: ToolCall): Promise<ToolAnswer<Answer>> {
  const { result } = await read(call, FinishedJob, { path: jobPath(id) })
  return finished(args, result, id, call)
}

async function finished(
  args: BacktestArgs,
  result: Static<typeof BacktestResult>,
  id: string | undefined,
  call: ToolCall,
): Promise<ToolAnswer<Answer>> {
  const again = id === undefined ? 'Call again' : `Call run_backtest again with job_id ${id}`
  const whole = `${again} with max_characters up to 40,000, or with fewer sections in include, for more of it.`
  const { positions, source } = result
  const held = source === undefined ? [] : (positions ?? []).map(({ asset }) => asset)
  const names = await namesOf(call, held, args.data_version)
  const { short, leftOut, text } = shorten(result, whole, sizeOf(args), names)
  return {
    structured: {
      state: 'succeeded',
      ...(id === undefined ? {} : { job_id: id }),
      result: short,
      left_out: leftOut,
    },
    text,
  }
}
