import { type Static, Type } from '@sinclair/typebox'

const strict = { additionalProperties: false } as const
const param = Type.Union([Type.String(), Type.Null()], {
  description: 'The parameter, header or place in the body at fault; null: none.',
  examples: ['as_of'],
})
const code = Type.String({ description: 'What went wrong, for programs; listed on /docs/errors.' })
const requestId = Type.String({ description: 'As in X-Request-Id; finds the request in the log.' })
const near = Type.Optional(
  Type.Array(Type.String(), { maxItems: 3, description: 'IDs like the one that was not found.' }),
)

export const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        type: Type.String({ description: 'The kind of error: what to branch on first.' }),
        code,
        message: Type.String({ description: 'What was sent, what is allowed, how to mend it.' }),
        param,
        request_id: requestId,
        doc_url: Type.String({ format: 'uri', description: 'Where this code is explained.' }),
        near,
      },
      strict,
    ),
  },
  { ...strict, description: 'Every error, unless problem+json is asked for.' },
)
export type ErrorBody = Static<typeof ErrorBody>

export const ProblemBody = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'Where this code is explained.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What was sent, what is allowed, how to mend it.' }),
    code,
    param,
    request_id: requestId,
    near,
  },
  { ...strict, description: 'The same after RFC 9457, with Accept: application/problem+json.' },
)
export type ProblemBody = Static<typeof ProblemBody>
