import type { MetricDefinition } from './metrics.ts'

/** A figure of filings that enters a valuation, as known on the day. */
export interface ValuationFigure {
  readonly metric: string
  /** latest: the latest period of any kind. TTM: the latest trailing twelve months. FY: the latest fiscal year. */
  readonly fp: 'latest' | 'TTM' | 'FY'
  /** Only counts that report covers state, in markets whose covers state them. */
  readonly coverOnly?: true
}

/** A metric of a company on a day, from the price of that day and what filings had stated by then. */
export interface ValuationMetric extends MetricDefinition {
  /** The figure besides the count of shares; null: none. */
  readonly figure: ValuationFigure | null
  /** A second figure, which is added to the market capitalisation. */
  readonly added: ValuationFigure | null
  /** What is divided by what: the market capitalisation with `added`, and `figure`. Null: the capitalisation itself. */
  readonly quotient: 'capitalisation / figure' | 'figure / capitalisation' | null
}

/** The count of shares of every valuation. */
export const shareCount: ValuationFigure = { metric: 'shares_outstanding', fp: 'latest', coverOnly: true }

/** The oldest price that counts as the price of a day, in calendar days. */
export const maxPriceAgeDays = 10
/** The oldest figure that enters a valuation, in calendar days from the end of its period to the day of the price. */
export const maxFigureAgeDays = 550

const positive = 'null unless positive'

export const valuationMetrics: readonly ValuationMetric[] = [
  {
    name: 'market_cap',
    kind: 'stock',
    unit: 'currency',
    description:
      'Market capitalisation: the close of the day, as traded, x shares_outstanding on the basis of that day.',
    figure: null,
    added: null,
    quotient: null,
  },
  {
    name: 'price_to_earnings',
    kind: 'ratio',
    unit: 'pure',
    description: `market_cap / net_income of the trailing twelve months, which is ${positive}.`,
    figure: { metric: 'net_income', fp: 'TTM' },
    added: null,
    quotient: 'capitalisation / figure',
  },
  {
    name: 'price_to_book',
    kind: 'ratio',
    unit: 'pure',
    description: `market_cap / equity of the latest balance sheet, which is ${positive}.`,
    figure: { metric: 'equity', fp: 'latest' },
    added: null,
    quotient: 'capitalisation / figure',
  },
  {
    name: 'ev_to_ebitda',
    kind: 'ratio',
    unit: 'pure',
    description: `(market_cap + net_debt of the latest balance sheet) / ebitda of the trailing twelve months, which is ${positive}. Minority interests and preferred stock are not added.`,
    figure: { metric: 'ebitda', fp: 'TTM' },
    added: { metric: 'net_debt', fp: 'latest' },
    quotient: 'capitalisation / figure',
  },
  {
    name: 'fcf_yield',
    kind: 'ratio',
    unit: 'pure',
    description: 'free_cash_flow of the trailing twelve months / market_cap. Negative where cash flows out.',
    figure: { metric: 'free_cash_flow', fp: 'TTM' },
    added: null,
    quotient: 'figure / capitalisation',
  },
  {
    name: 'dividend_yield',
    kind: 'ratio',
    unit: 'pure',
    description:
      'dividends_paid of the trailing twelve months / market_cap. null if the company states no dividends.',
    figure: { metric: 'dividends_paid', fp: 'TTM' },
    added: null,
    quotient: 'figure / capitalisation',
  },
]

const byName = new Map(valuationMetrics.map(metric => [metric.name, metric]))

export const findValuation = (name: string): ValuationMetric | undefined => byName.get(name)

/** The names of the valuations, for messages about unknown metrics. */
export const valuationNames: readonly string[] = [...byName.keys()]
