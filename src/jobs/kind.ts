import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Job } from './job.ts'

/** A kind of job. All kinds share the queue, the limits of a key and the retention; each feature gives its
 * kind its own paths. */
export interface JobKind<Input extends TSchema = TSchema> {
  /** Do not rename it: `job.kind` stores it, and other versions of this program read it. */
  readonly name: string
  /** The schema of what is stored of the request besides its body. */
  readonly input: Input
  /** The kind of a job's first task. */
  readonly firstTask: string
  /** Added to the digest of a request with an Idempotency-Key, so that identical requests of two kinds
   * differ. */
  readonly digestParts: readonly string[]
}

/** What a job stores besides its body: the format of the body and the settings that came with it. */
export interface JobInput {
  readonly format: string
  readonly query: object
}

/** The stored input of a job, validated: another version of this program may have submitted it. */
export function inputOf<Input extends TSchema>(kind: JobKind<Input>, job: Job): Static<Input> {
  const input: unknown = { format: job.bodyFormat, query: job.bodyQuery }
  if (Value.Check(kind.input, input)) return input
  throw new Error(`The ${kind.name} job ${job.id} has settings that this version does not know.`)
}
