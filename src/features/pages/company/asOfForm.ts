import type { IsoDate } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import { dayOf, isInstant } from '../../../instants.ts'
import type { FundamentalsList } from '../../fundamentals/schema.ts'
import { type CompanyPageQuery, companyPath } from './query.ts'
import type { CompanyView } from './read.ts'
import { restatedStops, type Tables } from './statementTables.ts'

/**
 * Selects the day: a date and a time to type, the filings before and after it and, with JavaScript, a slider over the days of
 * filings.
 */
export function asOfForm(
  { list, today, profile, hasFullHistory }: CompanyView,
  tables: Tables,
  query: CompanyPageQuery,
): Markup {
  const { ticker } = profile
  const { days, times, zone } = tables
  if (!hasFullHistory) return lockedNotice(list, ticker)
  if (days.length === 0) return html``
  const { as_of, tz } = query
  const { day, time } = partsOf(as_of)
  const isKnown = knownStops(list, today, as_of)
  const at = days.findLastIndex(isKnown)
  const hiddenFields = (['show', 'figures', 'plot', 'adjust', 'changes'] as const).flatMap(name => {
    const value = query[name]
    return value === undefined || value === 'years'
      ? []
      : [html`<input type="hidden" name="${name}" value="${value}">`]
  })
  const { cell: _, before: __, tz: ___, as_of: ____, ...kept } = query
  const pathOn = (filed: IsoDate | undefined) =>
    filed !== undefined && html` href="${companyPath(ticker, { ...kept, as_of: filed })}"`
  const chosen = as_of === undefined ? (days.at(-1) ?? '') : dayOf(list.as_of)
  const accepted = days[at] === as_of && times[at] !== '' ? `, accepted ${times[at]}` : ''
  return html`<form class="day" method="get" action="/companies/${encodeURIComponent(ticker)}">
${hiddenFields}
<p class="row"><label for="as-of-day">As known on</label>
<input type="text" id="as-of-day" name="as_of" value="${day}" size="11" pattern="\\d{4}-\\d{2}-\\d{2}" placeholder="YYYY-MM-DD" title="A day such as 2010-01-25" list="filing-days" autocomplete="off" spellcheck="false" data-today="${today.as_of.slice(0, 10)}">
<datalist id="filing-days">${days.map((filed, stop) => html`<option value="${filed}"${times[stop] !== '' && html` label="accepted ${times[stop]}"`}></option>`).reverse()}</datalist>
<input type="text" id="as-of-time" name="time" value="${tz === undefined ? time : ''}" size="5" pattern="[0-2]\\d:[0-5]\\d" placeholder="hh:mm" autocomplete="off" spellcheck="false" aria-label="Time, in ${zone}" title="A time of the day, in ${zone}. Without one, everything filed on the day counts.">
<button type="submit">Show</button>
<a id="as-of-today" href="${companyPath(ticker, kept)}"${as_of === undefined && html` hidden`}>Today</a></p>
</form>
<div class="as-of">
<p class="slider"><a id="previous-filing" class="button"${pathOn(days.findLast(filed => filed < chosen))} rel="prev">Previous filing</a>
<span class="track with-script"><input id="as-of-slider" type="range" min="0" max="${days.length - 1}" step="1" value="${Math.max(0, at)}" aria-label="Day as of which the figures were known" aria-valuetext="${as_of === undefined ? 'today' : `${as_of}${accepted}`}">${ticks(tables)}</span>
<a id="next-filing" class="button"${pathOn(as_of === undefined ? undefined : days.find(filed => !isKnown(filed)))} rel="next">Next filing</a></p>
<p><output id="as-of-text" for="as-of-slider">${as_of === undefined ? 'Everything filed by today.' : knownText(as_of, accepted)}</output></p>
</div>`
}

/**
 * Whether everything that changed on a day was known at the moment of the page. A filing may be accepted later on its day than a
 * time of day, or the evening before.
 */
function knownStops(list: FundamentalsList, today: FundamentalsList, as_of: string | undefined) {
  if (as_of === undefined) return () => true
  if (!isInstant(list.as_of)) return (day: IsoDate) => day <= list.as_of
  const moment = dayOf(list.as_of)
  const changesOn = ({ data }: FundamentalsList, day: IsoDate) =>
    data.filter(({ filed, until }) => filed === day || until === day).length
  return (day: IsoDate) => {
    const changes = changesOn(today, day)
    return changes === 0 ? day < moment : changesOn(list, day) === changes
  }
}

/** The day and the time of an `as_of`. A session or an offset has no place in the field, and the day keeps what it means. */
function partsOf(as_of = '') {
  const [, day = '', time = ''] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)$)?/.exec(as_of) ?? []
  return { day, time }
}

const longDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

function knownText(as_of: string, accepted: string): string {
  const { day } = partsOf(as_of)
  const spelled = day === '' ? '' : ` (${longDay.format(new Date(day))})`
  return `Only what had been filed by ${as_of}${spelled}${accepted}.`
}

/** Marks below the slider, drawn in shares of its width: where figures were restated, and where a split first shows. */
function ticks(tables: Tables): Markup {
  const { days, splits } = tables
  if (days.length < 2) return html``
  const marks = (stops: readonly number[]) =>
    stops.map(stop => `M${Math.round((stop / (days.length - 1)) * 10_000)} 0v8`).join('')
  const restated = restatedStops(tables)
  const split = splits.today.map(({ filed }) => days.indexOf(filed)).filter(stop => stop >= 0)
  return html`<svg class="ticks" viewBox="0 0 10000 8" preserveAspectRatio="none" aria-hidden="true" focusable="false"><path class="restatement" d="${marks(restated)}"/><path class="share-split" d="${marks(split)}"/></svg>`
}

const lockedNotice = ({ data }: FundamentalsList, ticker: string) =>
  data.length === 0
    ? html``
    : html`<p class="notice">You see fiscal ${data[0].fy}, the most recent reported year, with every restatement of it. A <a href="/docs/guides/keys-and-limits">licence</a> opens all years and shows the figures as they were known on any day. If your account has one, <a href="/sign-in?next=/companies/${encodeURIComponent(ticker)}">sign in</a>. <a href="/companies/AAPL">Apple</a> is open to everybody.</p>`
