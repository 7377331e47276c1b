import { type Static, Type } from '@sinclair/typebox'
import { columns } from '../../formats/columns.ts'
import { companyFieldSchemas, companyParameters, day, figureFields, periodFields, strict } from './schema.ts'

export const maxReported = 5_000
export const defaultReported = 1_000

/** Tables of Taiwan and New Zealand have columns and fields without a prefix, and Korean names any letters and signs. */
export const tagPattern = '^\\S{1,300}$'
export const tagAllowed = 'a tag as filings spell it, without spaces, like us-gaap:Revenues'

/** GET /api/v1/reported: every figure of a tag. */
export const ReportedQuery = Type.Object(
  {
    ...companyParameters,
    tag: Type.String({
      pattern: tagPattern,
      allowed: tagAllowed,
      description:
        "The tag, as filings spell it. It may be the company's own: `custom:` in data sets and the company's prefix in its documents name the same tag.",
      examples: ['us-gaap:Revenues'],
    }),
    dimensions: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9_.:-]{0,250}$',
        allowed: 'none, all or an axis, like srt:ProductOrServiceAxis',
        default: 'none',
        description:
          'none: figures of the whole company. all: those of its parts, too. An axis: those that have it, perhaps with others. Prefix, `Statement` and `Axis` in its name do not matter, because data sets leave them out.',
        examples: ['srt:ProductOrServiceAxis'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxReported,
        default: defaultReported,
        description: 'Maximum number of figures on a page.',
        examples: [defaultReported],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          'The `next` of the previous page, with the other parameters unchanged; only `limit` and `format` may change. It is signed.',
        examples: ['kx0cZcJ2Y0mVb3f5w1qk7Q3vJm0lTzV9u8h2b6a1c4VbIlVTIiwiMjAxMC0wMi0wMSJd'],
      }),
    ),
  },
  strict,
)
export type ReportedQuery = Static<typeof ReportedQuery>

const ReportedRow = Type.Object(
  {
    tag: Type.String({ description: 'As the filing spells it.', examples: ['us-gaap:Revenues'] }),
    ...periodFields,
    dimensions: Type.Array(Type.String(), {
      description: 'Axes with their members; empty for the whole company.',
      examples: [['srt:ProductOrServiceAxis=aapl:IPhoneMember']],
    }),
    ...figureFields,
    filed: day('Day on which the filing was filed and the figure became known.'),
    form: Type.String({ description: 'Kind of the filing.', examples: ['10-K'] }),
    accession: Type.String({
      description: "The register's number of the filing.",
      examples: ['0001193125-10-012091'],
    }),
  },
  { ...strict, $id: 'ReportedFigure' },
)
export type ReportedRow = Static<typeof ReportedRow>

const { ticker, issuer_id, market, ...more } = companyFieldSchemas

export const ReportedList = Type.Object(
  {
    object: Type.Literal('reported_list'),
    ticker,
    issuer_id,
    market,
    tag: Type.String({ description: 'As it was sent.' }),
    dimensions: Type.String({ description: 'none, all or an axis, as it was sent.' }),
    ...more,
    filings: Type.Integer({ description: 'How many filings this page covers, with or without the tag.' }),
    count: Type.Integer({ description: 'Number of rows in data.' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `cursor` to get the figures of earlier filings; null on the last page.',
    }),
    data: Type.Array(ReportedRow, {
      description:
        'A row for each statement of a figure: the same figure in two filings is two rows, its vintages. The latest filing first; in a filing the latest period first.',
    }),
  },
  { ...strict, $id: 'ReportedList' },
)
export type ReportedList = Static<typeof ReportedList>

export const reportedSheet = columns({
  tag: 'text',
  start: 'day',
  end: 'day',
  quarters: 'whole',
  fy: 'whole',
  fp: 'text',
  dimensions: 'text',
  value: 'text',
  number: 'number',
  decimals: 'text',
  unit: 'text',
  filed: 'day',
  form: 'text',
  accession: 'text',
})
