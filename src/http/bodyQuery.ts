import { Type } from '@sinclair/typebox'
import { Failure } from '../errors.ts'
import type { BodyFormat, BodyQuery } from '../model/bodyFormat.ts'
import type { Call } from './Call.ts'
import { queryReader } from './parameters.ts'

const text = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, description, examples: [example] }))

export const BodyQuerySchema = Type.Object(
  {
    config: text(
      'With a CSV body: what `config` is in a JSON body, as JSON.',
      '{"quantile":0.2,"holdDays":5}',
    ),
    sweep: text('With a CSV body: what `sweep` is in a JSON body, as JSON.', 'true'),
    include: text('With a CSV body: what `include` is in a JSON body, with commas between.', 'ic,monthly'),
  },
  { additionalProperties: false },
)

const read = queryReader(BodyQuerySchema)

/** The fields of a request that its body has no room for: those of CSV. In any other body they stand themselves. */
export function bodyQuery(call: Call, format: BodyFormat): BodyQuery {
  if (call.queryText === '') return {}
  const query = read(call.queryText)
  if (format === 'csv') return query
  const param = Object.keys(query)[0]
  throw new Failure(
    'parameter_unknown',
    `${param} is a query parameter where the body is text/csv; ${format === 'json' ? 'a JSON body holds it itself' : 'NDJSON holds it in its first line'}.`,
    { param },
  )
}
