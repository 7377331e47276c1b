import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from '../dates.ts'
import { defaultDelistingReturn, defaultEntryLag, maxEntryLag } from './forwardReturns.ts'

/** The operator's prices from which the returns of the rows are computed. */
export const BacktestPrices = Type.Object(
  {
    set: Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
      allowed: 'the name of a price set, as GET /api/v1/prices lists it',
      description: 'Name of a price set that the key may see.',
      examples: ['prices'],
    }),
    horizon: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 252,
        description:
          'Trading days from entry to exit, which is returnDays. Default: config.returnDays, and otherwise the horizon of the source or the date spacing of the panel.',
        examples: [5],
      }),
    ),
    entry_lag: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxEntryLag,
        default: defaultEntryLag,
        description:
          'Trading days from the date of a row to the close at which it is traded. 0 trades at the close of the date itself: the scores must then have been known before that close. 1 trades at the next close.',
        examples: [1],
      }),
    ),
    delisting: Type.Optional(
      Type.Number({
        minimum: -1,
        maximum: 1,
        default: defaultDelistingReturn,
        description:
          'Return after the last close of a security whose prices end without a stated delisting return. The result shows what 0 and -1 change.',
        examples: [defaultDelistingReturn],
      }),
    ),
    known: Type.Optional(
      IsoDateSchema(
        'Only prices that were known by the end of this day. Default: today (UTC). Prices that became known later never change the result.',
        '2024-12-31',
      ),
    ),
  },
  {
    additionalProperties: false,
    $id: 'BacktestPrices',
    description:
      "The returns of the rows are computed from a price set of the operator, and replace forward_return, which may be left out; `asset` is the ID of a company. A key's licence or its owner must be admitted to the set.",
  },
)
export type BacktestPrices = Static<typeof BacktestPrices>
