import { html, type Markup } from '../../../html.ts'
import { notice, table } from '../../account/pages/frame.ts'
import type { GrantKey } from '../../licensing/grantQueries.ts'
import { periodText, stateTexts } from '../../licensing/licencesPage.ts'
import type { LicenceRequest } from '../../licensing/requestQueries.ts'
import { licenceTitle } from '../../licensing/terms.ts'
import { adminPage, type GrantFields, grantFields, moreLink } from './frame.ts'

export const requestTable = (label: string, requests: readonly LicenceRequest[]): Markup =>
  requests.length === 0
    ? html`<p>None.</p>`
    : table({
        label,
        head: ['Request', 'Account', 'Company', 'Wished', 'Sent', 'State'],
        rows: requests.map(request => [
          html`<a href="/admin/requests/${request.request}">${licenceTitle(request.licence, request.quant)}</a>`,
          html`<a href="/admin/accounts/${request.account}">${request.email}</a>`,
          request.company,
          periodText(request.starts, request.expires),
          request.sent,
          stateTexts[request.state],
        ]),
      })

/** /admin/requests: those that wait first on a page of their own, then all. */
export const requestsPage = (
  email: string,
  requests: readonly LicenceRequest[],
  open: boolean,
  next: number | null,
): string =>
  adminPage(
    email,
    'Requests',
    'Requests',
    html`<p><a class="button" href="/admin/requests"${open && html` aria-current="page"`}>Open</a> <a class="button" href="/admin/requests?state=all"${!open && html` aria-current="page"`}>All</a></p>
${requestTable(open ? 'Open requests' : 'All requests', requests)}
${next !== null && moreLink('/admin/requests', { ...(open ? {} : { state: 'all' }), before: String(next) })}`,
  )

export interface RequestState {
  readonly request: LicenceRequest
  readonly keys: readonly GrantKey[]
  readonly fields: GrantFields
  readonly reason?: string
  readonly fault?: string
}

/** /admin/requests/{number}: what was requested, and the forms that grant and refuse it. */
export function requestPage(
  email: string,
  { request, keys, fields, reason = '', fault }: RequestState,
): string {
  const title = licenceTitle(request.licence, request.quant)
  const path = `/admin/requests/${request.request}`
  return adminPage(
    email,
    'Requests',
    `Request ${request.request}: ${title}`,
    html`${fault !== undefined && notice(fault, 'bad')}
<dl class="facts">
<dt>Account</dt><dd><a href="/admin/accounts/${request.account}">${request.email}</a></dd>
<dt>Company</dt><dd>${request.company}</dd>
<dt>For</dt><dd>${request.purpose}</dd>
<dt>Licence</dt><dd>${title}</dd>
<dt>Wished</dt><dd>${periodText(request.starts, request.expires)}</dd>
<dt>Key</dt><dd>${request.key === null ? 'a new one' : html`<code>${request.key}...</code>`}</dd>
<dt>Sent</dt><dd>${request.sent} UTC</dd>
<dt>State</dt><dd>${stateTexts[request.state]}${request.decided !== null && ` by ${request.decided_by}, ${request.decided} UTC`}</dd>
${request.state === 'refused' && html`<dt>Reason</dt><dd>${request.reason}</dd>`}
${request.grant !== null && html`<dt>Grant</dt><dd>${request.grant}, on <a href="/admin/accounts/${request.account}">the page of the account</a></dd>`}
</dl>
${
  request.state === 'open' &&
  html`<h2 id="grant">Grant it</h2>
<p>On a key that the account has, its programs need no change. A new key is made by its holder; no operator sees it.</p>
<form method="post" action="${path}/grant" class="stack">
${grantFields(fields, keys)}
<button>Grant the licence</button>
</form>
<h2 id="refuse">Refuse it</h2>
<form method="post" action="${path}/refuse" class="stack">
<label for="reason">Reason, which the account sees</label>
<textarea id="reason" name="reason" required maxlength="1000" rows="3">${reason}</textarea>
<button class="danger">Refuse the request</button>
</form>`
}`,
  )
}
