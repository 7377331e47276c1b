import { Type } from '@sinclair/typebox'
import type { BodyFormat, BodyQuery, ResultFormat } from '../../backtest/request.ts'
import { TrialsAlreadyTried } from '../../backtest/requestTrials.ts'
import { Failure } from '../../errors.ts'
import type { RequestContext } from '../../http/context.ts'
import { queryReader } from '../../http/parameters.ts'

const text = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, description, examples: [example] }))

export const BodyQuerySchema = Type.Object(
  {
    format: Type.Optional(
      Type.Union([Type.Literal('json'), Type.Literal('html')], {
        description:
          'Format of the result; html is a page for people, with all of its sections, whatever `include` says. Omit it to let the `Accept` header decide; the default is json.',
      }),
    ),
    config: text(
      'With a CSV body: `config` as in a JSON body, as JSON text.',
      '{"quantile":0.2,"holdDays":5}',
    ),
    sweep: text('With a CSV body: `sweep` as in a JSON body, as JSON text.', 'true'),
    include: text('With a CSV body: `include` as in a JSON body, comma-separated.', 'ic,monthly'),
    evidence: text(
      'With a CSV body: `evidence` as in a JSON body, as JSON text.',
      '{"seed":1,"bootstraps":1000}',
    ),
    benchmark: text(
      'With a CSV body: `benchmark` as in a JSON body: `cash`, `universe`, or JSON text. A long series of returns fits a JSON or NDJSON body only.',
      'universe',
    ),
    score: text('With a CSV body: `score` as in a JSON body, as JSON text.', '{"asOf":"roe"}'),
    compare: text(
      'With a CSV body: `compare` as in a JSON body, comma-separated.',
      'as_known,first_filed,final',
    ),
    scores: text('With a CSV body: `scores` as in a JSON body, comma-separated.', 'value,quality'),
    trials_already_tried: Type.Optional({
      ...TrialsAlreadyTried,
      description: 'With a CSV body: `trials_already_tried` as in a JSON body.',
    }),
    factors: text(
      'With a CSV body: `factors` as in a JSON body, as JSON text. A long series fits a JSON or NDJSON body only.',
      '{"date":["2024-01","2024-02"],"returns":{"Mkt-RF":[0.0071,0.0507]},"rf":[0.0047,0.0042]}',
    ),
    prices: text(
      'With a CSV body: `prices` as in a JSON body, as JSON text.',
      '{"set":"prices","horizon":5}',
    ),
    data_version: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        examples: [1],
        description: 'With a CSV body: `data_version` as in a JSON body.',
      }),
    ),
  },
  { additionalProperties: false },
)

const read = queryReader(BodyQuerySchema)

/**
 * The query of a backtest: the result's format and, for a CSV body, all fields besides the rows. JSON and
 * NDJSON contain these fields themselves.
 */
export function bodyQuery(
  context: RequestContext,
  format: BodyFormat,
): { readonly query: BodyQuery; readonly resultFormat: ResultFormat | null } {
  if (context.queryText === '') return { query: {}, resultFormat: null }
  const { format: resultFormat = null, ...query } = read(context.queryText)
  return { query: requireCsv(query, format), resultFormat }
}

function requireCsv(query: BodyQuery, format: BodyFormat): BodyQuery {
  const param = Object.keys(query)[0]
  if (format === 'csv' || format === 'parquet' || format === 'arrow' || param === undefined) return query
  throw new Failure(
    'parameter_unknown',
    `${param} is a query parameter only with a CSV, Parquet or Arrow body. Put it into the ${format === 'json' ? 'JSON body' : 'first line of NDJSON'}.`,
    { param },
  )
}
