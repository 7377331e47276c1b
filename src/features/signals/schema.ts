import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from '../../dates.ts'
import { type Column, CommentsSchema, columns, FormatSchema } from '../../formats/columns.ts'
import { Horizon } from '../../horizons.ts'
import { DataVersionParameter } from '../../http/pinned.ts'
import { MarketCode } from '../../markets/parameters.ts'

/**
 * The pattern of a signal's ticker. Such a ticker cannot start a spreadsheet formula and needs no escaping in
 * JSON or CSV. The table `signal` enforces the same pattern.
 */
export const signalTickerPattern = '^[A-Z0-9^][A-Z0-9.^=_:/&-]{0,31}$'

export const SignalRow = Type.Object(
  {
    date: IsoDateSchema('The observation date.', '2017-10-31'),
    ticker: Type.String({ pattern: signalTickerPattern, description: 'The name that the forecast is for.' }),
    market: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO code of the market.' }),
    horizon: Horizon,
    predicted_pct: Type.Number({
      description: 'The forecast return over the horizon, as a fraction (0.025 is +2.5%).',
    }),
    actual_pct: Type.Number({
      description: 'The realised return over the horizon, as a fraction (0.025 is +2.5%).',
    }),
    status: Type.Union([Type.Literal('won'), Type.Literal('lost'), Type.Literal('flat')], {
      description:
        'won: forecast and outcome have the same sign; lost: they do not; flat: either is exactly 0.',
    }),
    source: Type.Union([Type.Literal('live'), Type.Literal('backfill')], {
      description:
        "live: recorded by the server's clock before the date had ended in the market's time zone; backfill: everything else.",
    }),
  },
  { additionalProperties: false, $id: 'SignalRow' },
)
export type SignalRow = Static<typeof SignalRow>

/** Columns of the rows in CSV and Parquet, in the order of the JSON row. */
export const signalSheet = columns({
  date: 'day',
  ticker: 'text',
  market: 'text',
  horizon: 'text',
  predicted_pct: 'number',
  actual_pct: 'number',
  status: 'text',
  source: 'text',
}) satisfies readonly Column<keyof SignalRow>[]

/** Descriptions of the fields, as every signal list contains them. */
export const signalSchema: Readonly<Record<string, string>> = Object.freeze(
  Object.fromEntries(
    Object.entries(SignalRow.properties).map(([field, schema]) => [field, schema.description ?? '']),
  ),
)

/** Signals for earlier days are refused. */
export const firstSignalDay = '1900-01-01'

export const signalLimit = { max: 50_000, default: 5_000 } as const

export const SignalsQuery = Type.Object(
  {
    market: Type.Optional(MarketCode('Market code, for example US, TW or HK. Omit it for all markets.')),
    horizon: Type.Optional(
      Type.Union(Horizon.anyOf, { description: 'Omit it for all horizons.', examples: ['1d'] }),
    ),
    from: Type.Optional(IsoDateSchema('First observation date.', '2017-01-02')),
    to: Type.Optional(IsoDateSchema('Last observation date.', '2017-10-31')),
    data_version: DataVersionParameter,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: signalLimit.max,
        default: signalLimit.default,
        description: 'Maximum number of rows on a page; `next` continues after them.',
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'The `next` of the previous page, with the other parameters unchanged; continues after its last row. It is signed.',
        examples: ['kx0cZcJ2Y0mVb3f5w1qk7Q3vJm0lTzV9u8h2b6a1c4UyMDE3LTA4LTMxIEFCQiAxIFVT'],
      }),
    ),
    format: FormatSchema,
    comments: CommentsSchema,
  },
  { additionalProperties: false },
)
export type SignalsQuery = Static<typeof SignalsQuery>

export const SignalList = Type.Object(
  {
    object: Type.Literal('signal_list'),
    tier: Type.String({ description: 'The plan of the key.' }),
    full_access: Type.Boolean({ description: 'True with the quant plan; without it the view is delayed.' }),
    delayed_days: Type.Integer({ description: 'The view ends this many days before today.' }),
    count: Type.Integer({ minimum: 0, description: 'Rows in `data`.' }),
    schema: Type.Record(Type.String(), Type.String(), { description: 'What each field of a row means.' }),
    data_version: Type.Integer({ minimum: 0, description: 'The data version of the rows.' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `cursor` to get the rows after these; null on the last page.',
    }),
    licence: Type.Optional(Type.String({ description: 'Demo and free keys only.' })),
    note: Type.Optional(Type.String({ description: 'Why there are no rows.' })),
    data: Type.Array(SignalRow),
  },
  { additionalProperties: false, $id: 'SignalList' },
)
export type SignalList = Static<typeof SignalList>
