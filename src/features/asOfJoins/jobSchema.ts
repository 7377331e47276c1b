import { type Static, Type } from '@sinclair/typebox'
import { ErrorBody } from '../../http/errors.ts'

const strict = { additionalProperties: false } as const
const time = (description: string) => Type.String({ format: 'date-time', description })
const timeOrNull = (description: string) => Type.Union([time(description), Type.Null()], { description })
const states = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const

/** A join that was submitted with `Prefer: respond-async`; `features/joinJobs` makes it of its job. */
export const AsOfJoinJob = Type.Object(
  {
    object: Type.Literal('as_of_job', { description: 'Always as_of_job.' }),
    id: Type.String({ format: 'uuid', description: 'Id of the join; later joins have higher ids.' }),
    state: Type.Union(
      states.map(state => Type.Literal(state)),
      { description: 'queued, then running, and at the end succeeded, failed or cancelled.' },
    ),
    progress: Type.Object(
      {
        done: Type.Integer({ minimum: 0, description: 'Rows that are joined: all of them at the end.' }),
        total: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
          description: 'Rows, as many as were sent.',
        }),
      },
      { ...strict, $id: 'AsOfJoinProgress' },
    ),
    submitted_data_version: Type.Integer({ description: 'Data version of the store at submission.' }),
    data_version: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Data version of every figure of the result; null until it has succeeded.',
    }),
    created_at: time('When it was submitted.'),
    started_at: timeOrNull('When it started.'),
    finished_at: timeOrNull('When it succeeded, failed or was cancelled.'),
    expires_at: timeOrNull('When it is deleted together with its result; null until it has ended.'),
    url: Type.String({ description: 'Path of the join on this server.' }),
    result_url: Type.Union([Type.String(), Type.Null()], {
      description: 'Path of the result, in the format of the request; null unless it succeeded.',
    }),
    error: Type.Union([ErrorBody.properties.error, Type.Null()], {
      description: 'Why it failed: the same error as for a synchronous request.',
    }),
  },
  { ...strict, $id: 'AsOfJoinJob' },
)
export type AsOfJoinJob = Static<typeof AsOfJoinJob>
