import type { ParsedRows } from '../../backtest/asOf/rows.ts'
import type { JoinPlan } from '../../backtest/asOf/settings.ts'
import type { AboutJoin, JoinLineage } from '../../backtest/asOf/writeJoin.ts'
import type { Markets } from '../../markets/markets.ts'
import { freeLicenceNotice } from '../../rights/licences.ts'
import { type KnownLineage, lineageShown } from '../companies/lineage.ts'
import type { JoinCompanies } from './companies.ts'

/**
 * The maximum number of names in a response. In a file with another kind of IDs, every row may have an unknown one.
 */
export const maxNamed = 100

export const publicByTime = 'public by the time'

/** The parts of a response besides its columns. */
export function describeJoin(
  markets: Pick<Markets, 'get'>,
  companies: JoinCompanies,
  { names, count, times = null }: Pick<ParsedRows, 'names' | 'count' | 'times'>,
  { fp, inclusive, maxAgeDays, group, universe, checks, followsLineage }: JoinPlan,
  dataVersion: number,
  isFree: boolean,
  priceSet: { readonly name: string } | undefined,
): AboutJoin {
  const { identities, renamed, unmatched, isSymbolAssumed, lineages } = companies
  const unknown = companies.unknown.map(name => names[name])
  const codes = [...new Set(identities.map(({ market }) => market))].sort()
  return {
    object: 'as_of_join',
    count,
    data_version: dataVersion,
    fp,
    known:
      times !== null ? publicByTime : inclusive ? 'filed on or before the date' : 'filed before the date',
    max_age_days: maxAgeDays,
    ...(group === null ? {} : { group }),
    ...(universe === null ? {} : { universe: universe.join(',') }),
    ...(checks === null ? {} : { checks: checks.join(',') }),
    ...(priceSet === undefined ? {} : { price_set: priceSet.name }),
    unknown: unknown.slice(0, maxNamed),
    unknown_count: unknown.length,
    ...(renamed.length === 0 ? {} : { renamed: renamed.slice(0, maxNamed) }),
    ...(unmatched.length === 0 ? {} : { unmatched: unmatched.slice(0, maxNamed) }),
    ...(isSymbolAssumed ? { symbol_assumed: true as const } : {}),
    ...(lineages.length === 0 ? {} : { lineages: lineages.slice(0, maxNamed).map(shownOf(followsLineage)) }),
    ...(isFree ? { licence: freeLicenceNotice } : {}),
    attribution: codes.flatMap(code => markets.get(code)?.attribution ?? []),
    markets: codes,
  }
}

const shownOf =
  (isFollowed: boolean) =>
  (lineage: KnownLineage): JoinLineage => ({ followed: isFollowed, ...lineageShown(lineage) })

/** The note for CSV and other formats that contain only rows, so have no field for these lists. */
export function noteOf({
  unknown,
  unknown_count: count,
  unmatched = [],
  lineages = [],
}: Pick<AboutJoin, 'unknown' | 'unknown_count' | 'unmatched' | 'lineages'>): string | null {
  const more = count > unknown.length ? ` and ${count - unknown.length} more` : ''
  const verb = count === 1 ? 'ticker is' : 'tickers are'
  const shown = unmatched.slice(0, maxInNote)
  const others =
    unmatched.length > shown.length
      ? ` On some days the figures of ${unmatched.length - shown.length} more symbols are missing.`
      : ''
  const notes = [
    ...(count === 0
      ? []
      : [
          `${count} ${verb} unknown, and the figures of their rows are missing: ${unknown.join(', ')}${more}.`,
        ]),
    ...shown.map(
      ({ rows, reason }) => `The figures of ${rows} ${rows === 1 ? 'row' : 'rows'} are missing: ${reason}`,
    ),
  ]
  for (const { seams } of lineages.filter(({ followed }) => !followed).slice(0, maxInNote))
    for (const { predecessor, successor, from } of seams)
      notes.push(`Registrant ${successor} succeeded ${predecessor} on ${from}: lineage=follow reads both.`)
  return notes.length === 0 ? null : `${notes.join(' ')}${others}`
}

/** The maximum number of names in a note, because notes are sent in a header. */
const maxInNote = 5
