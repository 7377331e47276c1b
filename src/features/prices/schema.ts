import { type Static, Type } from '@sinclair/typebox'
import { defaultDelistingReturn, returnStates } from '../../backtest/forwardReturns.ts'
import { IsoDateSchema } from '../../dates.ts'
import { type Column, CommentsSchema, columns, FormatSchema } from '../../formats/columns.ts'
import { DataVersionParameter } from '../../http/pinned.ts'
import { asOfParameter, zoneParameter } from '../../markets/asOf.ts'
import { priceBases } from '../../prices/priceSeries.ts'

const strict = { additionalProperties: false } as const
const day = (description: string, example: string) =>
  Type.String({ format: 'date', description, examples: [example] })
const numberOrNull = (description: string, example: number) =>
  Type.Union([Type.Number(), Type.Null()], { description, examples: [example] })
const licence = Type.Optional(Type.String({ description: 'Demo and free keys only.' }))
const attribution = Type.Array(Type.String(), { description: 'Where the prices come from.' })
const data_version = Type.Integer({ description: 'The data version of the answer.' })
const setName = Type.String({ description: 'Name of the price set.', examples: ['prices'] })
const currency = Type.String({ description: 'Currency of closes and dividends.', examples: ['USD'] })
const basis = Type.Union(
  priceBases.map(name => Type.Literal(name)),
  {
    description:
      'What the closes are. raw: as traded. split_adjusted: adjusted for later splits. total_return: adjusted for later splits and dividends.',
  },
)

export const PriceSetParams = Type.Object(
  {
    set: Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
      allowed: 'the name of a price set, as GET /api/v1/prices lists it',
      description: 'Name of a price set.',
      examples: ['prices'],
    }),
  },
  strict,
)

export const PriceSetsQuery = Type.Object({ data_version: DataVersionParameter }, strict)

const PriceSetFacts = Type.Object(
  {
    name: setName,
    currency,
    basis,
    states_splits: Type.Boolean({ description: 'Whether every import states split factors.' }),
    states_dividends: Type.Boolean({ description: 'Whether dividends are stated.' }),
    states_delistings: Type.Boolean({ description: 'Whether delisting returns are stated.' }),
    latest_version: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Data version of the latest import.',
    }),
    companies: Type.Integer({ description: 'Companies with prices.' }),
    first: Type.Union([day('First day with a price.', '1997-11-06'), Type.Null()]),
    last: Type.Union([day('Last day with a price.', '2026-11-27'), Type.Null()]),
  },
  { ...strict, $id: 'PriceSet' },
)

export const PriceSetList = Type.Object(
  {
    object: Type.Literal('price_set_list'),
    licence,
    data_version,
    count: Type.Integer({ description: 'Price sets in data.' }),
    data: Type.Array(PriceSetFacts, { description: 'The sets that this key may see, by name.' }),
  },
  { ...strict, $id: 'PriceSetList' },
)
export type PriceSetList = Static<typeof PriceSetList>

export const maxCompanies = 100
export const maxPriceRows = 250_000

const ticker = Type.String({
  pattern: '^[A-Za-z0-9._/, -]+$',
  maxLength: 4_000,
  allowed: `company IDs, up to ${maxCompanies} separated by commas`,
  description: `Up to ${maxCompanies} company IDs, separated by commas.`,
  examples: ['AAPL'],
})
const asOf = asOfParameter(
  'Only prices that were known by then. The close of a day is known at the end of the day. Default today (UTC).',
  '2010-06-30',
)

export const PricesQuery = Type.Object(
  {
    ticker,
    from: Type.Optional(IsoDateSchema('First day of the rows. Default: the first on record.', '2010-01-04')),
    to: Type.Optional(IsoDateSchema('Last day of the rows. Default: the last that was known.', '2010-06-30')),
    as_of: asOf,
    tz: zoneParameter,
    data_version: DataVersionParameter,
    format: FormatSchema,
    comments: CommentsSchema,
  },
  strict,
)
export type PricesQuery = Static<typeof PricesQuery>

const symbol = Type.String({
  description: 'The latest symbol of the security in this set. A company may have several securities.',
  examples: ['META'],
})

export const PriceRow = Type.Object(
  {
    date: day('The day of the close.', '2010-06-30'),
    ticker: Type.String({ description: 'Current ID of the company.', examples: ['AAPL'] }),
    symbol,
    close: numberOrNull('As stated; null: the day has no close.', 251.53),
    close_as_traded: numberOrNull(
      'The close in the shares of its day; null if the set is adjusted in a way that cannot be undone.',
      251.53,
    ),
    volume: numberOrNull('As stated.', 184863000),
    split_factor: Type.Number({
      description: 'New shares for one old share from this day on; 1: no split.',
      examples: [1],
    }),
    dividend: Type.Number({ description: 'Cash per share, on the ex-day; 0: none.', examples: [0] }),
    delisting_return: numberOrNull(
      'Return from the last close to what holders received; null: not delisted.',
      -0.3,
    ),
    known: day('The first day on which this row was known.', '2010-06-30'),
  },
  { ...strict, $id: 'PriceRow' },
)

export const priceSheet = columns({
  date: 'day',
  ticker: 'text',
  symbol: 'text',
  close: 'number',
  close_as_traded: 'number',
  volume: 'number',
  split_factor: 'number',
  dividend: 'number',
  delisting_return: 'number',
  known: 'day',
}) satisfies readonly Column<keyof Static<typeof PriceRow>>[]

export const PriceList = Type.Object(
  {
    object: Type.Literal('price_list'),
    set: setName,
    currency,
    basis,
    as_of: Type.String({
      description: 'The day or instant as of which prices are known.',
      examples: ['2010-06-30'],
    }),
    data_version,
    licence,
    attribution,
    note: Type.Optional(Type.String({ description: 'What is missing, and why.' })),
    count: Type.Integer({ description: 'Rows in data.' }),
    data: Type.Array(PriceRow, {
      description: 'By company in the order of the request, then by security and date.',
    }),
  },
  { ...strict, $id: 'PriceList' },
)
export type PriceList = Static<typeof PriceList>

const maxHorizon = 2_520
export const maxHorizons = 20

const delistingText =
  'The return after the last close of a security whose prices end without a stated delisting return: -0.3 unless stated, after Shumway (1997), who found an average of -30% for delistings of NYSE and AMEX stocks for performance.'
const entryText =
  'Trading days from the date to the close at which it is traded. 0 trades at the close of the date itself, so what ranks it must have been known before that close. 1 trades at the next close.'

export const ForwardReturnsQuery = Type.Object(
  {
    ticker: Type.Optional(ticker),
    from: IsoDateSchema('First date of the rows.', '2010-01-04'),
    to: IsoDateSchema('Last date of the rows.', '2010-01-29'),
    horizons: Type.Optional(
      Type.String({
        pattern: '^\\d{1,4}(,\\d{1,4})*$',
        maxLength: 100,
        allowed: `up to ${maxHorizons} numbers of trading days from 1 to ${maxHorizon}, separated by commas`,
        description: 'Trading days from entry to exit, separated by commas. Default 1.',
        examples: ['1,5,21'],
      }),
    ),
    entry_lag: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 5, default: 1, description: entryText, examples: [1] }),
    ),
    delisting: Type.Optional(
      Type.Number({
        minimum: -1,
        maximum: 1,
        default: defaultDelistingReturn,
        description: delistingText,
        examples: [defaultDelistingReturn],
      }),
    ),
    as_of: asOf,
    tz: zoneParameter,
    data_version: DataVersionParameter,
    format: FormatSchema,
    comments: CommentsSchema,
  },
  strict,
)
export type ForwardReturnsQuery = Static<typeof ForwardReturnsQuery>

export const maxReturnRows = 100_000

export const ForwardReturnsBody = Type.Object(
  {
    rows: Type.Object(
      {
        date: Type.Array(Type.String({ format: 'date', minLength: 10, maxLength: 10 }), {
          minItems: 1,
          maxItems: maxReturnRows,
          description: 'The date of each row.',
        }),
        ticker: Type.Array(Type.String({ minLength: 1, maxLength: 32 }), {
          minItems: 1,
          maxItems: maxReturnRows,
          description: 'The ID of each row: the company that it named on the date.',
        }),
      },
      { ...strict, $id: 'ForwardReturnRows' },
    ),
    horizons: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: maxHorizon }), {
        minItems: 1,
        maxItems: maxHorizons,
        uniqueItems: true,
        description: 'Trading days from entry to exit. Default [1].',
        examples: [[1, 5, 21]],
      }),
    ),
    entry_lag: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 5, default: 1, description: entryText, examples: [1] }),
    ),
    delisting: Type.Optional(
      Type.Number({
        minimum: -1,
        maximum: 1,
        default: defaultDelistingReturn,
        description: delistingText,
        examples: [defaultDelistingReturn],
      }),
    ),
    as_of: Type.Optional(
      IsoDateSchema('Only prices that were known by the end of this day. Default today (UTC).', '2024-12-31'),
    ),
  },
  { ...strict, $id: 'ForwardReturnsRequest' },
)
export type ForwardReturnsBody = Static<typeof ForwardReturnsBody>

export const ForwardReturnsPostQuery = Type.Object({ format: FormatSchema, comments: CommentsSchema }, strict)

export const ForwardReturnRow = Type.Object(
  {
    date: day('The date of the row.', '2010-01-04'),
    ticker: Type.String({
      description: 'The ID that was sent, or the current ID of the company.',
      examples: ['AAPL'],
    }),
    symbol: Type.Union([symbol, Type.Null()]),
    horizon: Type.Integer({ description: 'Trading days from entry to exit.', examples: [5] }),
    forward_return: numberOrNull('The total return as a fraction; null: none.', 0.0123),
    state: Type.Union(
      [...returnStates, 'unknown_company' as const, 'no_prices' as const, 'several_securities' as const].map(
        name => Type.Literal(name),
      ),
      {
        description:
          'closes: from close to close. stated_delisting: it was delisted with a stated return. assumed_delisting: its prices end, and the assumption was used. pending: the horizon has not ended yet, or it is too early to know whether the security has ended. no_entry: no close on the day of entry. unknown_company, no_prices: nothing to compute from. several_securities: the company has several securities in the set, and the ID names none of them.',
      },
    ),
    carried: Type.Boolean({
      description: 'Whether the exit day had no close, so the latest earlier one was used.',
    }),
    return_at_0: numberOrNull('The same with a delisting return of 0 wherever it was assumed.', 0.0123),
    return_at_total_loss: numberOrNull(
      'The same with a delisting return of -1 wherever it was assumed.',
      0.0123,
    ),
  },
  { ...strict, $id: 'ForwardReturnRow' },
)

export const forwardReturnSheet = columns({
  date: 'day',
  ticker: 'text',
  symbol: 'text',
  horizon: 'whole',
  forward_return: 'number',
  state: 'text',
  carried: 'flag',
  return_at_0: 'number',
  return_at_total_loss: 'number',
}) satisfies readonly Column<keyof Static<typeof ForwardReturnRow>>[]

const HorizonSummary = Type.Object(
  {
    horizon: Type.Integer({ description: 'Trading days from entry to exit.' }),
    rows: Type.Integer({ description: 'Rows with a return.' }),
    missing: Type.Integer({ description: 'Rows without one.' }),
    carried: Type.Integer({ description: 'Rows whose exit day had no close.' }),
    stated_delistings: Type.Integer({ description: 'Rows that use a stated delisting return.' }),
    assumed_delistings: Type.Integer({ description: 'Rows that use the assumed one.' }),
    mean: numberOrNull('Mean return of the rows.', 0.01),
    mean_at_0: numberOrNull('The same with a delisting return of 0 wherever it was assumed.', 0.01),
    mean_at_total_loss: numberOrNull('The same with a delisting return of -1 wherever it was assumed.', 0.01),
  },
  { ...strict, $id: 'ForwardReturnSummary' },
)

export const ForwardReturnList = Type.Object(
  {
    object: Type.Literal('forward_return_list'),
    set: setName,
    currency,
    basis,
    as_of: Type.String({
      description: 'The day or instant as of which prices are known.',
      examples: ['2026-11-27'],
    }),
    entry_lag: Type.Integer({
      description: 'Trading days from the date to the close at which it is traded.',
    }),
    delisting: Type.Number({ description: 'The assumed delisting return.' }),
    data_version,
    licence,
    attribution,
    note: Type.Optional(Type.String({ description: 'What the returns leave out, and why.' })),
    summary: Type.Array(HorizonSummary, { description: 'By horizon.' }),
    count: Type.Integer({ description: 'Rows in data.' }),
    data: Type.Array(ForwardReturnRow, { description: 'The rows in their order, each with its horizons.' }),
  },
  { ...strict, $id: 'ForwardReturnList' },
)
export type ForwardReturnList = Static<typeof ForwardReturnList>
export type ForwardReturnRow = Static<typeof ForwardReturnRow>
