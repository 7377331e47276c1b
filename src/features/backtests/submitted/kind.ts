import { type Static, Type } from '@sinclair/typebox'
import { type BodyFormat, type BodyQuery, bodyFormats } from '../../../backtest/request.ts'
import type { JobKind } from '../../../jobs/kind.ts'
import { type SubmitDeps, type SubmittedJob, submitJob } from '../../../jobs/submit.ts'
import { type NewTask, shardTaskName } from '../../../jobs/taskQueries.ts'
import { type RoundTask, roundFields } from '../../../jobs/tasks.ts'

const text = Type.Optional(Type.String())
const BacktestInput = Type.Object({
  format: Type.Union(bodyFormats.map(format => Type.Literal(format))),
  query: Type.Object({
    config: text,
    sweep: text,
    include: text,
    evidence: text,
    benchmark: text,
    score: text,
    compare: text,
    scores: text,
    trials_already_tried: Type.Optional(Type.Number()),
    factors: text,
    prices: text,
    data_version: Type.Optional(Type.Number()),
  }),
})

/** Do not rename these: the queue stores them, and other versions of this program read them. */
export const backtestTaskKinds = {
  start: 'backtest_start',
  shard: 'backtest_share',
  finish: 'backtest_finish',
} as const

/**
 * A backtest submitted with `Prefer: respond-async`. Its first task runs a single configuration to its
 * result. For a sweep, it plans shards that any process may run (`shards.ts`), and the last task combines
 * their results.
 */
export const backtestKind: JobKind<typeof BacktestInput> = {
  name: 'backtest',
  input: BacktestInput,
  firstTask: backtestTaskKinds.start,
  digestParts: [],
}

interface SubmittedBacktest {
  readonly keyId: number
  readonly requestId: string
  readonly body: Uint8Array<ArrayBuffer>
  readonly format: BodyFormat
  readonly query: BodyQuery
  readonly idempotencyKey: string | null
}

/** Stores a backtest as a queued job. It is never unpaid work, because only the quant plan may submit one. */
export const submitBacktest = (
  deps: SubmitDeps,
  { format, query, ...request }: SubmittedBacktest,
): Promise<SubmittedJob> =>
  submitJob(deps, backtestKind, { ...request, input: { format, query }, total: null, isUnpaid: false })

export const ShardPayload = Type.Object({
  ...roundFields,
  /** The shard's index within its round. */
  place: Type.Integer(),
  /** For each slice of the shard, its configurations' indexes in the grid. */
  slices: Type.Array(Type.Array(Type.Integer())),
})
export type ShardTask = Static<typeof ShardPayload>

export function shardTask(payload: ShardTask): NewTask {
  return {
    kind: backtestTaskKinds.shard,
    payload,
    name: `${shardTaskName}/${payload.round}/${payload.place}`,
    turn: 'shard',
  }
}

export function finishTask(jobId: string, round: number): NewTask {
  return {
    kind: backtestTaskKinds.finish,
    payload: { jobId, round } satisfies RoundTask,
    name: `finish/${round}`,
    turn: 'finish',
  }
}
