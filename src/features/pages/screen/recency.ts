import { html, type Markup } from '../../../html.ts'
import { type AsOf, dayOf } from '../../../instants.ts'
import type { Sql } from '../../../postgres/client.ts'
import { exactFigure } from '../figures.ts'
import { type Reporting, reportingCompanies } from './queries.ts'
import { recentDays, type Screen, screenPath } from './query.ts'

/** The age limit of a screen, and why it has that limit if nobody chose it. */
export interface AgeLimit {
  readonly days: number | null
  readonly isDefault: boolean
  /** Set if too few companies still reported for the usual limit. */
  readonly tooFew: Reporting | null
}

/** With fewer reporting companies than this share, the market's figures end long before the day, as those of a sample do. */
const minShare = 0.1

/**
 * By default only companies whose period ended recently are listed. Where hardly any company reports any more, that would
 * leave nothing to see, so all are listed. The rule counts reports and not figures: it must not tell a visitor anything
 * about figures that the licence does not cover.
 */
export async function ageLimit(
  sql: Sql,
  { maxAge }: Pick<Screen, 'maxAge'>,
  market: string,
  asOf: AsOf,
): Promise<AgeLimit> {
  if (maxAge !== undefined) return { days: maxAge, isDefault: false, tooFew: null }
  const counts = await reportingCompanies(sql, market, asOf)
  const isUsual = counts.companies > 0 && counts.reporting >= counts.companies * minShare
  return { days: isUsual ? recentDays : null, isDefault: true, tooFew: isUsual ? null : counts }
}

/** Says what the default did where it differs from the usual one. */
export function ageNote(screen: Screen, { tooFew }: AgeLimit, asOf: AsOf): Markup | null {
  if (tooFew === null) return null
  const { companies, reporting } = tooFew
  const only = reporting === 0 ? 'None' : `Only ${exactFigure(reporting)}`
  const counted =
    companies === 0
      ? 'No report of this market is on record'
      : `${only} of the ${exactFigure(companies)} companies of this market filed a report in the 18 months before ${dayOf(asOf)}`
  return html`${counted}, so companies are listed however long ago their period ended, and periods that ended more than ${recentDays} days before that day are marked. <a href="${screenPath(screen, { maxAge: recentDays, cursor: undefined })}">List only recent ones</a>.`
}
