import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { NewTask, QueueTask } from './queue.ts'

const place = { jobId: Type.String(), round: Type.Integer() }
const Round = Type.Object(place)
const Share = Type.Object({
  ...place,
  place: Type.Integer(),
  /** Of the sweep: for each slice, the places of its configurations in the grid. */
  slices: Type.Array(Type.Array(Type.Integer())),
})
export type RoundTask = Static<typeof Round>
export type ShareTask = Static<typeof Share>

export const taskKinds = ['backtest_start', 'backtest_share', 'backtest_finish'] as const

export type JobTask =
  | { readonly kind: 'backtest_start' | 'backtest_finish'; readonly payload: RoundTask }
  | { readonly kind: 'backtest_share'; readonly payload: ShareTask }

/** A job of one configuration goes before every share of a sweep, and of two sweeps each takes every other share: nobody
 * waits for the end of another's sweep. */
const priorityOf = { start: 0, finish: 1, firstShare: 10 }

export function startTask(jobId: string, round: number): NewTask {
  return {
    kind: 'backtest_start',
    payload: { jobId, round } satisfies RoundTask,
    name: `start/${round}`,
    priority: priorityOf.start,
  }
}

export function shareTask(payload: ShareTask): NewTask {
  return {
    kind: 'backtest_share',
    payload,
    name: `share/${payload.round}/${payload.place}`,
    priority: priorityOf.firstShare + payload.place,
  }
}

export function finishTask(jobId: string, round: number): NewTask {
  return {
    kind: 'backtest_finish',
    payload: { jobId, round } satisfies RoundTask,
    name: `finish/${round}`,
    priority: priorityOf.finish,
  }
}

/** What the queue hands out, checked: it may have been put there by another version of this program. */
export function readTask({ kind, payload }: Pick<QueueTask, 'kind' | 'payload'>): JobTask {
  if (kind === 'backtest_share' && Value.Check(Share, payload)) return { kind, payload }
  if ((kind === 'backtest_start' || kind === 'backtest_finish') && Value.Check(Round, payload)) {
    return { kind, payload }
  }
  throw new Error(`The queue holds a ${kind} that this version does not know.`)
}
