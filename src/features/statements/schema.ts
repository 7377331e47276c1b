import { type Static, Type } from '@sinclair/typebox'
import { CommentsSchema, FormatSchema } from '../../formats/columns.ts'
import { DataVersionParameter } from '../../http/pinned.ts'
import { asOfParameter, zoneParameter } from '../../markets/asOf.ts'
import { idPattern } from '../companies/lookup.ts'
import { SymbolAssumed } from '../companies/symbolSchema.ts'
import { FundamentalsRow } from '../fundamentals/schema.ts'
import { marketPageFields } from '../marketPages/query.ts'

export const strict = { additionalProperties: false } as const
export const day = (description: string) => Type.String({ format: 'date', description })
export const orNull = <T extends ReturnType<typeof Type.String | typeof Type.Integer | typeof Type.Number>>(
  schema: T,
  description: string,
) => Type.Union([schema, Type.Null()], { description })

/** The parameters of every route that reads a company's filings. */
export const companyParameters = {
  ticker: Type.Optional(
    Type.String({
      pattern: idPattern,
      allowed: 'a company ID, for example AAPL or 2330.TW',
      description: 'The company: any ID of it. Required, unless `issuer_id` is sent.',
      examples: ['AAPL'],
    }),
  ),
  issuer_id: Type.Optional(
    Type.String({
      pattern: idPattern,
      allowed: "the register's number of a company, for example 0000320193",
      description: "Instead of `ticker`: the register's own number of the company.",
      examples: ['0000320193'],
    }),
  ),
  as_of: asOfParameter('Only filings that were public by then. Default today (UTC).', '2010-02-01'),
  tz: zoneParameter,
  data_version: DataVersionParameter,
  format: FormatSchema,
  comments: CommentsSchema,
}

export const periodParameters = {
  fp: Type.Optional(
    Type.Union([Type.Literal('FY'), Type.Literal('Q1'), Type.Literal('Q2'), Type.Literal('Q3')], {
      anyCase: true,
      description:
        'The fiscal period that the report is on: FY for annual reports, Q1 to Q3 for those on part of a year. No report is on a fourth quarter alone. Default: the latest report of any kind.',
      examples: ['FY'],
    }),
  ),
  fy: Type.Optional(
    Type.Integer({
      minimum: 1_900,
      maximum: 2_999,
      description:
        'The fiscal year, named after the calendar year in which it ends. Default: the latest by as_of.',
      examples: [2009],
    }),
  ),
}

/** The values of `companyParameters`, without the format. */
export interface CompanyQuery {
  readonly ticker?: string
  readonly issuer_id?: string
  readonly as_of?: string
  readonly tz?: string
}

const { issuer_id } = FundamentalsRow.properties

export const companyFieldSchemas = {
  ticker: Type.String({ description: 'The preferred ID of the company.', examples: ['AAPL'] }),
  issuer_id,
  market: marketPageFields.market,
  as_of: marketPageFields.as_of,
  symbol_assumed: SymbolAssumed,
  data_version: marketPageFields.data_version,
  licence: marketPageFields.licence,
  attribution: marketPageFields.attribution,
  note: marketPageFields.note('which filings were not read'),
}

export const FilingUsed = Type.Object(
  {
    accession: Type.String({
      description:
        "The register's number of the filing; outside the United States the market and a colon precede it.",
      examples: ['0001193125-10-012091'],
    }),
    form: Type.String({ description: 'Kind of the filing, as the register names it.', examples: ['10-K/A'] }),
    filed: day('Day on which it was filed and became known.'),
    accepted_at: orNull(
      Type.String(),
      'When the register accepted it, an instant in UTC; null if no imported document states it unambiguously.',
    ),
    period_end: orNull(
      Type.String({ format: 'date' }),
      'Last day of the period that it reports on; null if it does not state it.',
    ),
    url: orNull(Type.String(), 'Its address at the register; null where its number leads to none.'),
  },
  { ...strict, $id: 'FilingUsed' },
)
export type FilingUsed = Static<typeof FilingUsed>

export const Dimension = Type.Object(
  {
    axis: Type.String({ examples: ['srt:ProductOrServiceAxis'] }),
    member: Type.String({ examples: ['aapl:IPhoneMember'] }),
    label: orNull(Type.String(), "The company's label of the member; null if its source has none."),
  },
  { ...strict, $id: 'Dimension' },
)
export type Dimension = Static<typeof Dimension>

/** A figure exactly as its filing states it. */
export const figureFields = {
  value: orNull(
    Type.String(),
    'The value as stated: a plain decimal that is never rounded. null: the filing states that there is none.',
  ),
  number: orNull(
    Type.Number(),
    'The same as a JSON number, if a double shows exactly these digits; otherwise null.',
  ),
  decimals: Type.Union([Type.Integer(), Type.Literal('INF'), Type.Null()], {
    description:
      'The stated accuracy: -6 for a value in millions, INF for an exact one; null if the source does not state it, as data sets do not.',
    examples: [-6],
  }),
  unit: Type.String({ examples: ['USD'] }),
}

export const periodFields = {
  start: orNull(
    Type.String({ format: 'date' }),
    'First day; null for a balance, and if the source states only the length.',
  ),
  end: day('Last day. The source may round it to the end of a month, as data sets do.'),
  quarters: Type.Integer({
    description:
      'Length in quarters, rounded; 0 for a balance, and for a flow of up to 45 days, which has a `start`.',
    examples: [4],
  }),
  fy: orNull(Type.Integer(), 'The fiscal year in which the period ends; null if it is not known.'),
  fp: orNull(
    Type.String(),
    'The fiscal period at whose end the period ends: FY, Q1, Q2 or Q3, and Q4 for a fourth quarter alone. Its length is in `quarters`: nine months that end with the third quarter are Q3 with 3 quarters.',
  ),
}
