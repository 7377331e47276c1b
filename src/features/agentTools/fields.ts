import { Type } from '@sinclair/typebox'
import { listMarketCodes } from '../../markets/codes.ts'
import { FundamentalsList, FundamentalsRow } from '../fundamentals/schema.ts'
import { said } from './schemas.ts'

/** Arguments and fields of answers that several tools have. Each has one name, one form and one meaning over all tools. */

const row = FundamentalsRow.properties
const list = FundamentalsList.properties

/** The companies that a call is about. */
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

/** A sentence that names all of them: "BE, DK or US." */
export const oneOfMarkets = (codes: readonly string[]): string =>
  `${codes.slice(0, -1).join(', ')} or ${codes.at(-1)}.`

export const marketArgument = Type.String({
  pattern: '^[A-Za-z]{2}$',
  description: oneOfMarkets(listMarketCodes()),
  examples: ['US'],
})

const day = (description: string, example?: string) =>
  Type.String({
    ...{ format: 'date', minLength: 10, maxLength: 10, description },
    ...(example === undefined ? {} : { examples: [example] }),
  })

export const asOfArgument = Type.Optional(
  day('YYYY-MM-DD: only what was filed by this day, as it stood then. Default: today.'),
)
export const dayArgument = day

export const versionArgument = {
  data_version: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description: 'Of an earlier answer: repeats it on the data of then.',
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

/** Of every tool whose answer is a list. */
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

/** Of every answer that is a list. */
export const listFields = {
  count: said(Type.Integer(), 'Rows in data.'),
  total: Type.Optional(said(Type.Integer(), 'Rows of all pages, if known.')),
  next: said(Type.Union([Type.String(), Type.Null()]), 'Send as cursor for more rows.'),
  ...leftOutField,
}

/** Which data an answer is of. */
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
