import type { MarketQuery } from '../marketPages/query.ts'
import type { Comparison } from './comparison.ts'
import { maxSorted, type Ranking } from './ranking.ts'
import type { CrossSection } from './schema.ts'

export type RankingAnswer = Pick<Ranking, 'total' | 'unranked' | 'others' | 'isWhole'>
type ComparedPlan = Comparison & Pick<MarketQuery, 'left'>

/**
 * Fields that say how a response's companies were compared. Counts include companies that a key may not have
 * seen, so capped keys get none.
 */
export function rankingFields(
  { sort, inCurrency, left }: ComparedPlan,
  ranking: RankingAnswer | null,
): Pick<CrossSection, 'sort' | 'currency' | 'total' | 'unranked' | 'other_currencies'> {
  return {
    ...(sort === null ? {} : { sort: `${sort.descending ? '-' : ''}${sort.metric}` }),
    ...(inCurrency === null ? {} : { currency: inCurrency.code }),
    ...(sort === null || ranking === null || left !== null
      ? {}
      : { total: ranking.total, unranked: ranking.unranked, other_currencies: [...ranking.others] }),
  }
}

/** The same as sentences, for all formats. */
export function comparisonNotes(plan: ComparedPlan, ranking: RankingAnswer | null): string[] {
  const { sort, inCurrency, left } = plan
  const notes: string[] = []
  const counted = left === null ? ranking : null
  if (sort !== null && counted !== null) {
    const amounts = inCurrency === null ? '' : ` in ${inCurrency.code}`
    const first = sort.descending ? 'largest' : 'smallest'
    notes.push(`${companies(counted.total)} of the market by ${sort.metric}${amounts}, the ${first} first.`)
    if (counted.unranked > 0) notes.push(`${companies(counted.unranked)} without ${sort.metric} left out.`)
  }
  if (inCurrency !== null) notes.push(...currencyNotes(inCurrency.code, counted))
  if (ranking !== null && !ranking.isWhole)
    notes.push(
      `The market has more companies than one request sorts: only the first ${maxSorted.toLocaleString('en-US')} that were imported are ranked. Filter further to rank all.`,
    )
  return notes
}

function currencyNotes(code: string, counted: RankingAnswer | null): string[] {
  if (counted === null)
    return [
      `Amounts are compared in ${code}; companies with amounts in another currency are left out. Send currency for those.`,
    ]
  if (counted.others.length === 0) return []
  const listed = counted.others.map(({ currency, companies: count }) => `${count} in ${currency}`).join(', ')
  const [{ currency }] = counted.others
  return [
    `Companies with amounts in another currency are left out, because such amounts have no order: ${listed}. Send currency=${currency.slice(0, 3)} for those.`,
  ]
}

const companies = (count: number) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? 'company' : 'companies'}`
