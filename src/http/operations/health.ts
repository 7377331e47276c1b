import { Type } from '@sinclair/typebox'
import answers from '../examples/answers.json' with { type: 'json' }
import { operation } from './operation.ts'

const strict = { additionalProperties: false } as const

export const healthOperation = operation({
  id: 'getHealth',
  tag: 'Operations',
  summary: 'Whether the process lives',
  description: 'Asks nothing of the database. No key, not counted.',
  entry: 'open',
  answer: {
    schema: Type.Object(
      {
        object: Type.Literal('health'),
        status: Type.Literal('ok'),
        version: Type.String({ description: 'Version of the software.' }),
      },
      strict,
    ),
    description: 'It lives.',
    examples: { ok: { summary: 'It lives', value: answers.health } },
  },
  errors: [],
  data: false,
})

export const readyOperation = operation({
  id: 'getReadiness',
  tag: 'Operations',
  summary: 'Whether requests can be answered',
  description: 'Asks the database and the compute pool. 503 while either is away. No key, not counted.',
  entry: 'open',
  answer: {
    schema: Type.Object(
      {
        object: Type.Literal('readiness'),
        status: Type.Literal('ready'),
        data_version: Type.Integer({ description: 'The data version that is being served.' }),
      },
      strict,
    ),
    description: 'It can.',
    examples: { ready: { summary: 'It can', value: answers.readiness } },
  },
  errors: ['database_unavailable'],
  data: false,
})
