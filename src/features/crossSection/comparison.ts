import { Failure } from '../../errors.ts'
import { currencyOf, isMoney } from '../../markets/currency.ts'
import type { Markets, ServedMetric } from '../../markets/markets.ts'
import { nearNames } from '../../spelling.ts'
import type { Filter } from './filters.ts'
import type { CurrencyRule } from './queries.ts'

export interface Sort {
  readonly metric: string
  /** The largest figures come first. */
  readonly descending: boolean
}

/** How the figures of companies are compared with one another and with bounds. */
export interface Comparison {
  /** null: companies are in the order in which they were first imported. */
  readonly sort: Sort | null
  /** The figures that must be in one currency; null: no amounts are compared, and none was asked for. */
  readonly inCurrency: CurrencyRule | null
}

interface ComparedRequest {
  readonly market: string
  readonly sort?: string | undefined
  readonly currency?: string | undefined
}

/** Amounts that are sorted or compared with a bound are compared in one currency: that of the request, else the market's own. A currency that
 * the request names holds for its columns, too. Ratios and counts have none. */
export function readComparison(
  { metrics: known, get }: Pick<Markets, 'metrics' | 'get'>,
  sent: ComparedRequest,
  metrics: readonly string[],
  filters: readonly Filter[],
): Comparison {
  const sort = readSort(known, sent.sort)
  const compared = [...filters.map(({ metric }) => metric), ...(sort === null ? [] : [sort.metric])]
  const bound = sent.currency === undefined ? compared : [...metrics, ...compared]
  const inMoney = [...new Set(bound)].filter(metric => isMoney(known.get(metric)?.unit ?? 'pure'))
  const manifest = get(sent.market)
  const code = sent.currency?.toUpperCase() ?? (manifest === undefined ? undefined : currencyOf(manifest))
  return {
    sort,
    inCurrency: code === undefined || inMoney.length === 0 ? null : { code, metrics: inMoney },
  }
}

/** `roe`, or `-roe` for the largest first. */
function readSort(known: ReadonlyMap<string, ServedMetric>, sent: string | undefined): Sort | null {
  if (sent === undefined) return null
  const descending = sent.startsWith('-')
  const metric = descending ? sent.slice(1) : sent
  if (known.has(metric)) return { metric, descending }
  const near = nearNames(metric, known.keys(), 3)
  const hint = near.length > 0 ? `Did you mean ${descending ? '-' : ''}${near[0]}? ` : ''
  throw new Failure(
    'parameter_invalid',
    `sort=${sent} names no metric. ${hint}GET /api/v1/fundamentals without ticker lists all metrics.`,
    { param: 'sort', near },
  )
}
