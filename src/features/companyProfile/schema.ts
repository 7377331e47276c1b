import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from '../../dates.ts'
import { DataVersionParameter } from '../../http/pinned.ts'
import { freeLicenceNotice } from '../../rights/licences.ts'
import { CoverageCheck, CoverageCheckParams, MetricCoverage } from '../coverage/schema.ts'

const strict = { additionalProperties: false } as const
const day = Type.String({ format: 'date' })
const orNull = <T extends ReturnType<typeof Type.String>>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const CompanyParams = Type.Object({ id: CoverageCheckParams.properties.id }, strict)

export const CompanyQuery = Type.Object(
  {
    as_of: Type.Optional(
      IsoDateSchema('What was known of the company on this day. Default today (UTC).', '2010-03-31'),
    ),
    data_version: DataVersionParameter,
  },
  strict,
)
export type CompanyQuery = Static<typeof CompanyQuery>

const Sector = Type.Object(
  {
    scheme: Type.String({
      description: 'SIC (SEC), EDINET (its 33 industries), KSIC (Korea).',
      examples: ['SIC'],
    }),
    code: Type.String({ examples: ['3571'] }),
    name: orNull(Type.String(), 'null: the register states the code alone.'),
  },
  { ...strict, $id: 'Sector' },
)

const since = {
  filed: Type.String({ format: 'date', description: 'Filing day of the document that states it.' }),
}

const FiledName = Type.Object(
  { value: Type.String({ examples: ['APPLE INC'] }), ...since },
  { ...strict, $id: 'FiledName' },
)
const FiledYearEnd = Type.Object(
  { value: Type.String({ description: 'MMDD', examples: ['0930'] }), ...since },
  { ...strict, $id: 'FiledYearEnd' },
)
const FiledSector = Type.Object({ ...Sector.properties, ...since }, { ...strict, $id: 'FiledSector' })

export const CompanyToday = Type.Object(
  {
    name: orNull(Type.String(), "The register's own name."),
    other_names: Type.Array(Type.String(), {
      description: 'In other languages or scripts, and trading names, as the register gives them.',
    }),
    status: orNull(Type.String(), 'listed or unlisted, where the register says so.'),
    exchange: orNull(Type.String(), 'Where the register names it.'),
    sector: Type.Union([Sector, Type.Null()]),
    fiscal_year_end: orNull(Type.String(), 'MMDD'),
    current_ids: Type.Array(Type.String(), { description: 'The preferred one first.' }),
    former_ids: Type.Array(Type.String(), {
      description: 'They stay valid, unless another company has one.',
    }),
  },
  {
    ...strict,
    $id: 'CompanyToday',
    description:
      'What the register states without a day, so that it is known as of today only. Left out for a past as_of.',
  },
)

export const Company = Type.Object(
  {
    object: Type.Literal('company'),
    licence: Type.Optional(
      Type.String({ description: 'Demo and free keys only.', examples: [freeLicenceNotice] }),
    ),
    id: Type.String({ description: 'The ID that was sent.', examples: ['320193'] }),
    ticker: CoverageCheck.properties.ticker,
    issuer_id: CoverageCheck.properties.issuer_id,
    market: CoverageCheck.properties.market,
    as_of: Type.String({ format: 'date' }),
    data_version: Type.Integer(),
    name: Type.Union([FiledName, Type.Null()], {
      description: 'From the latest filing by as_of whose document states it; null: none does.',
    }),
    sector: Type.Union([FiledSector, Type.Null()], { description: 'Likewise.' }),
    fiscal_year_end: Type.Union([FiledYearEnd, Type.Null()], { description: 'Likewise.' }),
    currency: orNull(Type.String(), 'Of the latest year with figures in money by as_of.'),
    first_filed: orNull(day, 'Day of the first filing on record; null: none by as_of.'),
    last_filed: orNull(day, 'Day of the last filing by as_of.'),
    filings: Type.Integer({ description: 'Filings on record by as_of.' }),
    metrics: Type.Array(MetricCoverage, { description: 'Metrics with figures by as_of.' }),
    today: Type.Optional(CompanyToday),
    attribution: Type.Array(Type.String()),
    note: Type.Optional(Type.String({ description: 'What is assumed about the ID, or has changed.' })),
  },
  { ...strict, $id: 'Company' },
)
export type Company = Static<typeof Company>
