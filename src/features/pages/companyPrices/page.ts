import { dayNumber } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import { searchForm } from '../../../http/pages/errorPage.ts'
import type { Page } from '../../../http/pages/shell.ts'
import { isInstant, lastWholeDay } from '../../../instants.ts'
import { basisWords } from '../../prices/import/importPrices.ts'
import { companyHead, companyName, companyParts, sourceSection } from '../companyFrame.ts'
import type { Visitor } from '../deps.ts'
import { dayField } from '../fields.ts'
import { exactFigure } from '../figures.ts'
import { chartedCloses, type PriceRow, priceChart, shownPrice } from './chart.ts'
import { type CompanyPricesQuery, companyPricesPath } from './query.ts'
import { type CompanyPricesDeps, type CompanyPricesView, maxSets, readCompanyPrices } from './read.ts'

const recentRows = 30
const maxEvents = 200
const maxSecurities = 10

/** /companies/{id}/prices: the prices of a company as known on the day of the page. */
export async function companyPricesPage(
  deps: CompanyPricesDeps,
  visitor: Visitor,
  id: string,
  query: CompanyPricesQuery,
): Promise<Page> {
  const view = await readCompanyPrices(deps, visitor, id, query)
  const { profile, content, shown } = view
  const name = companyName(profile)
  return {
    title: `${name} (${profile.ticker}): prices`,
    description: `Prices of ${name} (${profile.ticker}) as known on a day.`,
    unlisted: true,
    styles: ['chart.css', 'company.css', 'statements.css', 'identity.css'],
    scripts: ['search.js'],
    main: html`${companyHead(profile, deps.markets.get(profile.market))}
${companyParts(profile.ticker, 'prices', query, content, lastWholeDay(profile.as_of), true)}
${shown === null ? noSet() : pricesOf(view, shown, query)}
${searchForm('')}`,
  }
}

const noSet = (): Markup =>
  html`<p class="notice">There is no price set that you may see. No register publishes prices: the operator of this service may import sets of their own and decides who sees them. <a href="/docs/guides/prices">How prices work</a>. <a href="/sign-in?next=/prices">Sign in</a> if a set is shown to your key or licence.</p>`

function pricesOf(
  { profile, sets }: CompanyPricesView,
  { set, list }: NonNullable<CompanyPricesView['shown']>,
  query: CompanyPricesQuery,
): Markup {
  const { as_of } = query
  const { as_of: _, tz: __, ...today } = query
  // The latest list first: a company may have a security that ended long ago.
  const securities = securitiesOf(list.data).sort((a, b) => dayNumber(lastDate(b)) - dayNumber(lastDate(a)))
  const isOneOfMore = sets.length > (query.set === undefined ? maxSets : 1)
  const words = isInstant(list.as_of)
    ? `As known at ${list.as_of}: the prices of the days that had ended then.`
    : `As known on ${list.as_of}.`
  return html`<div class="choices"><form method="get" action="${companyPricesPath(profile.ticker)}">
${dayField('as-of', 'As known on', as_of ?? '')}
${query.tz !== undefined && html`<input type="hidden" name="tz" value="${query.tz}">`}
${
  sets.length > 1
    ? html`<span class="field"><label for="set">Price set</label> <select id="set" name="set">${sets.map(each => html`<option value="${each.name}"${each.name === set.name && html` selected`}>${each.name}</option>`)}</select></span>`
    : ''
}
<button type="submit">Show</button>
</form>${as_of !== undefined && html`<p class="days"><a href="${companyPricesPath(profile.ticker, today)}">Today</a></p>`}</div>
<p class="quiet">${words} The price set <a href="/prices/${set.name}">${set.name}</a>, in ${set.currency}; its closes are ${basisWords[set.basis]}.</p>
${list.count === 0 ? html`<p class="notice">No price of ${profile.ticker} was known then.${isOneOfMore && ' Another set may have some.'}</p>` : html`${securities.slice(0, maxSecurities).map((rows, at) => securitySection(rows, at, securities.length, set.currency))}${securities.length > maxSecurities && html`<p>The ${maxSecurities} latest of ${securities.length} securities are shown.</p>`}`}
${sourceSection(
  list,
  html`<p>Programs get the same prices from <code>GET /api/v1/prices/${set.name}?ticker=${profile.ticker}${as_of !== undefined && `&as_of=${as_of}`}${query.tz !== undefined && `&tz=${query.tz}`}</code>. <a href="/docs/guides/prices">The guide</a> defines every column.</p>`,
)}`
}

const lastDate = (rows: readonly PriceRow[]): string => rows[rows.length - 1].date

/** The rows of each security. They follow each other, by day. */
function securitiesOf(data: readonly PriceRow[]): PriceRow[][] {
  const found: PriceRow[][] = []
  for (const row of data) {
    const own = found.at(-1)
    const before = own?.at(-1)
    if (own !== undefined && before !== undefined && before.symbol === row.symbol && before.date < row.date)
      own.push(row)
    else found.push([row])
  }
  return found
}

function securitySection(rows: readonly PriceRow[], at: number, count: number, currency: string): Markup {
  const [{ symbol, date: first }] = rows
  const { isAdjusted } = chartedCloses(rows)
  const latest = rows.findLast(({ close }) => close !== null)
  const title = `Closes of ${symbol}, ${currency}${isAdjusted ? ', in the shares of the last day' : ', as stated'}`
  const chart = priceChart(rows, { number: at + 1, title, currency })
  return html`<section><h2 id="security-${at + 1}">${count > 1 ? symbol : 'Closes'}</h2>
<p>${latest === undefined ? 'No close is on record.' : html`Latest close: <strong>${exactFigure(latest.close ?? 0)} ${currency}</strong> on ${latest.date}, known on ${latest.known}.`} ${rows.length > 1 && html`${exactFigure(rows.length)} days from ${first} to ${lastDate(rows)}.`}</p>
${
  chart !== false &&
  html`${chart}
<p class="quiet">${isAdjusted ? 'The chart shows the closes as traded, divided by the splits after them that were known on the day of the page. Dividends are not added.' : 'The chart shows the closes as the set states them: the closes as traded cannot be derived.'}</p>`
}
${closesTable(rows, at)}
${eventsTable(rows, at)}</section>
`
}

/** The latest rows with a close, the latest first. */
function closesTable(rows: readonly PriceRow[], at: number): Markup {
  const recent = rows
    .filter(({ close }) => close !== null)
    .slice(-recentRows)
    .reverse()
  if (recent.length === 0) return html``
  const isRestored = recent.some(row => row.close_as_traded !== null && row.close_as_traded !== row.close)
  const hasVolume = recent.some(({ volume }) => volume !== null)
  return html`<h3 id="recent-${at + 1}">${recent.length === 1 ? 'Latest close' : `Latest ${recent.length} closes`}</h3>
<div class="scroll" tabindex="0" role="region" aria-labelledby="recent-${at + 1}"><table>
<thead><tr><th scope="col">Day</th><th scope="col" class="number">Close</th>${isRestored && html`<th scope="col" class="number">As traded</th>`}${hasVolume && html`<th scope="col" class="number">Volume</th>`}<th scope="col">Known</th></tr></thead>
<tbody>
${recent.map(row => html`<tr><th scope="row">${row.date}</th><td class="number">${cell(row.close)}</td>${isRestored && html`<td class="number">${row.close_as_traded === null ? '' : shownPrice(row.close_as_traded)}</td>`}${hasVolume && html`<td class="number">${cell(row.volume)}</td>`}<td>${row.known}</td></tr>\n`)}</tbody>
</table></div>`
}

const cell = (value: number | null): string => (value === null ? '' : exactFigure(value))

const eventColumns: readonly [head: string, text: (row: PriceRow) => string][] = [
  ['New shares for one', ({ split_factor: factor }) => (factor === 1 ? '' : exactFigure(factor))],
  ['Dividend per share', ({ dividend }) => (dividend === 0 ? '' : exactFigure(dividend))],
  ['Delisting return', ({ delisting_return: value }) => cell(value)],
]

/** Splits, dividends and delistings, the latest first, with a column for each kind that occurs. */
function eventsTable(rows: readonly PriceRow[], at: number): Markup {
  const events = rows.filter(row => eventColumns.some(([, text]) => text(row) !== '')).reverse()
  if (events.length === 0) return html`<p class="quiet">No split, dividend or delisting is stated.</p>`
  const shown = events.slice(0, maxEvents)
  const columns = eventColumns.filter(([, text]) => shown.some(row => text(row) !== ''))
  return html`<h3 id="events-${at + 1}">Splits, dividends and delistings</h3>
${events.length > maxEvents && html`<p>The latest ${maxEvents} of ${exactFigure(events.length)} are shown.</p>`}
<div class="scroll" tabindex="0" role="region" aria-labelledby="events-${at + 1}"><table>
<thead><tr><th scope="col">Day</th>${columns.map(([head]) => html`<th scope="col" class="number">${head}</th>`)}<th scope="col">Known</th></tr></thead>
<tbody>
${shown.map(row => html`<tr><th scope="row">${row.date}</th>${columns.map(([, text]) => html`<td class="number">${text(row)}</td>`)}<td>${row.known}</td></tr>\n`)}</tbody>
</table></div>`
}
