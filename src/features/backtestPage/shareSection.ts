import { html, type Markup } from '../../html.ts'
import type { SharedReport } from '../sharedReports/queries.ts'
import { defaultDays, maxDays } from '../sharedReports/schema.ts'

export interface ShareState {
  /** The open public addresses of the report. */
  readonly shares: readonly SharedReport[]
  /** The address that this request has made; it is shown once. */
  readonly newAddress: string | null
  /** Why the request made none. */
  readonly fault: string | null
  /** Why the report can have none; null: it can. */
  readonly refusal: string | null
}

/** What a form on the page of a run does, as its field `do`. */
export const shareActions = { share: 'share', revoke: 'revoke' } as const

export const minuteOf = (time: Date): string => time.toISOString().slice(0, 16).replace('T', ' ')

const dayChoices = [1, 7, defaultDays, maxDays]

/** Makes the report public, lists its public addresses and revokes them. Works without JavaScript. */
export function shareSection(path: string, { shares, newAddress, fault, refusal }: ShareState): Markup {
  return html`<section id="shares" aria-labelledby="shares-title"><h2 id="shares-title" tabindex="-1">Make it public</h2>
${refusal === null ? html`<p>A public address opens this report for anyone who has it, without a key, until it expires or you revoke it. The report says nothing about you or your key, and leaves out the request and the names held at the end. The backtest is kept for as long as it is shared.</p>` : html`<p>${refusal}</p>`}
${fault !== null && fault !== refusal && html`<p class="notice bad" role="alert">${fault}</p>`}
${newAddress !== null && madeNow(newAddress)}
${refusal === null && html`<form method="post" action="${path}#shares"><input type="hidden" name="do" value="${shareActions.share}"><p class="row"><label for="share-days">It works for</label> <select id="share-days" name="days">${dayChoices.map(days => html`<option value="${days}"${days === defaultDays && html` selected`}>${days === 1 ? '1 day' : `${days} days`}</option>`)}</select> <button>Make a public address</button></p></form>`}
${shares.length > 0 && openList(path, shares)}
</section>`
}

const madeNow = (address: string): Markup =>
  html`<div class="notice share"><p><label for="public-address">Public address</label> <input id="public-address" readonly value="${address}"></p>
<p class="row"><button type="button" class="with-script" data-copy="public-address">Copy address</button> <a class="button" href="${address}">Open it</a> <span id="copied" role="status"></span></p>
<p>Copy it now. Only its digest is stored, so this page cannot show it again.</p></div>`

const openList = (path: string, shares: readonly SharedReport[]): Markup =>
  html`<h3>Open addresses</h3>
<ul class="shares">${shares.map(
    ({ id, createdAt, expiresAt }) =>
      html`<li><form class="row" method="post" action="${path}#shares"><span>Made at ${minuteOf(createdAt)}, works until ${minuteOf(expiresAt)} UTC</span> <input type="hidden" name="do" value="${shareActions.revoke}"><input type="hidden" name="share" value="${id}"><button aria-label="Revoke the address made at ${minuteOf(createdAt)}">Revoke</button></form></li>\n`,
  )}</ul>`
