import { type Static, Type } from '@sinclair/typebox'
import { MetricDefinition } from './metrics.ts'

const strict = { additionalProperties: false } as const
const text = (description: string) => Type.String({ minLength: 1, description })
const day = (description: string) => Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description })

export const CostComponent = Type.Object(
  {
    name: text('What is paid.'),
    kind: Type.Union([Type.Literal('statutory'), Type.Literal('assumption')], {
      description:
        'statutory: a tax or fee that the source imposes. assumption: our estimate, not a measurement.',
    }),
    side: Type.Union([Type.Literal('buy'), Type.Literal('sell'), Type.Literal('both')]),
    bps: Type.Number({
      minimum: 0,
      maximum: 1_000,
      description: 'Basis points of the traded value, a side.',
    }),
    source: text('The law or order, or the word assumption with its reasoning.'),
    date: day('Since when the rate applies; for an assumption, when it was made.'),
    note: Type.Optional(text('Whom or what it does not fit.')),
  },
  strict,
)
export type CostComponent = Static<typeof CostComponent>

export const TradingCosts = Type.Object(
  {
    round_trip_bps: Type.Number({
      minimum: 0,
      maximum: 1_000,
      description: 'A purchase and a sale together.',
    }),
    components: Type.Array(CostComponent, { minItems: 1 }),
    note: Type.Optional(text('What the costs leave out.')),
  },
  strict,
)
export type TradingCosts = Static<typeof TradingCosts>

export const DefaultManifest = Type.Object(
  { description: text('When these costs are used.'), costs: TradingCosts },
  strict,
)
export type DefaultManifest = Static<typeof DefaultManifest>

const Identifier = Type.Object(
  {
    format: text('The ID to send as `ticker`, in words.'),
    pattern: text('Regular expression of the ID, after it was put in upper case.'),
    example: text('An ID that exists.'),
    suffixes: Type.Array(Type.String({ pattern: '^\\.[A-Z]{2}$' }), {
      description: "What follows the register's number in the ID. Empty: nothing.",
    }),
    note: Type.Optional(text('Exceptions.')),
  },
  strict,
)

const IssuerNumber = Type.Object(
  {
    name: text('What the register calls its number.'),
    pattern: text(
      'Regular expression of the number as people write it; its first group is the number itself.',
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
  strict,
)

const Sync = Type.Object(
  {
    address: Type.String({ pattern: '^https?://', description: 'Where the register is asked.' }),
    requests_per_second: Type.Number({
      exclusiveMinimum: 0,
      maximum: 10,
      description: 'The most that it is asked: its published limit, or less.',
    }),
    user_agent: Type.Union([Type.Literal('contact'), Type.Literal('product')], {
      description:
        'contact: the register wants to know who asks, by name and e-mail address. product: the name of this service.',
    }),
    limit: text('What the register says about how often it may be asked; or that it says nothing.'),
  },
  strict,
)

/** How a market is read: served as it stands in manifests/<code>.yaml. */
export const Manifest = Type.Object(
  {
    code: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166 code; the `market` of a request.' }),
    name: text('The country.'),
    status: Type.Union([Type.Literal('served'), Type.Literal('announced')], {
      description: 'announced: described here, but no importer ships yet, so there are no rows.',
    }),
    register: Type.Object(
      { name: text('Register.'), operator: text('Who keeps it.'), url: text('Where.') },
      strict,
    ),
    id: Identifier,
    issuer: IssuerNumber,
    reporting_basis: Type.Object(
      {
        scope: text('Which entities file.'),
        consolidation: text('Group or single entity.'),
        standards: text('Accounting standards.'),
        periods: text('Which periods are stated.'),
        revenue: text('What revenue means here and how often it is missing.'),
        since: text('From when filings are covered.'),
      },
      strict,
    ),
    currency: text('Currency of the values.'),
    calendar: Type.Object(
      {
        timezone: Type.String({ minLength: 1, description: 'IANA zone in which `filed` is a day.' }),
        fiscal_year: text('How fy and fp follow from a period.'),
      },
      strict,
    ),
    filed: Type.Object(
      {
        rule: text('Where `filed` comes from.'),
        sources: Type.Optional(Type.Array(text('A page that was read, and what it says.'))),
        untold: Type.Optional(
          text('Where accounts do not say their own day: why an entity may be known here without figures.'),
        ),
        kind: Type.Union([
          Type.Literal('filing_date'),
          Type.Literal('statutory_deadline'),
          Type.Literal('mixed'),
        ]),
      },
      strict,
    ),
    restatements: text('What happens when a figure is stated again.'),
    source_notice: text('The `source` of each row.'),
    attribution: text('The statutory attribution of a response with rows of this market.'),
    licence: Type.Object(
      {
        name: text('Terms under which the register gives its data.'),
        url: text('Where they are published.'),
        verified: Type.Boolean({ description: 'false: to be read again before the market is served.' }),
        note: Type.Optional(text('What they ask for.')),
      },
      strict,
    ),
    sync: Sync,
    costs: TradingCosts,
    metrics: Type.Array(MetricDefinition, { description: 'Beyond the canonical metrics.' }),
    year_to_date: Type.Array(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), {
      description: 'Flows that are also served as `<metric>_ytd`.',
    }),
    unstated: Type.Array(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), {
      description: 'Canonical metrics and ratios that the register never states.',
    }),
    absences: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), Type.String({ minLength: 1 }), {
      description: 'Metric -> why it is often missing.',
    }),
    notes: Type.Array(text('What a user of the figures has to know.')),
  },
  strict,
)
export type Manifest = Static<typeof Manifest>
