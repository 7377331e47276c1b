import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { JobKind } from './kind.ts'
import type { OpenJob } from './openJobs.ts'
import type { NewTask } from './taskQueries.ts'

/** The fields of every task's payload. */
export const roundFields = { jobId: Type.String(), round: Type.Integer() }
export const RoundPayload = Type.Object(roundFields)
export type RoundTask = Static<typeof RoundPayload>

/** A task that processes perform for jobs. */
export interface JobTask {
  /** Do not rename it: the queue stores it, and other versions of this program read it. */
  readonly kind: string
  /** Reads a payload of the queue; null: another version of this program added it, and this one does not know its form. */
  readonly read: (payload: unknown) => ReadTask | null
}

interface ReadTask {
  readonly jobId: string
  readonly perform: (job: OpenJob) => Promise<void>
}

/** Declares a task by its kind, the schema of its payload and the function that performs it. */
export function jobTask<Payload extends TSchema & { static: RoundTask }>(
  kind: string,
  payload: Payload,
  perform: (job: OpenJob, payload: Static<Payload>) => Promise<void>,
): JobTask {
  return {
    kind,
    read: sent =>
      Value.Check(payload, sent) ? { jobId: sent.jobId, perform: job => perform(job, sent) } : null,
  }
}

/** The task that a round of a job begins with. */
export function startTask({ firstTask }: JobKind, jobId: string, round: number): NewTask {
  return {
    kind: firstTask,
    payload: { jobId, round } satisfies RoundTask,
    name: `start/${round}`,
    turn: 'start',
  }
}
