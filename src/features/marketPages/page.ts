import { findValuation } from '../../markets/valuations.ts'
import { freeLicenceNotice } from '../../rights/licences.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { encodeCursor, type MarketQuery } from './query.ts'

interface FoundPage {
  readonly dataVersion: number
  readonly rows: readonly unknown[]
  /** The last entity on the page; null on the last page. */
  readonly next: number | null
  /** For sorted lists, that entity's figure. */
  readonly nextValue?: number | null
}

/**
 * The fields that every page of a market has besides its parameters and rows.
 *
 * @param notes why rows are missing; null entries are omitted
 */
export function pageFields(
  { markets, cursors }: Pick<CompanyDeps, 'markets' | 'cursors'>,
  query: MarketQuery,
  { dataVersion, rows, next, nextValue: value = null }: FoundPage,
  notes: readonly (string | null)[],
) {
  const { market, asOf, freeLicence, seen, left, scope } = query
  const manifest = markets.get(market)
  const firstVersion = query.firstVersion ?? dataVersion
  const changed = dataVersion === firstVersion ? null : versionNote(firstVersion, dataVersion, freeLicence)
  const note = [...notes, seenOnlyNote(query), changed].filter(text => text !== null).join(' ')
  return {
    data_version: dataVersion,
    ...(freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    ...(note === '' ? {} : { note }),
    ...(seen === null || left === null ? {} : { seen_only: true as const, companies_left: left }),
    count: rows.length,
    next:
      next === null
        ? null
        : encodeCursor(cursors, scope, { market, entityId: next, asOf, dataVersion: firstVersion, value }),
  }
}

/** Says why matching companies may be missing. The note does not depend on whether there are any. */
function seenOnlyNote({ seen, left, limit }: MarketQuery): string | null {
  if (seen === null || left === null) return null
  const known = `this answer is only about the ${seen.length.toLocaleString('en-US')} companies that it has seen`
  const all = 'A Personal or Commercial data licence covers all companies.'
  if (left === 0) return `This key has seen all the companies that it may see: ${known}. ${all}`
  const page = `a page may have ${limit.toLocaleString('en-US')}`
  return `This key may see ${left.toLocaleString('en-US')} more companies, and ${page}: ${known}. Send limit=${left} or less for all companies of the market.`
}

/**
 * Each row is correct as of its day, but an import between two pages may have added filings of that day or
 * earlier.
 */
function versionNote(first: number, now: number, isFree: boolean): string {
  const mend = isFree ? 'start again without cursor' : `send data_version=${first} with the cursor`
  return `The first page has data version ${first}, this page has ${now}: it includes data imported in between, which earlier pages do not. To read one data version, ${mend}.`
}

/**
 * The company after which the next page continues. For a page that counts against a cap, it follows from the
 * rows alone: whether another company follows depends on figures that were not counted.
 */
export function nextCompany(
  { left, seen, limit }: Pick<MarketQuery, 'left' | 'seen' | 'limit'>,
  { rows, next }: { readonly rows: readonly { readonly entityId: number }[]; readonly next: number | null },
): number | null {
  if (left === null || seen !== null) return next
  return rows.length === limit ? (rows.at(-1)?.entityId ?? null) : null
}

interface EmptyPageTexts {
  /** Says what no company on this page has. Used if more companies follow. */
  readonly onPage: string
  /** Used if no companies follow those of earlier pages. */
  readonly afterCursor: string
  /** Says what no company of the market has. Used on the only page. */
  readonly atAll: string
}

/** Why a page of a market has no rows. */
export function explainEmptyPage(
  { markets }: Pick<CompanyDeps, 'markets'>,
  { market, metric, after, seen }: MarketQuery,
  hasMore: boolean,
  texts: EmptyPageTexts,
): string {
  const manifest = markets.get(market)
  if (manifest?.status === 'announced') {
    return `Market ${market} is announced, but its figures are not served yet: there is no importer for it.`
  }
  if (hasMore) return `${texts.onPage}; \`next\` continues.`
  if (seen !== null) return 'No company that this key has seen fits these parameters.'
  if (after !== null) return texts.afterCursor
  const isValuation = findValuation(metric) !== undefined
  if (!isValuation && markets.metrics.get(metric)?.markets.includes(market) !== true) {
    return `The register of market ${market} does not report ${metric}. GET /api/v1/fundamentals lists the markets that report it.`
  }
  const reason = manifest?.absences[metric]
  return reason === undefined ? texts.atAll : `${texts.atAll} ${reason}`
}
