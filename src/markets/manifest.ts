import { type Static, Type } from '@sinclair/typebox'
import { Metric, MetricDefinition } from './metrics.ts'

const strict = { additionalProperties: false } as const
const text = (description: string) => Type.String({ minLength: 1, description })
const day = (description: string) => Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description })

const CostComponent = Type.Object(
  {
    name: text('What is paid for.'),
    kind: Type.Union([Type.Literal('statutory'), Type.Literal('assumption')], {
      description:
        'statutory: a tax or fee that the source imposes. assumption: our estimate, not a measurement.',
    }),
    side: Type.Union([Type.Literal('buy'), Type.Literal('sell'), Type.Literal('both')]),
    bps: Type.Number({
      minimum: 0,
      maximum: 1_000,
      description: 'Basis points of the traded value, for each side that pays it.',
    }),
    source: text('The law or order; for an assumption, the word Assumption and the reasoning.'),
    date: day('First day on which the rate applies; for an assumption, the day on which it was made.'),
    note: Type.Optional(text('Cases in which it does not apply.')),
  },
  { ...strict, $id: 'CostComponent' },
)

export const TradingCosts = Type.Object(
  {
    round_trip_bps: Type.Number({
      minimum: 0,
      maximum: 1_000,
      description: 'Basis points of a purchase and a sale combined.',
    }),
    components: Type.Array(CostComponent, { minItems: 1 }),
    note: Type.Optional(text('What the costs do not include.')),
  },
  { ...strict, $id: 'TradingCosts' },
)
export type TradingCosts = Static<typeof TradingCosts>

export const DefaultManifest = Type.Object(
  { description: text('When these costs are used.'), costs: TradingCosts },
  strict,
)
export type DefaultManifest = Static<typeof DefaultManifest>

const Identifier = Type.Object(
  {
    format: text('The form of the ID to send as `ticker`, in words.'),
    pattern: text('Regular expression of the ID in upper case.'),
    example: text('An ID that exists.'),
    suffixes: Type.Array(Type.String({ pattern: '^\\.[A-Z]{2}$' }), {
      description: "Suffixes that may follow the register's number in the ID. Empty: none.",
    }),
    note: Type.Optional(text('Exceptions.')),
  },
  { ...strict, $id: 'MarketIdentifier' },
)

const IssuerNumber = Type.Object(
  {
    name: text('What the register calls its number.'),
    pattern: text(
      'Regular expression of the number as users write it; its first group is the number itself.',
    ),
    digits: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 20,
        description: 'Shorter numbers are zero-filled to this width.',
      }),
    ),
    example: text('A number that exists, as `issuer_id` shows it.'),
  },
  { ...strict, $id: 'IssuerNumber' },
)

const RegisterDocument = Type.Object(
  {
    url: Type.String({
      pattern: '^https://',
      description:
        'Public address of a filing: {issuer} is the number of the company without leading zeros, {number} that of the filing, {digits} the same without hyphens.',
    }),
    pattern: text('Regular expression of the numbers of filings that have this address.'),
  },
  {
    ...strict,
    $id: 'RegisterDocument',
    description: 'Left out where the number of a filing does not lead to an address.',
  },
)

const Sync = Type.Object(
  {
    address: Type.String({ pattern: '^https?://', description: 'Base address of the requests.' }),
    requests_per_second: Type.Number({
      exclusiveMinimum: 0,
      maximum: 10,
      description: 'Maximum request rate: the published limit of the register, or less.',
    }),
    user_agent: Type.Union([Type.Literal('contact'), Type.Literal('product')], {
      description:
        'contact: a name and an e-mail address, where the register requires them. product: the name of this service.',
    }),
    limit: text('The rate limit that the register publishes, or that it publishes none.'),
  },
  { ...strict, $id: 'RegisterSync' },
)

/** The description of a market, as the API serves it. */
export const Manifest = Type.Object(
  {
    code: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166 code; the `market` of a request.' }),
    name: text('The country.'),
    status: Type.Union([Type.Literal('served'), Type.Literal('announced')], {
      description: 'announced: described here, but without an importer yet and so without rows.',
    }),
    register: Type.Object(
      {
        name: text('Register.'),
        operator: text('The operator of the register.'),
        url: text('Its website.'),
        document: Type.Optional(RegisterDocument),
      },
      { ...strict, $id: 'Register' },
    ),
    id: Identifier,
    issuer: IssuerNumber,
    reporting_basis: Type.Object(
      {
        scope: text('Which companies file.'),
        consolidation: text('Group or single entity.'),
        standards: text('Accounting standards.'),
        periods: text('Which periods the filings state.'),
        revenue: text('What revenue means here and how often it is missing.'),
        since: text('Start of the filings covered.'),
      },
      { ...strict, $id: 'ReportingBasis' },
    ),
    currency: Type.String({
      pattern: '^[A-Z]{3}\\b',
      description: 'Currency of the values, beginning with the code of the one that is usual.',
    }),
    calendar: Type.Object(
      {
        timezone: Type.String({ minLength: 1, description: 'IANA zone in which `filed` is a day.' }),
        fiscal_year: text('How fy and fp are derived from a period.'),
        sessions: Type.Optional(
          Type.String({
            pattern: '^[A-Z]{4}$',
            description:
              'The exchange (ISO 10383 code) whose sessions `as_of=...@open` and `@close` refer to. Absent if none is known.',
          }),
        ),
      },
      { ...strict, $id: 'MarketCalendar' },
    ),
    filed: Type.Object(
      {
        rule: text('How `filed` is determined.'),
        sources: Type.Optional(Type.Array(text('A page that supports the rule, and what that page states.'))),
        undated: Type.Optional(
          text('For accounts without a date of their own: why a company may be listed without figures.'),
        ),
        kind: Type.Union([
          Type.Literal('filing_date'),
          Type.Literal('statutory_deadline'),
          Type.Literal('mixed'),
        ]),
      },
      { ...strict, $id: 'FilingDates' },
    ),
    restatements: text('How restated figures are handled.'),
    source_notice: text('The `source` of each row.'),
    attribution: text('The statutory attribution of a response with rows of this market.'),
    licence: Type.Object(
      {
        name: text('Terms under which the register provides its data.'),
        url: text('Where the terms are published.'),
        verified: Type.Boolean({
          description: 'false: the terms must be checked before the market is served.',
        }),
        note: Type.Optional(text('What the terms require.')),
      },
      { ...strict, $id: 'RegisterLicence' },
    ),
    sync: Sync,
    costs: TradingCosts,
    metrics: Type.Array(MetricDefinition, { description: 'Metrics in addition to the canonical ones.' }),
    year_to_date: Type.Array(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), {
      description: 'Flows that are also served as `<metric>_ytd`.',
    }),
    unstated: Type.Array(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), {
      description: 'Canonical metrics and ratios that the register never reports.',
    }),
    absences: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), Type.String({ minLength: 1 }), {
      description: 'Reasons why a metric is often missing, by metric.',
    }),
    notes: Type.Array(text('What users of the figures need to know.')),
  },
  { ...strict, $id: 'Manifest' },
)
export type Manifest = Static<typeof Manifest>

/** manifests/<code>.yaml. */
export const ManifestFile = Type.Object({ ...Manifest.properties, metrics: Type.Array(Metric) }, strict)
export type ManifestFile = Static<typeof ManifestFile>
