import type { ListedGrant } from '../../access/queries.ts'
import type { Session } from '../../access/visitorQueries.ts'
import { html, type Markup } from '../../html.ts'
import { type Licence, licenceLimits } from '../../rights/licences.ts'
import { accountPage, dateField, notice, table } from '../account/pages/frame.ts'
import type { GrantKey } from './grantQueries.ts'
import type { LicenceRequest, RequestState } from './requestQueries.ts'
import { maxCompanyLength, maxPurposeLength, type TypedRequest } from './requests.ts'
import { licenceTitle, requestable } from './terms.ts'

export interface LicencesState {
  readonly session: Session
  readonly keys: readonly GrantKey[]
  readonly grants: readonly ListedGrant[]
  readonly requests: readonly LicenceRequest[]
  /** What was typed into the form, shown again with its error. */
  readonly typed: TypedRequest
  readonly fault?: string
}

/** /account/licences: what each licence opens, a form to request one, and the status of requests. */
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
<h2 id="opens">What each licence includes</h2>
${openingTable}
<p class="quiet">* unless the order form sets other limits. Your licence keeps the limits that it was granted with, even if this table changes later. <a href="/docs/guides/keys-and-limits#licences">Keys and limits</a> explains what you may do with the data.</p>
<h2 id="request">Request a licence</h2>
<p>An operator reviews every request and answers here. You can put the licence on a key that you already have, so your programs need no change, or on a new key.</p>
${requestForm(keys, typed)}`,
  })

export const stateTexts: Readonly<Record<RequestState, string>> = {
  open: 'Open',
  withdrawn: 'Withdrawn',
  refused: 'Refused',
  granted: 'Granted',
}

export const periodText = (starts: string, expires: string | null): string =>
  expires === null ? `from ${starts}, with no end` : `${starts} to ${expires}`

const requestCard = (
  request: LicenceRequest,
): Markup => html`<section class="card" aria-labelledby="request-${request.request}">
<h3 id="request-${request.request}">${licenceTitle(request.licence, request.quant)} <span class="tag">${stateTexts[request.state]}</span></h3>
${request.state === 'refused' && html`<p><strong>Reason:</strong> ${request.reason}</p>`}
${request.state === 'granted' && html`<p>The licence is on your key. See <a href="/account/api-keys">API keys</a>.</p>`}
<dl class="facts">
<dt>Company</dt><dd>${request.company}</dd>
<dt>Purpose</dt><dd>${request.purpose}</dd>
<dt>Period</dt><dd>${periodText(request.starts, request.expires)}</dd>
<dt>Key</dt><dd>${request.key === null ? 'a new one' : html`<code>${request.key}...</code>`}</dd>
<dt>Sent</dt><dd>${request.sent} UTC</dd>
${request.decided !== null && html`<dt>${stateTexts[request.state]}</dt><dd>${request.decided} UTC</dd>`}
</dl>
${request.state === 'open' && html`<form method="post" action="/account/licences/withdraw"><input type="hidden" name="request" value="${request.request}"><button>Withdraw</button></form>`}
</section>`

const grouped = (value: number) => value.toLocaleString('en-US')

/** One line that states what a grant allows. */
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
    data: 'Flagship companies in full, and the latest fiscal year of every other company',
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
  label: 'What each licence includes',
  wraps: true,
  head: ['Licence', 'Data', 'For', 'Per minute', 'Per day'],
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
      'Backtests, and signals without the 90-day delay',
      'With any licence',
      `at least ${grouped(licenceLimits('free', true).perMinute)}`,
      'no limit',
    ],
  ],
})

/** The options of a single-choice list. */
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
<label for="purpose">What will you use it for?</label>
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
${dateField({ id: 'first', label: 'First day (UTC)', value: typed.firstDay, isRequired: true })}
${dateField({ id: 'last', label: 'Last day (leave empty for no end)', value: typed.lastDay })}
<button>Send the request</button>
</form>`
