import { Type } from '@sinclair/typebox'
import { ErrorBody } from '../http/errors.ts'
import { uuid } from './facts.ts'
import { jobStates } from './job.ts'

const strict = { additionalProperties: false } as const
const time = (description: string) => Type.String({ format: 'date-time', description })
const timeOrNull = (description: string) => Type.Union([time(description), Type.Null()], { description })

interface JobWords {
  /** What the job is, as in "Id of the join". */
  readonly noun: string
  /** The name of the schema of its progress. */
  readonly progressId: string
  readonly done: string
  readonly total: string
  /** What the data version at submission is a version of. */
  readonly versioned: 'store' | 'archive'
  readonly dataVersion: string
}

/** The schema of the fields that every kind of job has in responses, except `error`, which comes last. */
export const jobFields = ({ noun, progressId, done, total, versioned, dataVersion }: JobWords) => ({
  id: Type.String({ format: 'uuid', description: `Id of the ${noun}; later ${noun}s have higher ids.` }),
  state: Type.Union(
    jobStates.map(state => Type.Literal(state)),
    { description: 'queued, then running, and at the end succeeded, failed or cancelled.' },
  ),
  progress: Type.Object(
    {
      done: Type.Integer({ minimum: 0, description: done }),
      total: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], { description: total }),
    },
    { ...strict, $id: progressId },
  ),
  submitted_data_version: Type.Integer({ description: `Data version of the ${versioned} at submission.` }),
  data_version: Type.Union([Type.Integer(), Type.Null()], { description: dataVersion }),
  created_at: time('When it was submitted.'),
  started_at: timeOrNull('When it started.'),
  finished_at: timeOrNull('When it succeeded, failed or was cancelled.'),
  expires_at: timeOrNull('When it is deleted together with its result; null until it has ended.'),
  url: Type.String({ description: `Path of the ${noun} on this server.` }),
})

export const jobError = Type.Union([ErrorBody.properties.error, Type.Null()], {
  description: 'Why it failed: the same error as for a synchronous request.',
})

/** The schema of a path with the id of a job. */
export const jobParams = (allowed: string, description: string, example: string) =>
  Type.Object({ id: Type.String({ pattern: uuid, allowed, description, examples: [example] }) }, strict)
