import { Type } from '@sinclair/typebox'
import { listMarketCodes } from '../../markets/codes.ts'
import { FundamentalsList, FundamentalsRow } from '../fundamentals/schema.ts'
import { said } from './schemas.ts'

/**
 * Arguments and response fields that several tools share. Each has the same name, format and meaning in all
 * of them.
 */

const row = FundamentalsRow.properties
const list = FundamentalsList.properties

/** The companies that a call concerns. */
export const tickersArgument = (maxCompanies: number) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '^[^,./\\\\][^,/\\\\]*$' }), {
    minItems: 1,
    maxItems: maxCompanies,
    description: 'Company IDs from search_companies, or issuer_ids.',
    examples: [['AAPL']],
  })

export const metricName = Type.String({ minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9_]*$' })

export const metricsArgument = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    minItems: 1,
    maxItems: 20,
    description: 'Only these; see get_coverage.',
    examples: [['revenue']],
  }),
)

/** Joins codes into a phrase: "BE, DK or US." */
export const oneOfMarkets = (codes: readonly string[]): string =>
  `${codes.slice(0, -1).join(', ')} or ${codes.at(-1)}.`

export const marketArgument = Type.String({
  pattern: '^[A-Za-z]{2}$',
  description: oneOfMarkets(listMarketCodes()),
  examples: ['US'],
})

const day = (description: string, example?: string) =>
  Type.String({
    format: 'date',
    minLength: 10,
    maxLength: 10,
    description,
    ...(example === undefined ? {} : { examples: [example] }),
  })

export const asOfArgument = Type.Optional(
  Type.String({
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]{4,12}(Z|[+-][0-9]{2}:[0-9]{2})?|@open|@close)?$',
    description:
      'Only what was filed by a day, or public by an instant: 2010-01-25, 2010-01-25T16:00:00-05:00, 2010-01-25@close. Default: today.',
  }),
)
export const dayArgument = day

export const versionArgument = {
  data_version: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description: 'Of an earlier answer, to repeat it.',
    }),
  ),
}

export const sizeArgument = {
  max_characters: Type.Optional(
    Type.Integer({
      minimum: 3_000,
      maximum: 40_000,
      default: 8_000,
      description: 'Size of the answer.',
    }),
  ),
}

/** Arguments of every tool that returns a list. */
export const listArguments = {
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 600,
      description: '`next` of the previous answer.',
    }),
  ),
  ...sizeArgument,
}

export const leftOutField = {
  left_out: Type.Optional(said(Type.String(), 'What is missing here.')),
}

/** Fields of every response that is a list. */
export const listFields = {
  count: said(Type.Integer(), 'Rows in data.'),
  total: Type.Optional(said(Type.Integer(), 'Of all pages.')),
  next: said(Type.Union([Type.String(), Type.Null()]), 'Send as cursor.'),
  ...leftOutField,
}

/** Fields that identify the data behind a response. */
export const originFields = {
  as_of: said(list.as_of, 'Day of what was known.'),
  data_version: said(list.data_version, 'Repeats this answer.'),
  licence: Type.Optional(said(Type.String(), 'Terms of a free key.')),
  attribution: said(list.attribution, 'Cite it.'),
}

/** The period and the name of a figure. */
export const periodFields = {
  m: said(row.m, 'Metric.'),
  fy: row.fy,
  fp: row.fp,
  end: said(row.end, 'Last day of the period.'),
}
