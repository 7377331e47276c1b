import { type Static, Type } from '@sinclair/typebox'

export const MetricDefinition = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z][a-z0-9_]*$', description: 'Name to send as `metric`.' }),
    kind: Type.Union([Type.Literal('flow'), Type.Literal('stock'), Type.Literal('ratio')], {
      description: 'flow: over the period. stock: at its end. ratio: of two figures of one period.',
    }),
    unit: Type.Union(
      [
        Type.Literal('currency'),
        Type.Literal('currency/share'),
        Type.Literal('shares'),
        Type.Literal('count'),
        Type.Literal('pure'),
      ],
      { description: 'Kind of unit; each row states the unit itself in `u`.' },
    ),
    description: Type.String({ minLength: 1 }),
  },
  { additionalProperties: false, $id: 'MetricDefinition' },
)
export type MetricDefinition = Static<typeof MetricDefinition>

type Kind = MetricDefinition['kind']
type Unit = MetricDefinition['unit']

const define = (name: string, kind: Kind, unit: Unit, description: string): MetricDefinition => ({
  name,
  kind,
  unit,
  description,
})

/** Metrics that all markets share. Metrics of a single market are in its manifest. */
export const canonicalMetrics: readonly MetricDefinition[] = [
  define(
    'revenue',
    'flow',
    'currency',
    'Turnover. Never gross profit, even if a register reports only that.',
  ),
  define(
    'gross_profit',
    'flow',
    'currency',
    'Revenue minus cost of sales, or the gross margin that a small filer reports instead of turnover.',
  ),
  define(
    'operating_income',
    'flow',
    'currency',
    'Profit or loss before interest and taxes, as the filer reports it.',
  ),
  define(
    'net_income',
    'flow',
    'currency',
    "Profit or loss after taxes, attributable to the parent's owners or to the whole group; the market's manifest says which.",
  ),
  define(
    'eps',
    'flow',
    'currency/share',
    'Basic earnings per share, based on the share count of the same filing.',
  ),
  define(
    'eps_diluted',
    'flow',
    'currency/share',
    'Diluted earnings per share, based on the share count of the same filing.',
  ),
  define('assets', 'stock', 'currency', 'Total assets.'),
  define('current_assets', 'stock', 'currency', 'Assets due within a year.'),
  define('cash', 'stock', 'currency', 'Cash and cash equivalents.'),
  define('liabilities', 'stock', 'currency', 'Total liabilities, if the filer reports the total.'),
  define('current_liabilities', 'stock', 'currency', 'Liabilities due within one year.'),
  define(
    'equity',
    'stock',
    'currency',
    'Equity, attributable to the parent’s owners or to the whole group; the market’s manifest says which.',
  ),
  define('operating_cash_flow', 'flow', 'currency', 'Net cash from operating activities.'),
  define('shares_outstanding', 'stock', 'shares', 'Shares outstanding, as the filing reports them.'),
]

/** Computed at import from figures known on the same day, by `facts/computeRatios.ts`. */
export const ratioMetrics: readonly MetricDefinition[] = [
  define('net_margin', 'ratio', 'pure', 'net_income / revenue of the same period.'),
  define('gross_margin', 'ratio', 'pure', 'gross_profit / revenue of the same period.'),
  define('operating_margin', 'ratio', 'pure', 'operating_income / revenue of the same period.'),
  define('roe', 'ratio', 'pure', 'net_income / equity at the end of the year. Full years only.'),
  define('roa', 'ratio', 'pure', 'net_income / assets at the end of the year. Full years only.'),
  define('asset_turnover', 'ratio', 'pure', 'revenue / assets at the end of the year. Full years only.'),
  define('debt_to_equity', 'ratio', 'pure', 'liabilities / equity.'),
  define('current_ratio', 'ratio', 'pure', 'current_assets / current_liabilities.'),
]

/**
 * Computed at import if every component is reported for the same period, by `facts/computedMetrics.ts` and
 * `facts/bookValues.ts`.
 */
export interface ComputedMetric extends MetricDefinition {
  readonly components: readonly string[]
}

const compute = (
  name: string,
  kind: Kind,
  components: readonly string[],
  description: string,
  unit: Unit = 'currency',
): ComputedMetric => ({ ...define(name, kind, unit, description), components })

export const computedMetrics: readonly ComputedMetric[] = [
  compute(
    'free_cash_flow',
    'flow',
    ['operating_cash_flow', 'capital_expenditure'],
    'operating_cash_flow - capital_expenditure of the same period.',
  ),
  compute(
    'ebitda',
    'flow',
    ['operating_income', 'depreciation_amortization'],
    'operating_income + depreciation_amortization of the same period.',
  ),
  compute(
    'working_capital',
    'stock',
    ['current_assets', 'current_liabilities'],
    'current_assets - current_liabilities.',
  ),
  compute(
    'current_debt',
    'stock',
    ['commercial_paper', 'long_term_debt_current'],
    'Debt due within a year, as the filer totals it, or commercial_paper + long_term_debt_current where no other short-term borrowings are stated. short_term_borrowings may include long_term_debt_current, so the two are never added.',
  ),
  compute(
    'total_debt',
    'stock',
    ['current_debt', 'long_term_debt_noncurrent'],
    'current_debt + long_term_debt_noncurrent. None where a part is with leases and the other without, or a stated total of current debt is less than one of its parts.',
  ),
  compute(
    'net_debt',
    'stock',
    ['total_debt', 'cash'],
    'total_debt - cash. Negative where cash exceeds debt; securities are not subtracted.',
  ),
  compute(
    'book_value_per_share',
    'stock',
    ['equity', 'shares_outstanding'],
    'equity / shares_outstanding of the same fiscal period, the count as served: that on the cover of the report, else that of the balance sheet.',
    'currency/share',
  ),
]

/**
 * The meaning of a figure's sign. cost: positive lowers profit. outflow: positive is money paid. signed:
 * negative is a loss, an outflow or a deficit. amount: a size, negative only if a filer states it that way.
 */
export const signs = ['amount', 'cost', 'outflow', 'signed'] as const
export type Sign = (typeof signs)[number]

const costs =
  /^(cost_of_revenue|research_and_development|selling_general_administrative|operating_expenses|expenses|interest_expense|income_tax|depreciation_amortization|stock_based_compensation)$/
const outflows = /^(capital_expenditure|dividends_paid|share_repurchases)$/
const amounts = /^(revenue|dividends_per_share|shares_\w+)$/
const signedBalances =
  /^(equity|retained_earnings|minority_interests|working_capital|net_debt|book_value_per_share)$/

export function signOf({ name, kind }: Pick<MetricDefinition, 'name' | 'kind'>): Sign {
  const base = name.replace(/^consolidated_/, '').replace(/_(ytd|ttm)$/, '')
  if (costs.test(base)) return 'cost'
  if (outflows.test(base)) return 'outflow'
  if (amounts.test(base)) return 'amount'
  return kind === 'stock' && !signedBalances.test(base) ? 'amount' : 'signed'
}

export const yearToDateSuffix = '_ytd'

/** The metric for the year-to-date figure of a flow, if a register reports one. */
export function yearToDate(metric: MetricDefinition): MetricDefinition {
  return {
    ...metric,
    name: `${metric.name}${yearToDateSuffix}`,
    description: `Year to date, as the filing reports it: ${metric.description}`,
  }
}
