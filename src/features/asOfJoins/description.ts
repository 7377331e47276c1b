import type { ParsedRows } from '../../backtest/asOf/rows.ts'
import type { JoinPlan } from '../../backtest/asOf/settings.ts'
import type { AboutJoin } from '../../backtest/asOf/writeJoin.ts'
import type { Markets } from '../../markets/markets.ts'
import { freeLicenceNotice } from '../../rights/licences.ts'
import type { JoinCompanies } from './companies.ts'

/**
 * The maximum number of names in a response: a file with another kind of IDs has as many unknown ones as
 * rows.
 */
export const maxNamed = 100

/** The parts of a response besides its columns. */
export function describeJoin(
  markets: Pick<Markets, 'get'>,
  { identities, companyOfName, renamed }: JoinCompanies,
  { names, count }: Pick<ParsedRows, 'names' | 'count'>,
  { fp, inclusive, maxAgeDays }: JoinPlan,
  dataVersion: number,
  isFree: boolean,
): AboutJoin {
  const unknown = names.filter((_, i) => companyOfName[i] === -1)
  const codes = [...new Set(identities.map(({ market }) => market))].sort()
  return {
    object: 'as_of_join',
    count,
    data_version: dataVersion,
    fp,
    known: inclusive ? 'filed on or before the date' : 'filed before the date',
    max_age_days: maxAgeDays,
    unknown: unknown.slice(0, maxNamed),
    unknown_count: unknown.length,
    ...(renamed.length === 0 ? {} : { renamed: renamed.slice(0, maxNamed) }),
    ...(isFree ? { licence: freeLicenceNotice } : {}),
    attribution: codes.flatMap(code => markets.get(code)?.attribution ?? []),
    markets: codes,
  }
}

/** The note for formats of rows, which have no field for it. */
export function noteOf({
  unknown,
  unknown_count: count,
}: Pick<AboutJoin, 'unknown' | 'unknown_count'>): string | null {
  if (count === 0) return null
  const more = count > unknown.length ? ` and ${count - unknown.length} more` : ''
  return `${count} ${count === 1 ? 'ticker is' : 'tickers are'} unknown, and the figures of their rows are missing: ${unknown.join(', ')}${more}.`
}
