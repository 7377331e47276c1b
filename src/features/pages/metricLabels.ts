import type { Markets } from '../../markets/markets.ts'
import { type Metric, sharedMetrics, yearToDateSuffix } from '../../markets/metrics.ts'

export interface Statement {
  readonly id: string
  readonly title: string
  /** In the order of the coverage index. */
  readonly metrics: readonly string[]
}

const titles = {
  income: 'Income statement',
  balance: 'Balance sheet',
  cash: 'Cash flow',
  shares: 'Shares and figures per share',
  ratios: 'Ratios',
} as const
const order = Object.keys(titles) as Metric['statement'][]

/** The metrics in `names`, grouped by statement. Year-to-date figures appear only in downloads. */
export function statementsOf({ metrics }: Pick<Markets, 'metrics'>, names: ReadonlySet<string>): Statement[] {
  const groups = new Map<Metric['statement'], string[]>(order.map(id => [id, []]))
  for (const { name, statement } of metrics.values()) {
    if (names.has(name) && !name.endsWith(yearToDateSuffix)) groups.get(statement)?.push(name)
  }
  return order.flatMap(id => {
    const found = groups.get(id) ?? []
    return found.length === 0 ? [] : [{ id, title: titles[id], metrics: found }]
  })
}

const labels = new Map([
  ...sharedMetrics.map(({ name, label }) => [name, label] as const),
  ['market_cap', 'Market capitalisation'],
  ['ev_to_ebitda', 'EV to EBITDA'],
  ['fcf_yield', 'Free cash flow yield'],
  // Metrics of markets whose names lack a comma, a hyphen or a conjunction.
  ['selling_general_administrative', 'Selling, general and administrative'],
  ['depreciation_amortization', 'Depreciation and amortization'],
  ['property_plant_equipment', 'Property, plant and equipment'],
  ['stock_based_compensation', 'Stock-based compensation'],
  ['long_term_debt', 'Long-term debt'],
  ['long_term_debt_current', 'Long-term debt, current'],
  ['long_term_debt_noncurrent', 'Long-term debt, noncurrent'],
  ['short_term_borrowings', 'Short-term borrowings'],
  ['other_short_term_borrowings', 'Other short-term borrowings'],
])

/** A metric's display name: `net_income` becomes Net income. */
export function metricLabel(name: string): string {
  const label = labels.get(name)
  if (label !== undefined) return label
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A metric's name inside a sentence: net income, but EPS, diluted. */
export function metricInText(name: string): string {
  const label = metricLabel(name)
  return /^[A-Z](?![A-Z])/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label
}
