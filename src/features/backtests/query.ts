import { Type } from '@sinclair/typebox'
import type { BodyFormat, BodyQuery, ResultForm } from '../../backtest/request.ts'
import { Failure } from '../../errors.ts'
import type { Call } from '../../http/context.ts'
import { queryReader } from '../../http/parameters.ts'

const text = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, description, examples: [example] }))

export const BodyQuerySchema = Type.Object(
  {
    format: Type.Optional(
      Type.Union([Type.Literal('json'), Type.Literal('html')], {
        description:
          'The form of the answer: html is a page to look at. Without it `Accept` decides; by default json.',
      }),
    ),
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
export function bodyQuery(
  call: Call,
  format: BodyFormat,
): { readonly query: BodyQuery; readonly form: ResultForm | null } {
  if (call.queryText === '') return { query: {}, form: null }
  const { format: form = null, ...query } = read(call.queryText)
  const param = Object.keys(query)[0]
  if (format === 'csv' || param === undefined) return { query, form }
  throw new Failure(
    'parameter_unknown',
    `${param} is a query parameter where the body is text/csv; ${format === 'json' ? 'a JSON body holds it itself' : 'NDJSON holds it in its first line'}.`,
    { param },
  )
}
