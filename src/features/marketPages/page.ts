import { freeLicenceNotice } from '../../access/licences.ts'
import type { FundamentalsDeps } from '../companies/deps.ts'
import { type MarketQuestion, writePlace } from './query.ts'

interface FoundPage {
  readonly dataVersion: number
  readonly rows: readonly unknown[]
  /** The last entity on the page; null: there is none after it. */
  readonly next: number | null
}

/** What every page of a market says of itself beside its question.
 *
 * @param notes why rows are missing; null: they are not */
export function aboutPage(
  { markets }: Pick<FundamentalsDeps, 'markets'>,
  question: MarketQuestion,
  { dataVersion, rows, next }: FoundPage,
  notes: readonly (string | null)[],
) {
  const { market, asOf, freeLicence } = question
  const manifest = markets.get(market)
  const firstVersion = question.firstVersion ?? dataVersion
  const changed = dataVersion === firstVersion ? null : changedBetween(firstVersion, dataVersion)
  const note = [...notes, changed].filter(text => text !== null).join(' ')
  return {
    data_version: dataVersion,
    ...(freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    ...(note === '' ? {} : { note }),
    count: rows.length,
    next: next === null ? null : writePlace({ market, entityId: next, asOf, dataVersion: firstVersion }),
  }
}

/** Every row is true as of its day; an import may have brought filings of that day or before it late. */
function changedBetween(first: number, now: number): string {
  return `The first page was of data version ${first}, this one is of ${now}: what was imported in between is on this page and not on those before it. For one data version begin again without cursor.`
}

interface Nothing {
  /** Where companies follow: what no company on the page has. */
  readonly onPage: string
  /** Where none follows those of the pages before. */
  readonly afterCursor: string
  /** On a page that is the only one: what no company of the market has. */
  readonly atAll: string
}

/** Why a page of a market has no rows. */
export function explainEmptyPage(
  { markets }: Pick<FundamentalsDeps, 'markets'>,
  { market, metric, after }: MarketQuestion,
  hasMore: boolean,
  nothing: Nothing,
): string {
  const manifest = markets.get(market)
  if (manifest?.status === 'announced') {
    return `No figures of market ${market} are served yet: it is announced, and its importer does not ship.`
  }
  if (hasMore) return `${nothing.onPage}; \`next\` continues.`
  if (after !== null) return nothing.afterCursor
  if (markets.metrics.get(metric)?.markets.includes(market) !== true) {
    return `The register of market ${market} does not state ${metric}. GET /api/v1/fundamentals lists which markets state it.`
  }
  const reason = manifest?.absences[metric]
  return reason === undefined ? nothing.atAll : `${nothing.atAll} ${reason}`
}
