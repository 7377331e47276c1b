import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import examples from '../../http/docs/examples/joinJobs.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { arrowMedia } from './documentation.ts'
import { AsOfJoinJob, AsOfJoinParams } from './jobSchema.ts'
import { AsOfJoin } from './schema.ts'

const errors = ['licence_required', 'entity_unknown', 'statement_timeout'] as const

export const joinJobOperation = operation({
  id: 'getAsOfJoin',
  tag: 'Fundamentals',
  summary: 'Progress of a submitted as-of join',
  description:
    'The state of a join that was submitted with `Prefer: respond-async`, and at the end the path of its result or its error. A finished join is deleted with its result after 7 days.',
  access: 'key',
  path: AsOfJoinParams,
  answer: {
    schema: AsOfJoinJob,
    description: 'The join.',
    examples: { succeeded: { summary: 'A join that succeeded', value: examples.succeeded } },
  },
  errors: [...errors],
  data: true,
})

export const joinResultOperation = operation({
  id: 'getAsOfJoinResult',
  tag: 'Fundamentals',
  summary: 'Result of a submitted as-of join',
  description:
    'The bytes of a synchronous answer, in the format of the request that submitted the join. 409 until it has succeeded.',
  access: 'key',
  path: AsOfJoinParams,
  answer: {
    schema: AsOfJoin,
    description: 'The columns of the rows, followed by those of the metrics.',
    examples: { apple: { summary: 'What was known of Apple', value: answers.as_of } },
    rows: { csv: answers.as_of_csv, ndjson: answers.as_of_ndjson },
    media: arrowMedia,
  },
  errors: [...errors, 'conflict'],
  data: true,
})

export const cancelJoinOperation = operation({
  id: 'cancelAsOfJoin',
  tag: 'Fundamentals',
  summary: 'Cancel a submitted as-of join',
  description:
    'Cancels a queued or running join. One that has already ended does not change; the response states how it ended.',
  access: 'key',
  path: AsOfJoinParams,
  answer: {
    schema: AsOfJoinJob,
    description: 'The join, which has ended.',
    examples: { cancelled: { summary: 'Cancelled while it ran', value: examples.cancelled } },
  },
  errors: [...errors],
  data: false,
})
