import { html, type Markup } from '../../../html.ts'
import type { Page } from '../../../http/pages/shell.ts'
import { currencyOf } from '../../../markets/currency.ts'
import type { PriceSet } from '../../../prices/priceQueries.ts'
import { demoPrincipal } from '../../../rights/licences.ts'
import type { Rights } from '../../../rights/rights.ts'
import { crossSectionLimit } from '../../crossSection/schema.ts'
import { readScreenedTable, type ScreenedTable } from '../../crossSection/table.ts'
import type { PageViewer } from '../../marketPages/query.ts'
import type { PageDeps } from '../deps.ts'
import { isDownloadable } from '../downloads.ts'
import { sampleNotice } from '../extent/sampleNotice.ts'
import { cappedCompanies, cappedNote, namesOf } from '../fields.ts'
import { exactFigure } from '../figures.ts'
import { metricLabel } from '../metricLabels.ts'
import { comparisonNotes, listNotes, noticeOf } from '../notes.ts'
import { useThisData, useThisDataAssets } from '../useThisData/panel.ts'
import { filterChips } from './chips.ts'
import { companyTable } from './companyTable.ts'
import { screenUse, screenUseNote } from './dataUse.ts'
import { screenDownloadPath, screenFormats } from './download.ts'
import { type ScreenColumn, screenColumn } from './figureSet.ts'
import { screenForm } from './form.ts'
import { groupTable } from './groups.ts'
import { histograms } from './histogram.ts'
import { planScreen, type ScreenDeps, type ScreenPlan } from './plan.ts'
import { type Screen, type SentScreen, screenPath } from './query.ts'
import { ageNote } from './recency.ts'

/** Companies per page. */
const maxRows = 200

/** What of the operator's prices a screen shows. */
export interface ScreenPrices {
  /** The set that it takes; null: it has no valuation. */
  readonly set: PriceSet | null
  /** Whether the form offers valuations: the visitor may see a set. */
  readonly isOffered: boolean
}

/**
 * /screen: metrics of every company of a market as a sortable table, as of any day that the visitor may see.
 */
export async function screenPage(
  deps: ScreenDeps,
  viewer: PageViewer,
  sent: SentScreen,
  { set, isOffered }: ScreenPrices,
): Promise<Page> {
  const { screen } = sent
  const { rights } = viewer
  // Merely opening the page must not use up companies, so it shows what every visitor sees.
  const isPublic = rights.entityCap !== null && screen.isBlank
  const reader = isPublic ? publicViewer(deps) : viewer
  const planned = await planScreen(deps, reader, screen, maxRows, set)
  const { plan, age, named } = planned
  const screened = await deps.readLimiter.run('pages', () => readScreenedTable(deps, reader, plan))
  const { table, isWhole, companies, start } = screened
  const currency = plan.inCurrency?.code ?? ownCurrency(deps, plan.market)
  const columns = screen.columns.map(metric => screenColumn(deps.markets, metric, currency))
  const names = await namesOf(
    deps,
    table.data.map(({ ticker }) => ticker),
  )
  const notes = [
    ageNote(screen, age, plan.asOf),
    named !== null && elsewhereNote(named.elsewhere, plan.market),
    ...comparisonNotes(plan, table, isWhole),
    mixedNote(planned, screened, columns, screen),
    // Companies that were named are no longer those that the licence happens to have seen.
    ...listNotes(
      deps.markets,
      named === null ? plan : { ...plan, seen: null },
      table,
      'No company fits these settings.',
    ),
  ].filter(note => note !== null && note !== false)
  const ofPage = start === null
  const { grouping } = plan
  const groups = grouping !== null && groupTable(companies, columns, screen, grouping, ofPage)
  const position = positionText(screened)
  const links = pageLinks(screened, screen)
  return {
    ...frameOf(deps, plan.market),
    main: html`<h1>Screen</h1>
${isPublic ? publicNote(rights, screen) : cappedNote(rights)}
${await sampleNotice(deps)}
${screenForm(deps, { ...sent, rights, defaultAge: age.isDefault ? age.days : undefined, currency: ownCurrency(deps, plan.market), offersValuations: isOffered })}
${filterChips(screen, age)}
${noticeOf(notes)}
${otherCurrencies(screened, screen)}
${groups}
${
  table.data.length > 0 &&
  html`<p class="pages">${position} ${links} <a href="#distribution">Charts of the columns</a></p>
${companyTable({ table, columns, names, grouping }, screen)}`
}
<p class="pages">${position} ${links} <span class="quiet">${table.attribution}</span></p>
${!isPublic && useThisData(screenUse(deps, rights, screen, planned), screenUseNote(screen))}
${!isPublic && table.data.length > 0 && downloads(deps, planned, screened, screen)}
${histograms(companies, columns, ofPage)}`,
  }
}

/** Sees what every visitor does, which counts no companies. */
export const publicViewer = ({ rightsOf }: Pick<PageDeps, 'rightsOf'>): PageViewer => ({
  rights: rightsOf(demoPrincipal),
  allowance: null,
})

/** The form with its mistakes, instead of a table that would leave out what was asked for. */
export function refusedScreen(
  deps: PageDeps,
  rights: Rights,
  sent: SentScreen,
  offersValuations: boolean,
): Page {
  const { screen } = sent
  const market = deps.markets.get(screen.market) === undefined ? 'US' : screen.market
  return {
    ...frameOf(deps, market),
    unlisted: true,
    main: html`<h1>Screen</h1>
${screenForm(deps, { ...sent, rights, defaultAge: undefined, currency: ownCurrency(deps, market), offersValuations })}`,
  }
}

function frameOf({ markets, settings }: PageDeps, market: string) {
  const country = markets.get(market)?.name
  return {
    title: `Screen: ${country}`,
    section: '/screen',
    styles: ['chart.css', 'screen.css', useThisDataAssets.style],
    scripts: ['grid.js', 'bars.js', 'screen.js', useThisDataAssets.script],
    description: `Metrics of every company of ${country} in one table, with filters.`,
    canonical: `${settings.baseUrl}/screen?market=${market}`,
  } as const
}

function ownCurrency({ markets }: Pick<PageDeps, 'markets'>, market: string): string {
  const manifest = markets.get(market)
  return manifest === undefined ? '' : currencyOf(manifest)
}

const publicNote = ({ licence, entityCap }: Rights, screen: Screen): Markup =>
  html`<p class="notice">This is what every visitor sees, under the Free Licence, and it uses none of the ${exactFigure(entityCap ?? 0)} companies of your ${licence} licence. <a href="${screenPath(screen)}">Screen with your licence</a>: it opens every year and every day of the past, and each page counts its companies, at most ${cappedCompanies}. Sorting and filtering do so as well.</p>`

const elsewhereNote = (ids: readonly string[], market: string): Markup | null =>
  ids.length === 0
    ? null
    : html`${ids.length === 1 ? 'One of these companies is' : `${exactFigure(ids.length)} of these companies are`} not of market ${market} and left out: ${ids.join(', ')}.`

/** Amounts that are neither sorted nor bounded are shown in the currency of each company. */
function mixedNote(
  { plan }: ScreenPlan,
  { companies }: ScreenedTable,
  columns: readonly ScreenColumn[],
  screen: Screen,
): Markup | null {
  const amount = columns.find(
    ({ metric, currency }) => currency !== null && plan.inCurrency?.metrics.includes(metric) !== true,
  )
  if (amount === undefined) return null
  const { metric, currency } = amount
  const others = companies.filter(({ figures }) => {
    const unit = figures.get(metric)?.unit
    return unit !== undefined && unit.split('/')[0] !== currency
  }).length
  if (others === 0 || currency === null) return null
  return html`${exactFigure(others)} ${others === 1 ? 'company reports' : 'companies report'} ${metricLabel(metric).toLowerCase()} in another currency than ${currency}: the column Currency names it. <a href="${screenPath(screen, { currency, cursor: undefined })}">Only ${currency}</a>.`
}

/** Links to the companies whose amounts are in other currencies and cannot be compared with those shown. */
function otherCurrencies({ table }: ScreenedTable, screen: Screen): Markup | false {
  const { other_currencies: others = [] } = table
  if (others.length === 0) return false
  const single = others.filter(({ currency }) => currency.length === 3)
  const several = others
    .filter(({ currency }) => currency.length > 3)
    .reduce((sum, { companies }) => sum + companies, 0)
  return html`<p>${single.length > 0 && html`In other currencies: ${single.map(({ currency, companies }, index) => html`${index > 0 && ', '}<a href="${screenPath(screen, { currency, cursor: undefined })}">${exactFigure(companies)} in ${currency}</a>`)}.`}${several > 0 && ` ${exactFigure(several)} with amounts in more than one currency, which have no order.`}</p>`
}

/** `201 to 400 of 413 companies`. Visitors whose licence counts companies are not told of those that they have not seen. */
function positionText({ table, start }: ScreenedTable): string {
  const { count, total } = table
  if (start === null || total === undefined || count === total || count === 0)
    return `${exactFigure(count)} ${count === 1 ? 'company' : 'companies'}.`
  return `${exactFigure(start + 1)} to ${exactFigure(start + count)} of ${exactFigure(total)} companies.`
}

function pageLinks({ table, previous }: ScreenedTable, screen: Screen): Markup {
  const at = (cursor: string | null) => screenPath(screen, { cursor: cursor || undefined })
  return html`${previous !== null && html`<a rel="prev" href="${at(previous)}">The previous companies</a>`} ${table.next !== null && html`<a rel="next" href="${at(table.next)}">The next companies</a>`}`
}

function downloads(
  { settings, markets }: PageDeps,
  { plan }: ScreenPlan,
  { table, start }: ScreenedTable,
  screen: Screen,
): Markup {
  const manifest = markets.get(plan.market)
  if (manifest === undefined || !isDownloadable(settings, manifest))
    return html`<p class="quiet">There are no files for ${manifest?.name}: we have not read the terms of its register in full.</p>`
  const limit = plan.freeLicence ? crossSectionLimit.maxFree : crossSectionLimit.max
  // A capped licence has counted the companies of this page. For others, the file starts at the top.
  const whole = start === null ? screen : { ...screen, cursor: undefined }
  const { total = table.count } = table
  const contents =
    start === null
      ? 'the companies of this page'
      : total > limit
        ? `the first ${exactFigure(limit)} of ${exactFigure(total)} companies`
        : total === 1
          ? 'this company'
          : `all ${exactFigure(total)} companies`
  return html`<p class="buttons">${screenFormats.map(format => html`<a class="button" href="${screenDownloadPath(whole, format)}" download>${format === 'csv' ? 'CSV' : 'Parquet'}</a> `)}<span class="quiet">with ${contents}, these columns and filters, ${screen.asOf === undefined ? 'as known today' : `as known on ${screen.asOf}`}. The file names its licence and sources.</span></p>`
}
