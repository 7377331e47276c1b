import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from '../../dates.ts'
import { type Column, columns } from '../../formats/columns.ts'
import { type AsOf, isInstant } from '../../instants.ts'
import { asOfParameter, KnownBySchema, zoneParameter } from '../../markets/asOf.ts'
import { MarketCode } from '../../markets/parameters.ts'
import { idPattern } from '../companies/lookup.ts'
import { SymbolAssumed } from '../companies/symbolSchema.ts'
import { FundamentalsRow } from '../fundamentals/schema.ts'
import { marketPageFields, marketParameters, type PageLimit } from '../marketPages/query.ts'

const strict = { additionalProperties: false } as const

export const restatementsLimit = {
  max: 5_000,
  default: 1_000,
  maxFree: 500,
  defaultCapped: 100,
} as const satisfies PageLimit

/** GET /api/v1/restatements: figures whose value changed. */
export const RestatementsQuery = Type.Object(
  {
    ticker: Type.Optional(
      Type.String({
        pattern: idPattern,
        allowed: 'a company ID, for example AAPL or 2330.TW',
        description:
          'Only changes of this company, of all metrics or those in `metric`, in one answer. Any ID of it, or its `issuer_id`.',
        examples: ['AAPL'],
      }),
    ),
    metric: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4_000,
        description:
          'One metric name: required without ticker. With ticker also several, separated by commas, or none for all. The coverage index lists them.',
        examples: ['revenue'],
      }),
    ),
    market: Type.Optional(
      MarketCode(
        'Market code: required without ticker. One market per request: the same metric can mean different things in different markets.',
      ),
    ),
    from: Type.Optional(
      IsoDateSchema('Only changes filed on or after this day. Default: all.', '2010-01-01'),
    ),
    as_of: asOfParameter('Only changes filed on or before this day. Default today (UTC).', '2010-02-01'),
    tz: zoneParameter,
    data_version: marketParameters.data_version,
    limit: marketParameters.limit(
      restatementsLimit,
      `Number of companies that a page covers. It includes every change of each, so it may be empty although \`next\` continues. The demo key and free keys get at most ${restatementsLimit.maxFree}. With an evaluation key the default is ${restatementsLimit.defaultCapped}, or as many as it may still see.`,
    ),
    cursor: marketParameters.cursor,
    format: marketParameters.format,
    comments: marketParameters.comments,
  },
  strict,
)
export type RestatementsQuery = Static<typeof RestatementsQuery>

const { ticker, issuer_id, m, fy, fp, end, source } = FundamentalsRow.properties
const day = (description: string) => Type.String({ format: 'date', description })

export const Restatement = Type.Object(
  {
    ticker: Type.String({ ...ticker, description: 'The preferred ID of the company.' }),
    issuer_id,
    m,
    fy,
    fp,
    end,
    filed_before: day('When the vintage before the change was filed.'),
    value_before: Type.Number({ description: 'Its value.' }),
    unit_before: Type.String({ description: 'Its unit.' }),
    filed: day('When the changed value was filed.'),
    value: Type.Number({ description: 'The changed value.' }),
    unit: Type.String({ description: 'Its unit.' }),
    source,
    known_by: KnownBySchema,
  },
  { ...strict, $id: 'Restatement' },
)
export type Restatement = Static<typeof Restatement>

/** Columns of the rows in CSV and Parquet, in the order of the JSON row. */
export const restatementSheet = columns({
  ticker: 'text',
  issuer_id: 'text',
  m: 'text',
  fy: 'whole',
  fp: 'text',
  end: 'day',
  filed_before: 'day',
  value_before: 'number',
  unit_before: 'text',
  filed: 'day',
  value: 'number',
  unit: 'text',
  source: 'text',
}) satisfies readonly Column<keyof Restatement>[]

export const restatementSheetOf = (asOf: AsOf): readonly Column<keyof Restatement>[] =>
  isInstant(asOf) ? [...restatementSheet, { name: 'known_by', kind: 'text' }] : restatementSheet

export const RestatementList = Type.Object(
  {
    object: Type.Literal('restatement_list'),
    metric: Type.Union([Type.String(), Type.Null()], {
      description: 'Several are separated by commas; null: all metrics of the company.',
      examples: ['revenue'],
    }),
    market: marketPageFields.market,
    ticker: Type.Optional(Type.String({ description: 'Only where it was sent.', examples: ['AAPL'] })),
    from: Type.Union([Type.String({ format: 'date' }), Type.Null()], { description: 'null: no limit.' }),
    as_of: marketPageFields.as_of,
    symbol_assumed: SymbolAssumed,
    data_version: marketPageFields.data_version,
    licence: marketPageFields.licence,
    attribution: marketPageFields.attribution,
    note: marketPageFields.note('which changes this key does not see'),
    seen_only: marketPageFields.seen_only,
    companies_left: marketPageFields.companies_left,
    count: Type.Integer({ description: 'Number of rows in data.' }),
    next: marketPageFields.next,
    data: Type.Array(Restatement, {
      description:
        'One row per change, by company, period end, fiscal period and filing; with ticker by metric first. Companies are in the order in which they were first imported.',
    }),
  },
  { ...strict, $id: 'RestatementList' },
)
export type RestatementList = Static<typeof RestatementList>
