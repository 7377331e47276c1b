import { type Static, type TInteger, type TOptional, Type } from '@sinclair/typebox'
import { AsOfPeriodSchema } from '../figureScore.ts'
import { LookAheadPremium } from '../premium/schema.ts'
import { type AuditReason, AuditReasonSchema, AuditStateSchema, auditReasons, StateCounts } from './states.ts'

const strict = { additionalProperties: false } as const
const count = (description: string) => Type.Integer({ minimum: 0, description })
const orNull = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Number>>(
  schema: T,
  description: string,
) => Type.Union([schema, Type.Null()], { description })

/** How a column was read, and how sure that is. */
export const AuditReading = Type.Object(
  {
    metric: Type.Optional(Type.String({ description: 'Present if the column is a metric.' })),
    tag: Type.Optional(Type.String({ description: 'Present if the column is a tag.' })),
    line: Type.Optional(Type.String({ description: 'Present if the column is a standard line.' })),
    recognised: Type.Union([Type.Literal('sent'), Type.Literal('name'), Type.Literal('values')], {
      description:
        'What says so. sent: the request; name: the name of the column, which may be that of a metric, tag or standard line; values: its values equal figures of this metric.',
    }),
    fp: AsOfPeriodSchema,
    scale: Type.Number({ description: 'How many units one of the column stands for.' }),
    sign: Type.Union([Type.Literal(1), Type.Literal(-1)]),
    splits: Type.Union([Type.Literal('as_filed'), Type.Literal('adjusted')]),
    units: Type.Array(Type.String(), { description: 'The units of the figures that its cells equal.' }),
    converted_from: Type.Array(Type.String(), {
      description:
        'Currencies from which the column seems to have been converted: on each date, its values are the same multiple of what companies that report in them had filed. Such cells cannot be judged.',
    }),
    rounding_unit: orNull(
      Type.Number(),
      'Nine of ten cells are multiples of this, in the unit of the column; finer cells are compared at their own precision. null: no rounding was found.',
    ),
    significant_digits: orNull(
      Type.Number(),
      'Nine of ten cells have at most this many significant digits, and large cells have no digits down to the rounding unit. null: no rounding to digits was found.',
    ),
    matched_share: Type.Number({
      description:
        'The share of sampled cells that equal a figure of the company, of whatever day, when the column is read this way. How sure the reading is: near 1 if the column is what it is taken for.',
    }),
    next_best: Type.Union(
      [
        Type.Object(
          {
            fp: AsOfPeriodSchema,
            scale: Type.Number(),
            sign: Type.Union([Type.Literal(1), Type.Literal(-1)]),
            matched_share: Type.Number(),
          },
          { ...strict, $id: 'AuditOtherReading' },
        ),
        Type.Null(),
      ],
      { description: 'The next best reading; null if the request leaves no other.' },
    ),
  },
  { ...strict, $id: 'AuditReading' },
)
export type AuditReading = Static<typeof AuditReading>

export const AuditYear = Type.Object(
  { year: Type.Integer({ description: "Of the row's date." }), counts: StateCounts },
  { ...strict, $id: 'AuditYear' },
)

/** Cells by the number of days after the row's date at which their figure was first filed. */
export const AuditLag = Type.Object(
  {
    from_days: Type.Integer({ description: 'First day of the class; 0 is the day of the row.' }),
    to_days: Type.Union([Type.Integer(), Type.Null()], { description: 'Last day; null: no bound.' }),
    announced: count('Cells of this state.'),
    restated: count('Cells of this state.'),
    early: count('Cells of this state.'),
  },
  { ...strict, $id: 'AuditLag' },
)
export type AuditLag = Static<typeof AuditLag>

const ReasonCounts = Type.Object(
  Object.fromEntries(
    auditReasons.map(reason => [reason, Type.Optional(count('Cells with this reason.'))]),
  ) as Record<AuditReason, TOptional<TInteger>>,
  {
    ...strict,
    $id: 'AuditReasonCounts',
    description:
      'Cells in state no_match that would match if they were read in another way, and cells in state restated whose restatement is a split, by reason; reasons without cells are absent.',
  },
)

export const AuditedColumn = Type.Object(
  {
    name: Type.String({ description: 'As sent.' }),
    reading: AuditReading,
    counts: StateCounts,
    years: Type.Array(AuditYear, { description: 'The same by year of the row.' }),
    lags: Type.Array(AuditLag, {
      description: 'The same by days; the classes are the same for all columns.',
    }),
    reasons: ReasonCounts,
  },
  { ...strict, $id: 'AuditedColumn' },
)
export type AuditedColumn = Static<typeof AuditedColumn>

/** One cell that could not have been known. */
export const WorstCell = Type.Object(
  {
    row: Type.Integer({ minimum: 1, description: 'Counted from 1, without a header.' }),
    date: Type.String({ description: 'As sent; the time of rows with times.' }),
    ticker: Type.String({ description: 'As sent.' }),
    column: Type.String(),
    value: Type.Number({ description: 'As sent.' }),
    known: orNull(Type.Number(), 'What was known, read like the column; null: nothing.'),
    state: AuditStateSchema,
    reason: Type.Union([AuditReasonSchema, Type.Null()]),
    days: Type.Union([Type.Integer(), Type.Null()], {
      description: "Days from the row's date to the filing of the figure that the cell equals.",
    }),
    period_end: orNull(Type.String({ format: 'date' }), 'Last day of the period of that figure.'),
    filed: orNull(Type.String({ format: 'date' }), 'Day of its filing.'),
    filing: orNull(Type.String(), 'Accession of its filing.'),
    issuer_id: orNull(Type.String(), 'Register number of its company.'),
    url: orNull(Type.String(), 'The filing at its register, or on this server; null: it has no page.'),
  },
  { ...strict, $id: 'AuditWorstCell' },
)
export type WorstCell = Static<typeof WorstCell>

export const maxWorstCells = 100

/** The look-ahead premium of one column. */
export const ColumnPremium = Type.Object(
  {
    column: Type.String({ description: 'The column whose values are the score.' }),
    result: Type.Union([LookAheadPremium, Type.Null()], { description: 'null: `reason` says why.' }),
    reason: orNull(Type.String(), 'Why there is no result.'),
  },
  { ...strict, $id: 'ColumnPremium' },
)
export type ColumnPremium = Static<typeof ColumnPremium>
