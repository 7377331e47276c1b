import { html, type Markup } from '../../../html.ts'
import type { FundamentalsList } from '../../fundamentals/schema.ts'
import type { CompanyPageQuery } from './query.ts'
import type { CompanyView } from './read.ts'
import type { Tables } from './statementTables.ts'

/** Selects the as-of day: a slider over filing dates with JavaScript, a list and a button without. */
export function asOfForm(
  { list, profile, hasFullHistory }: CompanyView,
  { days, times, zone }: Pick<Tables, 'days' | 'times' | 'zone'>,
  { as_of, show, figures, plot }: CompanyPageQuery,
): Markup {
  if (!hasFullHistory) return lockedNotice(list, profile.ticker)
  if (days.length === 0) return html``
  const at = as_of === undefined ? days.length - 1 : days.findLastIndex(day => day <= as_of)
  const accepted = days[at] === as_of && times[at] !== '' ? `, accepted ${times[at]}` : ''
  return html`<form class="as-of" method="get" action="/companies/${encodeURIComponent(profile.ticker)}">
${show !== undefined && show !== 'years' && html`<input type="hidden" name="show" value="${show}">`}${figures !== undefined && html`<input type="hidden" name="figures" value="${figures}">`}${plot !== undefined && html`<input type="hidden" name="plot" value="${plot}">`}
<p class="row"><label for="as-of-day">As known on</label>
<select id="as-of-day" name="as_of" title="Filing days, with the times of acceptance in ${zone}"><option value="">today</option>${days
    .map(
      (day, stop) =>
        html`<option value="${day}"${day === as_of && html` selected`}>${stopLabel(day, times[stop])}</option>`,
    )
    .reverse()}${as_of !== undefined && !days.includes(as_of) && html`<option value="${as_of}" selected>${as_of}</option>`}</select>
<button type="submit" class="without-script">Show</button>
<output id="as-of-text" for="as-of-slider">${as_of === undefined ? 'Everything filed by today.' : `Only what had been filed by ${as_of}${accepted}.`}</output></p>
<p class="slider with-script"><span>${days[0]}</span><input id="as-of-slider" type="range" min="0" max="${days.length - 1}" step="1" value="${Math.max(0, at)}" aria-label="Day as of which the figures were known" aria-valuetext="${as_of === undefined ? 'today' : `${as_of}${accepted}`}"><span>${days.at(-1)}</span></p>
</form>`
}

/** A stop with the times at which its filings were accepted, on the clocks of the market. */
const stopLabel = (day: string, time: string) => (time === '' ? day : `${day} (${time})`)

const lockedNotice = ({ data }: FundamentalsList, ticker: string) =>
  data.length === 0
    ? html``
    : html`<p class="notice">You see fiscal ${data[0].fy}, the most recent reported year, with every restatement of it. A <a href="/docs/guides/keys-and-limits">licence</a> opens all years and shows the figures as they were known on any day. If your account has one, <a href="/sign-in?next=/companies/${encodeURIComponent(ticker)}">sign in</a>. <a href="/companies/AAPL">Apple</a> is open to everybody.</p>`
