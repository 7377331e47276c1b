import { type Static, Type } from '@sinclair/typebox'
import { queryReader } from '../../../http/parameters.ts'
import { SegmentsQuery } from '../../statements/segmentsSchema.ts'
import { StatementQuery } from '../../statements/statementSchema.ts'
import { companyAddress, queryText } from '../companyFrame.ts'
import { downloadFormats } from '../downloads.ts'

const strict = { additionalProperties: false } as const
const { statement, view, fp, fy, as_of, tz, accession, filings } = StatementQuery.properties

export const StatementPageQuery = Type.Object(
  {
    statement: Type.Optional(statement),
    view,
    as_of,
    tz,
    fp,
    fy,
    accession,
    filings,
    /**
     * A tag, whose history is listed, or one figure of it: `us-gaap:Assets~2009-09-26~0`. With view=standard a figure of a
     * standard line: `assets~2009-09-26~0`.
     */
    cell: Type.Optional(
      Type.String({
        pattern: '^[^\\s~]{1,300}(~[0-9]{4}-[0-9]{2}-[0-9]{2}~[0-9]{1,3}(~[^~]{1,600}){0,8})?$',
        allowed: 'a tag and a period like us-gaap:Assets~2009-09-26~0',
        maxLength: 2_000,
      }),
    ),
  },
  strict,
)
export type StatementPageQuery = Static<typeof StatementPageQuery>
export const readStatementPageQuery = queryReader(StatementPageQuery)

const { cell: _, ...ofStatement } = StatementPageQuery.properties

export const StatementDownloadQuery = Type.Object(
  { ...ofStatement, format: Type.Optional(Type.Union(downloadFormats.map(format => Type.Literal(format)))) },
  strict,
)
export type StatementDownloadQuery = Static<typeof StatementDownloadQuery>
export const readStatementDownloadQuery = queryReader(StatementDownloadQuery)

export const SegmentsPageQuery = Type.Object(
  {
    metric: SegmentsQuery.properties.metric,
    tag: SegmentsQuery.properties.tag,
    axis: Type.Optional(SegmentsQuery.properties.axis),
    as_of,
    tz,
    fp,
    fy,
    bars: Type.Optional(Type.Union([Type.Literal('shares'), Type.Literal('amounts')])),
  },
  strict,
)
export type SegmentsPageQuery = Static<typeof SegmentsPageQuery>
export const readSegmentsPageQuery = queryReader(SegmentsPageQuery)

const { bars: __, ...ofSegments } = SegmentsPageQuery.properties

export const SegmentsDownloadQuery = Type.Object(
  { ...ofSegments, format: StatementDownloadQuery.properties.format },
  strict,
)
export type SegmentsDownloadQuery = Static<typeof SegmentsDownloadQuery>
export const readSegmentsDownloadQuery = queryReader(SegmentsDownloadQuery)

export const statementPath = (ticker: string, query: StatementPageQuery = {}): string =>
  `${companyAddress(ticker)}/statements${queryText(query)}`

export const statementDownloadPath = (ticker: string, query: StatementDownloadQuery): string =>
  `${companyAddress(ticker)}/statements/download${queryText(query)}`

export const segmentsPath = (ticker: string, query: SegmentsPageQuery = {}): string =>
  `${companyAddress(ticker)}/segments${queryText(query)}`

export const segmentsDownloadPath = (ticker: string, query: SegmentsDownloadQuery): string =>
  `${companyAddress(ticker)}/segments/download${queryText(query)}`
