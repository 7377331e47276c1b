import { type Static, Type } from '@sinclair/typebox'
import { columns } from '../../formats/columns.ts'
import { tagAllowed, tagPattern } from './reportedSchema.ts'
import {
  companyFieldSchemas,
  companyParameters,
  FilingUsed,
  figureFields,
  orNull,
  periodFields,
  periodParameters,
  strict,
} from './schema.ts'

/** GET /api/v1/segments: a metric by product, region or segment. */
export const SegmentsQuery = Type.Object(
  {
    ...companyParameters,
    metric: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z_]{1,64}$',
        allowed: 'the name of a metric',
        description:
          'The metric: the tags that stand for it are tried in order of preference. Or send `tag`.',
        examples: ['revenue'],
      }),
    ),
    tag: Type.Optional(
      Type.String({
        pattern: tagPattern,
        allowed: tagAllowed,
        description: 'Instead of `metric`: a tag, as filings spell it.',
        examples: ['us-gaap:Revenues'],
      }),
    ),
    axis: Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9_.:-]{0,250}$',
      allowed: 'product, geography, segment or an axis, like srt:ProductOrServiceAxis',
      description:
        'product, geography or segment, or any axis of the filing. Prefix, `Statement` and `Axis` in its name do not matter.',
      examples: ['product'],
    }),
    ...periodParameters,
  },
  strict,
)
export type SegmentsQuery = Static<typeof SegmentsQuery>

const SegmentMember = Type.Object(
  {
    member: Type.String({ examples: ['aapl:IPhoneMember'] }),
    label: orNull(Type.String(), "The company's label; null if the source has none, as data sets do not."),
    part_of: orNull(
      Type.String(),
      'The member above it in the presentation, which states a figure itself; only members without one are in the sum.',
    ),
    ...figureFields,
  },
  { ...strict, $id: 'SegmentMember' },
)

const Breakdown = Type.Object(
  {
    axis: Type.String({ description: 'As the filing spells it.', examples: ['srt:ProductOrServiceAxis'] }),
    title: orNull(
      Type.String(),
      'Where the filing presents the breakdown; null if its source does not say. The same axis may divide a figure in several ways, each presented on its own.',
    ),
    ...periodFields,
    unit: figureFields.unit,
    total: orNull(
      Type.String(),
      'The figure of the whole company for the same period in the same filing; null if it states none.',
    ),
    sum: Type.String({ description: 'The exact sum of the members that are not part of another one.' }),
    difference: orNull(Type.String(), '`total` - `sum`, exactly; null without a total.'),
    members: Type.Array(SegmentMember),
  },
  { ...strict, $id: 'Breakdown' },
)
export type Breakdown = Static<typeof Breakdown>

const { ticker, issuer_id, market, ...more } = companyFieldSchemas

export const SegmentsAnswer = Type.Object(
  {
    object: Type.Literal('segments'),
    ticker,
    issuer_id,
    market,
    metric: orNull(Type.String(), 'As it was sent.'),
    tag: orNull(Type.String(), 'The tag of the figures; null if there are none.'),
    ...more,
    filing: Type.Union([FilingUsed, Type.Null()], {
      description: 'The filing that states all figures of the answer; null if there are none.',
    }),
    count: Type.Integer({ description: 'Number of breakdowns in data.' }),
    data: Type.Array(Breakdown, { description: 'The latest period first.' }),
  },
  { ...strict, $id: 'Segments' },
)
export type SegmentsAnswer = Static<typeof SegmentsAnswer>

/** One row per member. */
export const segmentSheet = columns({
  ticker: 'text',
  tag: 'text',
  axis: 'text',
  title: 'text',
  start: 'day',
  end: 'day',
  quarters: 'whole',
  fy: 'whole',
  fp: 'text',
  member: 'text',
  label: 'text',
  part_of: 'text',
  value: 'text',
  number: 'number',
  decimals: 'text',
  unit: 'text',
  total: 'text',
  sum: 'text',
  difference: 'text',
  accession: 'text',
  filed: 'day',
})
