import { type Licence, licenceLimits } from '../../access/licences.ts'
import type { ListedGrant } from '../../access/queries.ts'
import type { Session } from '../../access/visitorQueries.ts'
import { html, type Markup } from '../../html.ts'
import { accountPage, notice, table } from '../account/pages/frame.ts'
import type { GrantKey } from './grantQueries.ts'
import type { LicenceRequest, RequestState } from './requestQueries.ts'
import { maxCompanyLength, maxPurposeLength, type TypedRequest } from './requests.ts'
import { licenceTitle, requestable } from './terms.ts'

export interface LicencesState {
  readonly session: Session
  readonly keys: readonly GrantKey[]
  readonly grants: readonly ListedGrant[]
  readonly requests: readonly LicenceRequest[]
  /** What was typed into the form, and what is wrong with it. */
  readonly typed: TypedRequest
  readonly fault?: string
}

/** /account/licences: what each licence opens, a request for one, and what became of it. */
export const licencesPage = ({ session, keys, grants, requests, typed, fault }: LicencesState): string =>
  accountPage({
    title: 'Licences',
    email: session.email,
    section: 'Licences',
    main: html`${fault !== undefined && notice(fault, 'bad')}
${
  requests.length > 0 &&
  html`<h2 id="requests">Your requests</h2>
${requests.map(requestCard)}`
}
${
  grants.length > 0 &&
  html`<h2 id="grants">Your licences</h2>
${grantTable(grants)}`
}
<h2 id="opens">What each licence opens</h2>
${openingTable}
<p class="quiet">* or as the order form says. Limits are stored with a licence when it is granted: a later change of this table does not change yours. What you may do with the data stands in <a href="/docs/guides/keys-and-limits#licences">Keys and limits</a>.</p>
<h2 id="request">Request a licence</h2>
<p>An operator reads each request and answers it here. A licence goes to a key that you have, so that your programs need no change, or to a new one.</p>
${requestForm(keys, typed)}`,
  })

export const stateTexts: Readonly<Record<RequestState, string>> = {
  open: 'Open',
  withdrawn: 'Withdrawn',
  refused: 'Refused',
  granted: 'Granted',
}

export const periodText = (starts: string, expires: string | null): string =>
  expires === null ? `from ${starts}, no end` : `${starts} to ${expires}`

const requestCard = (
  request: LicenceRequest,
): Markup => html`<section class="card" aria-labelledby="request-${request.request}">
<h3 id="request-${request.request}">${licenceTitle(request.licence, request.quant)} <span class="tag">${stateTexts[request.state]}</span></h3>
${request.state === 'refused' && html`<p><strong>Reason:</strong> ${request.reason}</p>`}
${request.state === 'granted' && html`<p>The licence is on your key: <a href="/account/api-keys">API keys</a></p>`}
<dl class="facts">
<dt>Company</dt><dd>${request.company}</dd>
<dt>For</dt><dd>${request.purpose}</dd>
<dt>Wished</dt><dd>${periodText(request.starts, request.expires)}</dd>
<dt>Key</dt><dd>${request.key === null ? 'a new one' : html`<code>${request.key}...</code>`}</dd>
<dt>Sent</dt><dd>${request.sent} UTC</dd>
${request.decided !== null && html`<dt>${stateTexts[request.state]}</dt><dd>${request.decided} UTC</dd>`}
</dl>
${request.state === 'open' && html`<form method="post" action="/account/licences/withdraw"><input type="hidden" name="request" value="${request.request}"><button>Withdraw</button></form>`}
</section>`

const grouped = (value: number) => value.toLocaleString('en-US')

/** What a grant allows, in a line. */
export const limitsLine = (
  grant: Pick<ListedGrant, 'per_minute' | 'per_day' | 'entity_cap' | 'bulk'>,
): string =>
  [
    `${grouped(grant.per_minute)} a minute`,
    grant.per_day === null ? 'no daily limit' : `${grouped(grant.per_day)} a day`,
    ...(grant.entity_cap === null ? [] : [`${grouped(grant.entity_cap)} companies`]),
    ...(grant.bulk ? ['bulk files'] : []),
  ].join(', ')

const grantTable = (grants: readonly ListedGrant[]): Markup =>
  table({
    label: 'Your licences',
    wraps: true,
    head: ['Licence', 'Key', 'Period', 'Limits', 'State'],
    rows: grants
      .toReversed()
      .map(grant => [
        licenceTitle(grant.licence, grant.quant),
        html`<code>${grant.key}...</code>`,
        periodText(grant.starts, grant.expires),
        limitsLine(grant),
        grant.state,
      ]),
  })

/** Section 3 of the licences, in the words of the documents. */
const openings: readonly { readonly licence: Licence; readonly data: string; readonly use: string }[] = [
  {
    licence: 'free',
    data: 'Flagship companies in full, the latest fiscal year of every other one',
    use: 'Evaluation and personal use',
  },
  { licence: 'personal', data: 'Every company and year, as of any day', use: 'Your own research' },
  { licence: 'commercial', data: 'Every company and year, as of any day', use: 'Inside your company' },
  {
    licence: 'redistribution',
    data: 'Every company and year, as of any day, and bulk files',
    use: 'Passing data on',
  },
  {
    licence: 'oem',
    data: 'Every company and year, as of any day; bulk files by order form',
    use: 'In your product, by order form',
  },
]

const perDay = (licence: Licence) => {
  const limit = licenceLimits(licence, false).perDay
  return limit === null ? 'no limit' : grouped(limit)
}

const openingTable = table({
  label: 'What each licence opens',
  wraps: true,
  head: ['Licence', 'Data', 'For', 'A minute', 'A day'],
  numbers: [3, 4],
  rows: [
    ...openings.map(({ licence, data, use }) => [
      licenceTitle(licence, false),
      data,
      use,
      `${grouped(licenceLimits(licence, false).perMinute)}${licence === 'oem' ? ' *' : ''}`,
      perDay(licence),
    ]),
    [
      '+ quant plan',
      'Signals without the delay of 90 days, and backtests',
      'With any licence',
      `at least ${grouped(licenceLimits('free', true).perMinute)}`,
      'no limit',
    ],
  ],
})

/** Options of a list, of which one is chosen. */
export const options = (
  choices: readonly { readonly value: string; readonly text: string }[],
  chosen: string,
): Markup[] =>
  choices.map(
    ({ value, text }) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )

const requestForm = (
  keys: readonly GrantKey[],
  typed: TypedRequest,
): Markup => html`<form method="post" action="/account/licences" class="stack">
<label for="licence">Licence</label>
<select id="licence" name="licence">${options(
  [
    ...requestable.map(licence => ({ value: licence, text: licenceTitle(licence, false) })),
    { value: 'quant', text: 'Quant plan on the licence of my key' },
  ],
  typed.licence,
)}</select>
<p class="choice"><input type="checkbox" id="quant" name="quant" value="yes"${typed.quant && html` checked`}> <label for="quant">With the quant plan</label></p>
<label for="company">Company or name</label>
<input id="company" name="company" required maxlength="${maxCompanyLength}" value="${typed.company}" autocomplete="organization">
<label for="purpose">What it is for</label>
<textarea id="purpose" name="purpose" required maxlength="${maxPurposeLength}" rows="4">${typed.purpose}</textarea>
<label for="key">Key</label>
<select id="key" name="key">${options(
  [
    ...keys.map(({ keyId, prefix, licence }) => ({
      value: String(keyId),
      text: `${prefix}... (${licence})`,
    })),
    { value: '0', text: 'A new key' },
  ],
  String(typed.keyId),
)}</select>
<label for="first">First day (UTC)</label>
<input id="first" name="first" type="date" required value="${typed.firstDay}">
<label for="last">Last day (empty: no end)</label>
<input id="last" name="last" type="date" value="${typed.lastDay}">
<button>Send the request</button>
</form>`
