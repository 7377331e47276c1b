import { type Static, Type } from '@sinclair/typebox'
import { BacktestConfig, BacktestRequest, BacktestSource, PanelId } from '../../../backtest/request.ts'
import { BacktestResult } from '../../../backtest/result.ts'
import { BacktestJobParams, BacktestJobSummary } from '../../backtests/jobs/schema.ts'
import { type ApiAnswer, read, readAs, refusalOf, type ToolCall, ToolRefusal } from '../api.ts'
import { defineTool, type ToolAnswer } from '../tool.ts'
import { ShortResult, shorten } from './shortResult.ts'

const request = BacktestRequest.properties
const job = BacktestJobSummary.properties

const Input = Type.Object(
  {
    config: Type.Optional(
      Type.Object(BacktestConfig.properties, {
        additionalProperties: false,
        description: 'The strategy. Defaults: long_short, quantile 0.1, equal weights.',
      }),
    ),
    source: Type.Optional(
      Type.Object(BacktestSource.properties, {
        additionalProperties: false,
        description:
          'Rows of the archive of this service: market, horizon, from, to; with score they are ranked by a metric as known on each date.',
      }),
    ),
    panel: Type.Optional(
      Type.String({
        ...PanelId,
        description:
          'The id of a stored panel of your own, instead of source. POST /api/v1/panels stores one.',
      }),
    ),
    sweep: Type.Optional(request.sweep),
    include: Type.Optional(request.include),
    evidence: Type.Optional(request.evidence),
    benchmark: Type.Optional(
      Type.Union([Type.Literal('cash'), Type.Literal('universe')], {
        description:
          'What the result is judged against. Default: cash for long_short, universe for long_only.',
      }),
    ),
    data_version: request.data_version,
    job_id: Type.Optional(
      Type.String({
        ...BacktestJobParams.properties.id,
        description: 'Only this: goes on waiting for a sweep that an earlier call has started.',
      }),
    ),
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 600,
        description: 'How long to wait for a sweep before the answer says that it still runs. Default 45.',
      }),
    ),
    max_characters: Type.Optional(
      Type.Integer({
        minimum: 3_000,
        maximum: 40_000,
        description: 'Size of the answer, 3,000 to 40,000 characters. Default 8,000.',
      }),
    ),
  },
  { additionalProperties: false },
)
type Args = Static<typeof Input>

const Answer = Type.Object({
  state: Type.Union(job.state.anyOf, {
    description: 'succeeded: `result` is there. queued or running: call again with job_id.',
  }),
  job_id: Type.Optional(job.id),
  progress: Type.Optional(Type.Object(job.progress.properties)),
  result: Type.Optional(ShortResult),
  left_out: Type.Optional(Type.String({ description: 'What this answer does not show, and how to get it.' })),
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

const defaultCharacters = 8_000
const defaultWaitSeconds = 45

export const runBacktest = defineTool({
  name: 'run_backtest',
  title: 'Backtest a ranking strategy',
  description:
    'Buys the names with the highest scores on each date and, with long_short, shorts those with the lowest; trading and borrowing costs are charged. Needs a key with the quant plan. Rows come from the archive (`source`) or a stored `panel`. With source.score a metric ranks the companies, as known strictly before each date: no look-ahead. A `sweep` tries many configurations, reports progress, is cancelled when the call is, and deflates the Sharpe ratio of the winner for the number of trials. Results are hypothetical. Tell the reader the verdict and the warnings.',
  input: Input,
  output: Answer,
  // A sweep is stored as a job, which is more than reading.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: async (args, call) => {
    const { job_id, wait_seconds: _, max_characters: __, ...body } = args
    if (job_id !== undefined) {
      if (Object.keys(body).length > 0)
        throw new ToolRefusal(
          'parameter_invalid',
          'job_id goes with wait_seconds and max_characters alone: the backtest has its settings.',
        )
      return follow(args, await readJob(call, job_id), call)
    }
    const isLong = body.sweep !== undefined && body.sweep !== false
    const sent = { method: 'POST', path: '/api/v1/backtest', body, isAsync: isLong } as const
    if (isLong) return follow(args, await read(call, Job, sent), call)
    const result = await read(call, BacktestResult, sent)
    return finished(args, result, undefined)
  },
})

const jobPath = (id: string) => `/api/v1/backtests/${id}`
const readJob = (call: ToolCall, id: string) => read(call, Job, { path: jobPath(id) })

const firstPauseMs = 250
const maxPauseMs = 3_000

/** Waits for a stored backtest, with longer and longer pauses: each look counts as a request of the key. It is cancelled with the call,
 * and goes on where only the time to wait has ended. */
async function follow(args: Args, started: Job, call: ToolCall): Promise<ToolAnswer<Answer>> {
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
  if (error !== null) throw new ToolRefusal(error.code, error.message)
  throw new ToolRefusal(
    'cancelled',
    'The backtest was cancelled. Call again with its settings to run it anew.',
  )
}

const hasEnded = ({ state }: Job) => state !== 'queued' && state !== 'running'

/** A look that a limit refuses, or that was cut off by the end of the call, says nothing of the backtest. */
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

/** No client waits for it any more. */
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

async function readResult(args: Args, id: string, call: ToolCall): Promise<ToolAnswer<Answer>> {
  const { result } = await read(call, FinishedJob, { path: jobPath(id) })
  return finished(args, result, id)
}

function finished(
  { max_characters }: Args,
  result: Static<typeof BacktestResult>,
  id: string | undefined,
): ToolAnswer<Answer> {
  const max = max_characters ?? defaultCharacters
  const whole = id === undefined ? 'POST /api/v1/backtest with the same settings' : `GET ${jobPath(id)}`
  const { short, leftOut, text } = shorten(result, whole, max)
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
