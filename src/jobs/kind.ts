import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Job } from './job.ts'

/** A kind of job. All kinds share the queue, the limits of a key and the expiry; a feature gives each its own paths. */
export interface JobKind<Input extends TSchema = TSchema> {
  /** Do not rename it: `job.kind` stores it, and other versions of this program read it. */
  readonly name: string
  /** What is stored of the request beside its body. */
  readonly input: Input
  /** The kind of the task that a job begins with. */
  readonly firstTask: string
  /** Added to the digest of a request with an Idempotency-Key, so that equal requests of two kinds differ. */
  readonly digestParts: readonly string[]
}

/** What a job stores beside its body: the format of the body and the settings that came with it. */
export interface JobInput {
  readonly format: string
  readonly query: object
}

/** What a job stored of its request, checked: another version of this program may have submitted it. */
export function inputOf<Input extends TSchema>(kind: JobKind<Input>, job: Job): Static<Input> {
  const input: unknown = { format: job.bodyFormat, query: job.bodyQuery }
  if (Value.Check(kind.input, input)) return input
  throw new Error(`The ${kind.name} job ${job.id} has settings that this version does not know.`)
}
