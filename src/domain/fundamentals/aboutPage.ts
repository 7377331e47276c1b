import { freeLicenceNotice } from '../../model/freeLicence.ts'
import type { FundamentalsDeps } from './deps.ts'
import { writePlace } from './marketCursor.ts'
import type { MarketQuestion } from './readMarketQuestion.ts'

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
