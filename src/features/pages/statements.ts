import type { Markets } from '../../markets/markets.ts'
import { yearToDateSuffix } from '../../markets/metrics.ts'

export interface Statement {
  readonly id: string
  readonly title: string
  /** In the order of the coverage index. */
  readonly metrics: readonly string[]
}

const cashFlows =
  /^(\w+_cash_flow|capital_expenditure|dividends_paid|share_repurchases|depreciation_amortization|stock_based_compensation)$/

const titles = {
  income: 'Income statement',
  balance: 'Balance sheet',
  cash: 'Cash flow',
  shares: 'Shares and figures per share',
  ratios: 'Ratios',
} as const
type StatementId = keyof typeof titles
const order = Object.keys(titles) as StatementId[]

/** The metrics in `names`, grouped by statement. Year-to-date figures appear only in downloads. */
export function statementsOf({ metrics }: Pick<Markets, 'metrics'>, names: ReadonlySet<string>): Statement[] {
  const groups = new Map<StatementId, string[]>(order.map(id => [id, []]))
  for (const { name, kind, unit } of metrics.values()) {
    if (!names.has(name) || name.endsWith(yearToDateSuffix)) continue
    const group = kind === 'ratio' ? 'ratios' : placeOf(name, kind, unit)
    groups.get(group)?.push(name)
  }
  return order.flatMap(id => {
    const found = groups.get(id) ?? []
    return found.length === 0 ? [] : [{ id, title: titles[id], metrics: found }]
  })
}

function placeOf(name: string, kind: 'flow' | 'stock', unit: string): StatementId {
  if (unit === 'shares' || unit === 'currency/share') return 'shares'
  if (kind === 'stock') return 'balance'
  return cashFlows.test(name) ? 'cash' : 'income'
}

const spelled: Readonly<Record<string, string>> = {
  eps: 'EPS, basic',
  eps_diluted: 'EPS, diluted',
  roe: 'Return on equity',
  roa: 'Return on assets',
  ebitda: 'EBITDA',
}

/** A metric's display name: `net_income` becomes Net income. */
export function metricLabel(name: string): string {
  const known = spelled[name]
  if (known !== undefined) return known
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
