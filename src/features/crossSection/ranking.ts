import { findValuation } from '../../markets/valuations.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import { currencies } from '../fundamentals/columns.ts'
import { plainZero } from '../fundamentals/read.ts'
import type { Sort } from './comparison.ts'
import type { CurrencyRule } from './queries.ts'
import { type TableCompany, tableRows } from './tablePage.ts'
import type { TableScope } from './tableQueries.ts'
import { type ValueCompanies, type ValuedPart, withValuations } from './valued.ts'

/** What is sorted, and where the page begins. */
export interface RankingScope extends TableScope {
  /** Null for the order of first import, which only a request with valuations reads this way. */
  readonly sort: Sort | null
  /** The figure of the company `after`, as the previous page showed it. */
  readonly afterValue: number | null
  readonly inCurrency: CurrencyRule | null
  /** Null or absent: the request names no valuation. */
  readonly valued?: ValuedPart | null
}

/** A company with the figure by which it is sorted; 0 without a sort. Its other figures are in the columns. */
export interface RankedCompany extends TableCompany {
  readonly sortedBy: number
}

export interface CurrencyCount {
  /** Several, separated by spaces, if a company's compared amounts are in more than one. */
  readonly currency: string
  readonly companies: number
}

export interface Ranking {
  readonly dataVersion: number
  readonly rows: readonly RankedCompany[]
  /** The companies of all pages, in order. */
  readonly ranked: readonly RankedCompany[]
  /** How many companies precede the page. */
  readonly start: number
  /** The company after which the previous page begins; null if that is the first page. */
  readonly beforePrevious: RankedCompany | null
  /** The last entity on the page and its figure; null on the last page. */
  readonly next: number | null
  readonly nextValue: number | null
  /** The number of companies on all pages. */
  readonly total: number
  /** The number of companies without the figure by which the others are sorted. */
  readonly unranked: number
  /**
   * Companies that have all sorted and bounded figures but are not compared with the listed ones, because
   * some of the amounts are in another currency. Bounds do not apply to such amounts.
   */
  readonly others: readonly CurrencyCount[]
  /** Whether all companies of the market were sorted. */
  readonly isWhole: boolean
}

const companiesPerStatement = 10_000
/** The maximum number of companies sorted in one request: more would take too much memory and time. */
export const maxSorted = 50_000

/**
 * A page of a market's companies sorted by one of their figures. All of them are read and sorted, so that the
 * first page really has the top companies; ties are in order of first import.
 *
 * @param read reads what else the page needs, from the same snapshot
 * @param value must be given for a request with valuations
 */
export function rankMarket<T>(
  sql: Sql,
  scope: RankingScope,
  read: (snapshot: SqlClient, ranking: Ranking) => Promise<T>,
  bound = maxSorted,
  value?: ValueCompanies,
): Promise<T> {
  return withSnapshot(sql, async snapshot => {
    const { dataVersion, companies, isWhole } = await readMarket(snapshot, scope, bound, value)
    return read(snapshot, pageOf(scope, companies, { dataVersion, isWhole }))
  })
}

/** The companies in order of first import, with all figures that the request shows or compares. */
async function readMarket(sql: SqlClient, scope: RankingScope, bound: number, value?: ValueCompanies) {
  const { metrics, sort, inCurrency, valued = null } = scope
  const compared = [...(sort === null ? [] : [sort.metric]), ...(inCurrency?.metrics ?? [])]
  const wanted = [...new Set([...metrics, ...compared])].filter(name => findValuation(name) === undefined)
  // In any currency: companies with other currencies are counted, whatever their amounts.
  const inAny = { ...scope, metrics: wanted, inCurrency: null, boundsIn: inCurrency }
  const stated =
    wanted.length > 0
      ? await readStated(sql, inAny, bound)
      : { dataVersion: await readDataVersion(sql), companies: [], isWhole: true }
  if (valued === null) return stated
  if (value === undefined)
    throw new Error('A request with valuations is read with a function that values companies.')
  const companies = await withValuations(sql, value, valued, stated.companies, inAny, bound)
  return { ...stated, companies }
}

async function readStated(sql: SqlClient, scope: TableScope, bound: number) {
  const companies: TableCompany[] = []
  let after: number | null = null
  let dataVersion: number
  do {
    const limit = Math.min(companiesPerStatement, bound - companies.length)
    const found = await tableRows(sql, { ...scope, after, limit })
    for (const company of found.rows) companies.push(company)
    dataVersion = found.dataVersion
    after = found.next
  } while (after !== null && companies.length < bound)
  return { dataVersion, companies, isWhole: after === null }
}

const unsorted = { value: 0 }

function pageOf(
  { metrics, sort, inCurrency, after, afterValue, limit }: RankingScope,
  companies: readonly TableCompany[],
  read: Pick<Ranking, 'dataVersion' | 'isWhole'>,
): Ranking {
  const ranked: RankedCompany[] = []
  const others = new Map<string, number>()
  let unranked = 0
  for (const company of companies) {
    const figures = new Map(metrics.flatMap(name => pairOf(company.figures, name)))
    if (figures.size === 0) continue
    const figure = sort === null ? unsorted : company.figures.get(sort.metric)
    if (figure === undefined) {
      unranked++
      continue
    }
    const currency = inCurrency === null ? null : currencyOfCompany(company, inCurrency)
    if (currency !== (inCurrency?.code ?? null)) {
      if (currency !== null) others.set(currency, (others.get(currency) ?? 0) + 1)
      continue
    }
    ranked.push({ ...company, figures, sortedBy: plainZero(figure.value) })
  }
  const sign = sort?.descending ? -1 : 1
  ranked.sort((a, b) => sign * (a.sortedBy - b.sortedBy) || a.entityId - b.entityId)
  const isAfter = ({ sortedBy, entityId }: RankedCompany) => {
    if (sort === null) return after === null || entityId > after
    if (after === null || afterValue === null) return true
    return sortedBy === afterValue ? entityId > after : sign * (sortedBy - afterValue) > 0
  }
  const rest = ranked.filter(isAfter)
  const rows = rest.slice(0, limit)
  const last = rest.length > limit ? rows.at(-1) : undefined
  const start = ranked.length - rest.length
  return {
    ...read,
    rows,
    ranked,
    start,
    beforePrevious: ranked[start - limit - 1] ?? null,
    next: last?.entityId ?? null,
    nextValue: sort === null ? null : (rows.at(-1)?.sortedBy ?? null),
    total: ranked.length,
    unranked,
    others: [...others]
      .map(([currency, count]) => ({ currency, companies: count }))
      .sort((a, b) => b.companies - a.companies || (a.currency < b.currency ? -1 : 1)),
  }
}

function pairOf<V>(figures: ReadonlyMap<string, V>, name: string): [string, V][] {
  const figure = figures.get(name)
  return figure === undefined ? [] : [[name, figure]]
}

/** The currency of the figures that must share one; null if the company has none of them. */
const currencyOfCompany = ({ figures }: TableCompany, { metrics }: CurrencyRule): string | null =>
  currencies(metrics.flatMap(name => figures.get(name)?.unit ?? []))
