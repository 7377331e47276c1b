import { Failure } from '../../errors.ts'
import { currencyOf, isMoney } from '../../markets/currency.ts'
import type { Markets } from '../../markets/markets.ts'
import type { MetricDefinition } from '../../markets/metrics.ts'
import { nearNames } from '../../spelling.ts'
import type { Filter } from './filters.ts'
import type { CurrencyRule } from './queries.ts'

export interface Sort {
  readonly metric: string
  /** True if the largest figures come first. */
  readonly descending: boolean
}

/** How companies' figures are compared with one another and with bounds. */
export interface Comparison {
  /** Null for the order in which companies were first imported. */
  readonly sort: Sort | null
  /**
   * The figures that must share one currency; null if no amounts are compared and no currency was requested.
   */
  readonly inCurrency: CurrencyRule | null
}

interface ComparedMarkets extends Pick<Markets, 'get'> {
  readonly metrics: ReadonlyMap<string, MetricDefinition>
}

interface ComparedRequest {
  readonly market: string
  readonly sort?: string | undefined
  readonly currency?: string | undefined
}

/**
 * Amounts that are sorted or bounded are compared in one currency: the requested one or else the market's
 * own. A requested currency also applies to the columns. Ratios and counts have none.
 */
export function readComparison(
  { metrics: known, get }: ComparedMarkets,
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
function readSort(known: ReadonlyMap<string, MetricDefinition>, sent: string | undefined): Sort | null {
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
