import { freeLicenceNotice } from '../../access/licences.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { encodeCursor, type MarketQuery } from './query.ts'

interface FoundPage {
  readonly dataVersion: number
  readonly rows: readonly unknown[]
  /** The last entity on the page; null: this is the last page. */
  readonly next: number | null
}

/** The fields that every page of a market has besides its parameters and rows.
 *
 * @param notes why rows are missing; null entries are left out */
export function pageFields(
  { markets }: Pick<CompanyDeps, 'markets'>,
  query: MarketQuery,
  { dataVersion, rows, next }: FoundPage,
  notes: readonly (string | null)[],
) {
  const { market, asOf, freeLicence } = query
  const manifest = markets.get(market)
  const firstVersion = query.firstVersion ?? dataVersion
  const changed = dataVersion === firstVersion ? null : versionNote(firstVersion, dataVersion, freeLicence)
  const note = [...notes, changed].filter(text => text !== null).join(' ')
  return {
    data_version: dataVersion,
    ...(freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    ...(note === '' ? {} : { note }),
    count: rows.length,
    next: next === null ? null : encodeCursor({ market, entityId: next, asOf, dataVersion: firstVersion }),
  }
}

/** Each row is true as of its day, but an import between two pages may have added filings of that day or before. */
function versionNote(first: number, now: number, isFree: boolean): string {
  const mend = isFree ? 'start again without cursor' : `send data_version=${first} with the cursor`
  return `The first page has data version ${first}, this page has ${now}: it includes data imported in between, which earlier pages do not. To read one data version, ${mend}.`
}

interface EmptyPageTexts {
  /** More companies follow: what no company on this page has. */
  readonly onPage: string
  /** No companies follow those of earlier pages. */
  readonly afterCursor: string
  /** This is the only page: what no company of the market has. */
  readonly atAll: string
}

/** Why a page of a market has no rows. */
export function explainEmptyPage(
  { markets }: Pick<CompanyDeps, 'markets'>,
  { market, metric, after }: MarketQuery,
  hasMore: boolean,
  texts: EmptyPageTexts,
): string {
  const manifest = markets.get(market)
  if (manifest?.status === 'announced') {
    return `Market ${market} is announced, but its figures are not served yet: there is no importer for it.`
  }
  if (hasMore) return `${texts.onPage}; \`next\` continues.`
  if (after !== null) return texts.afterCursor
  if (markets.metrics.get(metric)?.markets.includes(market) !== true) {
    return `The register of market ${market} does not report ${metric}. GET /api/v1/fundamentals lists the markets that report it.`
  }
  const reason = manifest?.absences[metric]
  return reason === undefined ? texts.atAll : `${texts.atAll} ${reason}`
}
