import { rowMediaTypes } from '../../formats/mediaTypes.ts'
import { operation } from '../../http/docs/operation.ts'
import {
  ForwardReturnList,
  ForwardReturnsBody,
  ForwardReturnsPostQuery,
  ForwardReturnsQuery,
  PriceList,
  PriceSetList,
  PriceSetParams,
  PriceSetsQuery,
  PricesQuery,
} from './schema.ts'

/* No prices are shipped, so the examples have those of Apple that its own documents would let anyone check by hand. */

const closes = {
  object: 'price_list',
  set: 'prices',
  currency: 'USD',
  basis: 'raw',
  as_of: '2020-08-31',
  data_version: 2,
  attribution: ['Prices: the set prices, which the operator of this service imported.'],
  count: 2,
  data: [
    {
      date: '2020-08-28',
      ticker: 'AAPL',
      symbol: 'AAPL',
      close: 499.23,
      close_as_traded: 499.23,
      volume: null,
      split_factor: 1,
      dividend: 0,
      delisting_return: null,
      known: '2020-08-28',
    },
    {
      date: '2020-08-31',
      ticker: 'AAPL',
      symbol: 'AAPL',
      close: 129.04,
      close_as_traded: 129.04,
      volume: null,
      split_factor: 4,
      dividend: 0,
      delisting_return: null,
      known: '2020-08-31',
    },
  ],
}

const overTheSplit = (129.04 * 4) / 499.23 - 1

const returnsExample = {
  object: 'forward_return_list',
  set: 'prices',
  currency: 'USD',
  basis: 'raw',
  as_of: '2020-08-31',
  entry_lag: 0,
  delisting: -0.3,
  data_version: 2,
  attribution: closes.attribution,
  summary: [
    {
      horizon: 1,
      rows: 1,
      missing: 0,
      carried: 0,
      stated_delistings: 0,
      assumed_delistings: 0,
      mean: overTheSplit,
      mean_at_0: overTheSplit,
      mean_at_total_loss: overTheSplit,
    },
  ],
  count: 1,
  data: [
    {
      date: '2020-08-28',
      ticker: 'AAPL',
      symbol: 'AAPL',
      horizon: 1,
      forward_return: overTheSplit,
      state: 'closes',
      carried: false,
      return_at_0: overTheSplit,
      return_at_total_loss: overTheSplit,
    },
  ],
}

export const listOperation = operation({
  id: 'listPriceSets',
  tag: 'Prices',
  summary: 'The price sets that this key may see',
  description:
    'Prices come from no register: an operator imports those that they have a licence for, and says whose keys may see them. Without any, the list is empty.',
  access: 'key',
  query: PriceSetsQuery,
  answer: {
    schema: PriceSetList,
    description: 'One entry per set.',
    examples: {
      none: {
        summary: 'A service without prices',
        value: { object: 'price_set_list', data_version: 1, count: 0, data: [] },
      },
    },
  },
  errors: ['licence_required', 'statement_timeout'],
  data: false,
})

export const pricesOperation = operation({
  id: 'getPrices',
  tag: 'Prices',
  summary: 'Prices of companies, as known on a day',
  description:
    'Of each day the vintage that was known by `as_of`. The close of a day is known at the end of that day: as of an instant, only earlier days are there. A company with several classes of shares has several securities. A set that the key may not see does not exist for it.',
  access: 'key',
  path: PriceSetParams,
  query: PricesQuery,
  example: { set: 'prices', ticker: 'AAPL' },
  answer: {
    schema: PriceList,
    description: 'One row per security and day.',
    examples: { apple: { summary: "Apple's split of 2020-08-31", value: closes } },
    rows: {
      csv: 'date,ticker,symbol,close,close_as_traded,volume,split_factor,dividend,delisting_return,known\n2020-08-31,AAPL,AAPL,129.04,129.04,,4,0,,2020-08-31\n',
      ndjson: `${JSON.stringify(closes.data[1])}\n`,
    },
  },
  errors: ['licence_required', 'entity_unknown', 'entity_cap_reached', 'compute_busy', 'statement_timeout'],
  data: true,
})

const definition =
  'The total return from the close of the day of entry to the close `horizon` trading days later, dividends reinvested at the close of their ex-day: over one day (close + dividend) * split_factor / close before - 1. The day of entry is the first trading day of the market on or after the date, plus `entry_lag` trading days. If the exit day has no close, the latest earlier one counts, as long as the security trades again. If it was delisted, the stated delisting return follows its last close and the proceeds stay in cash. If its prices end without one, `delisting` follows the last close once 10 trading days have passed; each row and the summary show the same returns with 0 and -1 in its place.'

const returnErrors = [
  'licence_required',
  'entity_unknown',
  'entity_cap_reached',
  'compute_busy',
  'statement_timeout',
] as const

const returnAnswer = {
  schema: ForwardReturnList,
  description: 'One row per date, company and horizon.',
  examples: { split: { summary: "Over Apple's split of 2020-08-31", value: returnsExample } },
  rows: {
    csv: `date,ticker,symbol,horizon,forward_return,state,carried,return_at_0,return_at_total_loss\n2020-08-28,AAPL,AAPL,1,${overTheSplit},closes,false,${overTheSplit},${overTheSplit}\n`,
    ndjson: `${JSON.stringify(returnsExample.data[0])}\n`,
  },
}

export const returnsOperation = operation({
  id: 'getForwardReturns',
  tag: 'Prices',
  summary: 'Forward returns of companies on every trading day of a range',
  description: `${definition} Without \`ticker\` the answer covers every company of the set.`,
  access: 'key',
  path: PriceSetParams,
  query: ForwardReturnsQuery,
  example: {
    set: 'prices',
    ticker: 'AAPL',
    from: '2020-08-28',
    to: '2020-08-28',
    horizons: '1',
    entry_lag: 0,
  },
  answer: returnAnswer,
  errors: [...returnErrors],
  data: false,
})

export const returnsOfRowsOperation = operation({
  id: 'computeForwardReturns',
  tag: 'Prices',
  summary: 'Forward returns of rows of date and ID',
  description: `${definition} Each ID names the company that had it on the date of its row.`,
  access: 'key',
  path: PriceSetParams,
  query: ForwardReturnsPostQuery,
  example: { set: 'prices' },
  body: {
    schema: ForwardReturnsBody,
    description: 'Columns of dates and IDs, and the horizons.',
    types: { json: rowMediaTypes.json },
    examples: {
      split: {
        summary: "Over Apple's split of 2020-08-31",
        value: { rows: { date: ['2020-08-28'], ticker: ['AAPL'] }, horizons: [1], entry_lag: 0 },
      },
    },
  },
  answer: returnAnswer,
  errors: [...returnErrors],
  data: false,
})
