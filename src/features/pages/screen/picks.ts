import { Type } from '@sinclair/typebox'
import type { ParameterFamily } from '../../../http/parameters.ts'
import { asOfParameter } from '../../../markets/asOf.ts'

/** Ticked rows: `pick_AAPL=1&pick_MSFT=1`. Each has a name of its own, so that the form works without JavaScript. */
export const picks: ParameterFamily = {
  pattern: /^pick_[A-Za-z0-9][A-Za-z0-9._/-]{0,31}$/,
  named: 'pick_<company>',
  schema: Type.Integer({ minimum: 1, maximum: 1 }),
}

export const PickQuery = Type.Object(
  { as_of: asOfParameter('The day of the comparison.', '2010-03-31') },
  { additionalProperties: false },
)
