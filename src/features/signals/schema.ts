import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from '../../dates.ts'
import { type Column, FormatSchema } from '../../formats/columns.ts'
import { Horizon } from '../../horizons.ts'

export const SignalStatus = Type.Union([Type.Literal('won'), Type.Literal('lost'), Type.Literal('flat')])
export type SignalStatus = Static<typeof SignalStatus>

export const SignalSource = Type.Union([Type.Literal('live'), Type.Literal('backfill')])
export type SignalSource = Static<typeof SignalSource>

/** What a ticker of a signal looks like. It cannot open a spreadsheet formula and needs no escaping in JSON or
 * CSV; the table `signal` checks the same pattern. */
export const signalTickerPattern = '^[A-Z0-9^][A-Z0-9.^=_:/&-]{0,31}$'

export const SignalRow = Type.Object(
  {
    date: IsoDateSchema('The observation date.', '2017-10-31'),
    ticker: Type.String({ pattern: signalTickerPattern, description: 'The name the forecast is about.' }),
    market: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO code of the market.' }),
    horizon: Horizon,
    predicted_pct: Type.Number({
      description: 'The forecast forward return over the horizon, a fraction (0.025 is +2.5%).',
    }),
    actual_pct: Type.Number({
      description: 'The realised forward return over the horizon, a fraction (0.025 is +2.5%).',
    }),
    status: Type.Union(SignalStatus.anyOf, {
      description:
        'won: forecast and outcome have the same sign; lost: they do not; flat: either is exactly 0.',
    }),
    source: Type.Union(SignalSource.anyOf, {
      description: 'live: recorded before the outcome was known; backfill: recorded afterwards.',
    }),
  },
  { additionalProperties: false },
)
export type SignalRow = Static<typeof SignalRow>

/** Columns of the rows as a sheet, in the order of the JSON row. */
export const signalSheet = [
  { name: 'date', kind: 'day' },
  { name: 'ticker', kind: 'text' },
  { name: 'market', kind: 'text' },
  { name: 'horizon', kind: 'text' },
  { name: 'predicted_pct', kind: 'number' },
  { name: 'actual_pct', kind: 'number' },
  { name: 'status', kind: 'text' },
  { name: 'source', kind: 'text' },
] as const satisfies readonly Column<keyof SignalRow>[]

/** Field -> description, as every signal list carries it. */
export const signalSchema: Readonly<Record<string, string>> = Object.freeze(
  Object.fromEntries(
    Object.entries(SignalRow.properties).map(([field, schema]) => [field, schema.description ?? '']),
  ),
)

export const signalLimit = { most: 50_000, usual: 5_000 } as const

export const SignalsQuery = Type.Object(
  {
    market: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{2}$',
        description: 'Market code, for example US, TW or HK; omit for all.',
        examples: ['US'],
      }),
    ),
    horizon: Type.Optional(Type.Union(Horizon.anyOf, { description: 'Omit for all.', examples: ['1d'] })),
    from: Type.Optional(IsoDateSchema('First observation date.', '2017-01-02')),
    to: Type.Optional(IsoDateSchema('Last observation date.', '2017-10-31')),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: signalLimit.most,
        default: signalLimit.usual,
        description: 'At most this many rows; `next` continues after them.',
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        pattern: '^[A-Za-z0-9_-]+$',
        description: 'The `next` of the response before; continues after its last row.',
        examples: ['MjAxNy0wOC0zMSBBQkIgMSBVUw'],
      }),
    ),
    format: FormatSchema,
  },
  { additionalProperties: false },
)
export type SignalsQuery = Static<typeof SignalsQuery>

export const SignalList = Type.Object(
  {
    object: Type.Literal('signal_list'),
    tier: Type.String({ description: 'The plan of the key that asked.' }),
    full_access: Type.Boolean({ description: 'True with the quant plan; otherwise the view is delayed.' }),
    delayed_days: Type.Integer({ description: 'The view ends this many days before today.' }),
    count: Type.Integer({ minimum: 0, description: 'Rows in `data`.' }),
    schema: Type.Record(Type.String(), Type.String(), { description: 'What each field of a row means.' }),
    data_version: Type.Integer({ minimum: 0, description: 'The version of the data that was read.' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `cursor` for the rows after these; null at the end.',
    }),
    licence: Type.Optional(Type.String({ description: 'Of free and demo responses only.' })),
    data: Type.Array(SignalRow),
  },
  { additionalProperties: false },
)
export type SignalList = Static<typeof SignalList>
