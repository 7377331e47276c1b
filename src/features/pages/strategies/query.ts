import { type Static, Type } from '@sinclair/typebox'
import { PricesSchema } from '../../../backtest/figureScore.ts'
import { IsoDateSchema } from '../../../dates.ts'
import { queryReader } from '../../../http/parameters.ts'
import { MarketCode } from '../../../markets/parameters.ts'
import { queryText } from '../companyFrame.ts'

const StrategyPageQuery = Type.Object(
  {
    market: Type.Optional(MarketCode('The market whose companies are ranked.')),
    as_of: Type.Optional(
      IsoDateSchema('Only filings up to this day count. Default today (UTC).', '2010-04-01'),
    ),
    company: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        allowed: 'a symbol or a registration number',
        description: 'A company whose value is shown line by line.',
        examples: ['AAPL'],
      }),
    ),
    prices: Type.Optional(PricesSchema),
    decile: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        description: 'The decile whose companies are listed: 10 has the best scores.',
        examples: [10],
      }),
    ),
  },
  { additionalProperties: false },
)
export type StrategyPageQuery = Static<typeof StrategyPageQuery>
export const readStrategyPageQuery = queryReader(StrategyPageQuery)

/** The address of a strategy's page with other choices. */
export const strategyPath = (name: string, query: StrategyPageQuery = {}): string =>
  `/strategies/${name}${queryText(query)}`

/** The form as it was sent, so that a mistake in one field does not empty the others. */
export function strategyFieldsOf(text: string) {
  const sent = new URLSearchParams(text)
  return {
    market: (sent.get('market') ?? '').toUpperCase(),
    asOf: sent.get('as_of') ?? '',
    company: sent.get('company') ?? '',
    prices: sent.get('prices') ?? '',
  }
}
