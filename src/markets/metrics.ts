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

export const definitionOf = ({ name, kind, unit, description }: MetricDefinition): MetricDefinition => ({
  name,
  kind,
  unit,
  description,
})

export const Sign = Type.Union(
  [Type.Literal('amount'), Type.Literal('cost'), Type.Literal('outflow'), Type.Literal('signed')],
  {
    description:
      'amount: a size, negative only where a filer states it so. cost: positive lowers profit. outflow: positive is money paid. signed: negative is a loss, an outflow or a deficit.',
  },
)

/** The complete definition of a metric. The manifest of a market has the same fields for the market's own metrics. */
export const Metric = Type.Object(
  {
    ...MetricDefinition.properties,
    sign: Sign,
    /** The section of a company's page that shows it. */
    statement: Type.Union([
      Type.Literal('income'),
      Type.Literal('balance'),
      Type.Literal('cash'),
      Type.Literal('shares'),
      Type.Literal('ratios'),
    ]),
  },
  { additionalProperties: false },
)
export type Metric = Static<typeof Metric>

interface SharedMetric extends Metric {
  /** The label on pages, if it is not simply the words of its name. */
  readonly label?: string | undefined
}

/** Metrics that all markets share. Metrics of a single market are in its manifest. */
export const canonicalMetrics: readonly SharedMetric[] = [
  {
    name: 'revenue',
    kind: 'flow',
    unit: 'currency',
    sign: 'amount',
    statement: 'income',
    description: 'Turnover. Never gross profit, even if a register reports only that.',
  },
  {
    name: 'gross_profit',
    kind: 'flow',
    unit: 'currency',
    sign: 'signed',
    statement: 'income',
    description:
      'Revenue minus cost of sales, or the gross margin that a small filer reports instead of turnover.',
  },
  {
    name: 'operating_income',
    kind: 'flow',
    unit: 'currency',
    sign: 'signed',
    statement: 'income',
    description: 'Profit or loss before interest and taxes, as the filer reports it.',
  },
  {
    name: 'net_income',
    kind: 'flow',
    unit: 'currency',
    sign: 'signed',
    statement: 'income',
    description:
      "Profit or loss after taxes, attributable to the parent's owners or to the whole group; the market's manifest says which.",
  },
  {
    name: 'eps',
    kind: 'flow',
    unit: 'currency/share',
    sign: 'signed',
    statement: 'shares',
    description: 'Basic earnings per share, based on the share count of the same filing.',
    label: 'EPS, basic',
  },
  {
    name: 'eps_diluted',
    kind: 'flow',
    unit: 'currency/share',
    sign: 'signed',
    statement: 'shares',
    description: 'Diluted earnings per share, based on the share count of the same filing.',
    label: 'EPS, diluted',
  },
  {
    name: 'assets',
    kind: 'stock',
    unit: 'currency',
    sign: 'amount',
    statement: 'balance',
    description: 'Total assets.',
  },
  {
    name: 'current_assets',
    kind: 'stock',
    unit: 'currency',
    sign: 'amount',
    statement: 'balance',
    description: 'Assets due within a year.',
  },
  {
    name: 'cash',
    kind: 'stock',
    unit: 'currency',
    sign: 'amount',
    statement: 'balance',
    description: 'Cash and cash equivalents.',
  },
  {
    name: 'liabilities',
    kind: 'stock',
    unit: 'currency',
    sign: 'amount',
    statement: 'balance',
    description: 'Total liabilities, if the filer reports the total.',
  },
  {
    name: 'current_liabilities',
    kind: 'stock',
    unit: 'currency',
    sign: 'amount',
    statement: 'balance',
    description: 'Liabilities due within one year.',
  },
  {
    name: 'equity',
    kind: 'stock',
    unit: 'currency',
    sign: 'signed',
    statement: 'balance',
    description:
      'Equity, attributable to the parent’s owners or to the whole group; the market’s manifest says which.',
  },
  {
    name: 'operating_cash_flow',
    kind: 'flow',
    unit: 'currency',
    sign: 'signed',
    statement: 'cash',
    description: 'Net cash from operating activities.',
  },
  {
    name: 'shares_outstanding',
    kind: 'stock',
    unit: 'shares',
    sign: 'amount',
    statement: 'shares',
    description: 'Shares outstanding, as the filing reports them.',
  },
]

/** A metric that is computed at import if both components are known for the same period. */
export interface ComputedMetric extends SharedMetric {
  readonly components: readonly [string, string]
  readonly operation: '+' | '-' | '/'
}

/**
 * In the order of computation. `facts/computedMetrics.ts` adds and subtracts, and `facts/bookValues.ts` divides.
 */
export const computedMetrics: readonly ComputedMetric[] = [
  {
    name: 'free_cash_flow',
    kind: 'flow',
    unit: 'currency',
    sign: 'signed',
    statement: 'cash',
    description: 'operating_cash_flow - capital_expenditure of the same period.',
    components: ['operating_cash_flow', 'capital_expenditure'],
    operation: '-',
  },
  {
    name: 'ebitda',
    kind: 'flow',
    unit: 'currency',
    sign: 'signed',
    statement: 'income',
    description: 'operating_income + depreciation_amortization of the same period.',
    label: 'EBITDA',
    components: ['operating_income', 'depreciation_amortization'],
    operation: '+',
  },
  {
    name: 'working_capital',
    kind: 'stock',
    unit: 'currency',
    sign: 'signed',
    statement: 'balance',
    description: 'current_assets - current_liabilities.',
    components: ['current_assets', 'current_liabilities'],
    operation: '-',
  },
  {
    name: 'current_debt',
    kind: 'stock',
    unit: 'currency',
    sign: 'amount',
    statement: 'balance',
    description:
      'Debt due within a year, as the filer totals it, or commercial_paper + long_term_debt_current where no other short-term borrowings are stated. short_term_borrowings may include long_term_debt_current, so the two are never added.',
    components: ['commercial_paper', 'long_term_debt_current'],
    operation: '+',
  },
  {
    name: 'total_debt',
    kind: 'stock',
    unit: 'currency',
    sign: 'amount',
    statement: 'balance',
    description:
      'current_debt + long_term_debt_noncurrent. None if one part includes leases and the other does not, or if a stated total of current debt is less than one of its parts.',
    components: ['current_debt', 'long_term_debt_noncurrent'],
    operation: '+',
  },
  {
    name: 'net_debt',
    kind: 'stock',
    unit: 'currency',
    sign: 'signed',
    statement: 'balance',
    description: 'total_debt - cash. Negative where cash exceeds debt; securities are not subtracted.',
    components: ['total_debt', 'cash'],
    operation: '-',
  },
  {
    name: 'book_value_per_share',
    kind: 'stock',
    unit: 'currency/share',
    sign: 'signed',
    statement: 'shares',
    description:
      'equity / shares_outstanding of the same fiscal period, the count as served: that on the cover of the report, else that of the balance sheet.',
    components: ['equity', 'shares_outstanding'],
    operation: '/',
  },
]

export interface RatioMetric extends SharedMetric {
  /** Numerator and denominator. */
  readonly components: readonly [string, string]
  /**
   * True if the ratio divides a flow of a year, or of the trailing twelve months, by the balance at its end;
   * quarters have no such ratio.
   */
  readonly yearOnly: boolean
}

const pairs = {
  period: ' of the same period.',
  year: ' at the end of the year. Full years only.',
  day: '.',
} as const

const ratio = (
  name: string,
  components: readonly [string, string],
  pair: keyof typeof pairs,
  label?: string,
): RatioMetric => ({
  name,
  kind: 'ratio',
  unit: 'pure',
  sign: 'signed',
  statement: 'ratios',
  description: `${components.join(' / ')}${pairs[pair]}`,
  label,
  components,
  yearOnly: pair === 'year',
})

/** Computed at import from figures known on the same day, by `facts/computeRatios.ts`. */
export const ratioMetrics: readonly RatioMetric[] = [
  ratio('net_margin', ['net_income', 'revenue'], 'period'),
  ratio('gross_margin', ['gross_profit', 'revenue'], 'period'),
  ratio('operating_margin', ['operating_income', 'revenue'], 'period'),
  ratio('roe', ['net_income', 'equity'], 'year', 'Return on equity'),
  ratio('roa', ['net_income', 'assets'], 'year', 'Return on assets'),
  ratio('asset_turnover', ['revenue', 'assets'], 'year'),
  ratio('debt_to_equity', ['liabilities', 'equity'], 'day'),
  ratio('current_ratio', ['current_assets', 'current_liabilities'], 'day'),
]

/** The metrics that no manifest defines. */
export const sharedMetrics: readonly SharedMetric[] = [
  ...canonicalMetrics,
  ...computedMetrics,
  ...ratioMetrics,
]

export const yearToDateSuffix = '_ytd'

/** The metric for the year-to-date figure of a flow, if a register reports one. */
export function yearToDate(metric: Metric): Metric {
  return {
    ...metric,
    name: `${metric.name}${yearToDateSuffix}`,
    description: `Year to date, as the filing reports it: ${metric.description}`,
  }
}
