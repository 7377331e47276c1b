import { type Static, Type } from '@sinclair/typebox'
import { symbolSources } from '../../facts/symbolSpells.ts'
import { DataVersionParameter } from '../../http/pinned.ts'
import { asOfParameter, zoneParameter } from '../../markets/asOf.ts'
import { companyStates } from '../../markets/companyStates.ts'
import { freeLicenceNotice } from '../../rights/licences.ts'
import { Lineage } from '../companies/lineage.ts'
import { CoverageCheck, CoverageCheckParams, MetricCoverage } from '../coverage/schema.ts'

const strict = { additionalProperties: false } as const
const day = Type.String({ format: 'date' })
const orNull = <T extends ReturnType<typeof Type.String>>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const CompanyParams = Type.Object({ id: CoverageCheckParams.properties.id }, strict)

export const CompanyQuery = Type.Object(
  {
    as_of: asOfParameter(
      'Only what was known about the company on this day. Default today (UTC).',
      '2010-03-31',
    ),
    tz: zoneParameter,
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

const FiledStatus = Type.Object(
  {
    code: Type.String({ description: 'As the register abbreviates it.', examples: ['1-LAF'] }),
    value: orNull(Type.String({ examples: ['large accelerated filer'] }), 'null: an unknown code.'),
    ...since,
  },
  { ...strict, $id: 'FiledStatus' },
)

const StateOfDay = Type.Object(
  {
    state: Type.Union(
      companyStates.map(state => Type.Literal(state)),
      { description: 'As in GET /api/v1/universe.' },
    ),
    since: day,
    accession: orNull(
      Type.String(),
      'Accession of the notice that ended the reporting; null: the state follows from reports, or from their absence.',
    ),
  },
  { ...strict, $id: 'StateOfDay' },
)

const FormerName = Type.Object(
  {
    name: Type.String({ examples: ['APPLE COMPUTER INC'] }),
    from: orNull(day, 'null: the register states only the last day.'),
    until: day,
  },
  { ...strict, $id: 'NameUntil' },
)

export const timelineKinds = [
  'name',
  'industry',
  'fiscal_year_end',
  'filer_status',
  'symbol',
  'registrant',
] as const
export type TimelineKind = (typeof timelineKinds)[number]

const TimelineSpell = Type.Object(
  {
    kind: Type.Union(timelineKinds.map(kind => Type.Literal(kind))),
    value: Type.String({ examples: ['SIC 3571'] }),
    from: Type.String({
      format: 'date',
      description:
        'Filing day of the first filing that states the value; for a symbol or a registrant, its first day.',
    }),
    until: orNull(day, 'First day of the next value; null: there was none by as_of.'),
    accession: orNull(
      Type.String(),
      'Accession of the first filing that states the value; null: it comes from another source.',
    ),
  },
  { ...strict, $id: 'TimelineSpell' },
)

const CompanySymbol = Type.Object(
  {
    symbol: Type.String({ examples: ['FB'] }),
    from: Type.String({
      format: 'date',
      description: 'First day, or the first day on which the symbol was seen.',
    }),
    source: Type.Union(
      symbolSources.map(source => Type.Literal(source)),
      {
        description:
          "filing: the cover page of a filing. register: a change of the register's own list between two readings. operator: a list that the operator of this service imported. If they contradict each other, the first in this order wins.",
      },
    ),
    known: Type.String({ format: 'date', description: 'Day on which this service first recorded it.' }),
    to: orNull(day, 'Last day; null: the company had the symbol on as_of, as far as known.'),
  },
  { ...strict, $id: 'CompanySymbol' },
)

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
    as_of: Type.String({ description: "The day, or the instant in the market's own zone." }),
    data_version: Type.Integer(),
    name: Type.Union([FiledName, Type.Null()], {
      description: 'From the latest filing by as_of whose document states it; null: none does.',
    }),
    sector: Type.Union([FiledSector, Type.Null()], { description: 'Likewise.' }),
    fiscal_year_end: Type.Union([FiledYearEnd, Type.Null()], { description: 'Likewise.' }),
    filer_status: Type.Union([FiledStatus, Type.Null()], {
      description: 'Likewise; only the data sets of the SEC state it.',
    }),
    state: Type.Union([StateOfDay, Type.Null()], { description: 'null: no report by as_of.' }),
    former_names: Type.Array(FormerName, {
      description:
        'Names that the company no longer had on as_of, with the days of their use as the register states them.',
    }),
    timeline: Type.Array(TimelineSpell, {
      description:
        'Values that its filings up to as_of stated, each with the filing that stated it first, together with its symbols and the registrants that succeeded one another, in order of the days.',
    }),
    currency: orNull(Type.String(), 'Of the latest year with figures in money by as_of.'),
    first_filed: orNull(day, 'Day of the first filing on record; null: none by as_of.'),
    last_filed: orNull(day, 'Day of the last filing by as_of.'),
    filings: Type.Integer({ description: 'Filings on record by as_of.' }),
    metrics: Type.Array(MetricCoverage, { description: 'Metrics with figures by as_of.' }),
    symbols: Type.Optional(
      Type.Array(CompanySymbol, {
        description:
          "What sources state about its symbols up to as_of, by first day. Absent if no source states anything: today's IDs are then assumed for every day.",
      }),
    ),
    lineage: Type.Optional(Lineage),
    today: Type.Optional(CompanyToday),
    attribution: Type.Array(Type.String()),
    note: Type.Optional(Type.String({ description: 'What is assumed about the ID, or has changed.' })),
  },
  { ...strict, $id: 'Company' },
)
export type Company = Static<typeof Company>
