import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { JobKind } from './job.ts'
import type { QueueTask } from './queue.ts'
import type { NewTask } from './taskQueries.ts'

const round = { jobId: Type.String(), round: Type.Integer() }
const RoundPayload = Type.Object(round)
const ShardPayload = Type.Object({
  ...round,
  /** The number of the shard within its round. */
  place: Type.Integer(),
  /** For each slice of the shard, the indexes of its configurations in the grid. */
  slices: Type.Array(Type.Array(Type.Integer())),
})
export type RoundTask = Static<typeof RoundPayload>
export type ShardTask = Static<typeof ShardPayload>

/** Do not rename these: the queue stores them, and other versions of this program read them. */
export const taskKinds = ['backtest_start', 'backtest_share', 'backtest_finish', 'as_of_run'] as const

export type JobTask =
  | { readonly kind: 'backtest_start' | 'backtest_finish' | 'as_of_run'; readonly payload: RoundTask }
  | { readonly kind: 'backtest_share'; readonly payload: ShardTask }

export function startTask(jobId: string, round: number): NewTask {
  return {
    kind: 'backtest_start',
    payload: { jobId, round } satisfies RoundTask,
    name: `start/${round}`,
    turn: 'start',
  }
}

/** The first task of a job.
 *
 * @param isUnpaid whether the key has no licence that is paid for */
export function firstTask(kind: JobKind, jobId: string, isUnpaid: boolean): NewTask {
  const task: NewTask = { ...startTask(jobId, 0), turn: isUnpaid ? 'unpaid' : 'start' }
  return kind === 'backtest' ? task : { ...task, kind: 'as_of_run' }
}

export function shardTask(payload: ShardTask): NewTask {
  return {
    kind: 'backtest_share',
    payload,
    name: `share/${payload.round}/${payload.place}`,
    turn: 'shard',
  }
}

export function finishTask(jobId: string, round: number): NewTask {
  return {
    kind: 'backtest_finish',
    payload: { jobId, round } satisfies RoundTask,
    name: `finish/${round}`,
    turn: 'finish',
  }
}

/** A task of the queue, checked: another version of this program may have added it. */
export function readTask({ kind, payload }: Pick<QueueTask, 'kind' | 'payload'>): JobTask {
  if (kind === 'backtest_share' && Value.Check(ShardPayload, payload)) return { kind, payload }
  const isOfRound = kind === 'backtest_start' || kind === 'backtest_finish' || kind === 'as_of_run'
  if (isOfRound && Value.Check(RoundPayload, payload)) {
    return { kind, payload }
  }
  throw new Error(`The queue contains a ${kind} task, which this version does not know.`)
}
