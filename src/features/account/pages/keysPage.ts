import type { Session } from '../../../access/visitorQueries.ts'
import { html, type Markup } from '../../../html.ts'
import type { KeyStanding } from '../standingQueries.ts'
import { accountPage, table } from './frame.ts'

export interface ShownKey extends KeyStanding {
  /** Requests since 00:00 UTC by all keys that share the budget. */
  readonly usedToday: number
}

export interface KeysState {
  readonly session: Session
  readonly keys: readonly ShownKey[]
  /** The full text of a key just created, shown only this once. */
  readonly newKey: string | null
  readonly baseUrl: string
}

const grouped = (value: number) => value.toLocaleString('en-US')

/** /account/api-keys: create, name, rotate and revoke keys. */
export function keysPage({ session, keys, newKey, baseUrl }: KeysState): string {
  const working = keys.filter(({ state }) => state === 'active' || state === 'replaced')
  const ended = keys.filter(({ state }) => state === 'expired' || state === 'revoked')
  const waiting = keys.filter(({ state }) => state === 'waiting')
  const hasFree = [...working, ...waiting].some(key => key.hasFreeGrant && key.state !== 'replaced')
  return accountPage({
    title: 'API keys',
    email: session.email,
    section: 'API keys',
    main: html`${newKey !== null && revealed(newKey, baseUrl)}
${waiting.map(waitingCard)}
${working.map(keyCard)}
${!hasFree && makeForm}
${!keys.some(({ licence }) => licence === 'evaluation') && evaluationWay}
${ended.length > 0 && endedKeys(ended)}
<p class="quiet">For more companies, more history or more requests, <a href="/account/licences">request a licence</a>.</p>
<p class="quiet">Programs get the same from <code>GET /api/v1/me</code>. The guide explains <a href="/docs/guides/keys-and-limits">licences and limits</a>.</p>`,
  })
}

const revealed = (
  key: string,
  baseUrl: string,
): Markup => html`<section class="notice good" aria-labelledby="new-key">
<h2 id="new-key">Your new key</h2>
<p>Copy it now: you cannot see it again, because we store only its digest.</p>
<p class="secret"><input id="key" readonly value="${key}" aria-label="The key" spellcheck="false" autocomplete="off"> <button type="button" data-copy="key" hidden>Copy</button> <span data-copied="key" role="status"></span></p>
<p>Try it: Apple's revenue for fiscal 2009, as known at the end of 2009.</p>
<pre>curl -s -H 'Authorization: Bearer ${key}' '${baseUrl}/api/v1/fundamentals?ticker=AAPL&amp;metric=revenue&amp;fp=FY&amp;fy=2009&amp;as_of=2009-12-31'</pre>
<p><a href="/start">The same in Python, TypeScript, a spreadsheet or an assistant</a></p>
</section>`

const makeForm = html`<section>
<h2 id="make">Create a free key</h2>
<p>A free key allows 120 requests a minute and 5,000 a day. It covers the flagship companies in full and the latest fiscal year of every other company, under the Free Licence. It works right away.</p>
<form method="post" action="/account/api-keys" class="stack">
<label for="name">Name (optional)</label>
<input id="name" name="name" maxlength="60" placeholder="My key" autocomplete="off">
<button>Create the key</button>
</form>
</section>`

const evaluationWay = html`<p>Sign in with your company's e-mail domain and you can <a href="/account/evaluation">evaluate</a> the full history of 1,000 companies for 30 days.</p>`

function keyCard(key: ShownKey): Markup {
  const { keyId, prefix, name, state, retires } = key
  const id = `key-${keyId}`
  return html`<section class="card" aria-labelledby="${id}">
<h2 id="${id}">${name} <code>${prefix}...</code></h2>
${state === 'replaced' && html`<p>This key has been replaced. It works until <strong>${retires} UTC</strong> and shares its limits with the new key.</p>`}
<dl class="facts">
<dt>Licence</dt><dd>${licenceText(key)}</dd>
<dt>Limits</dt><dd>${limitsText(key)}</dd>
<dt>Used today</dt><dd>${usedText(key)}</dd>
${key.entityCap !== null && html`<dt>Companies</dt><dd>${grouped(key.entitiesUsed)} of ${grouped(key.entityCap)}</dd>`}
<dt>Created</dt><dd>${key.created}</dd>
<dt>Last used</dt><dd>${key.lastUsed === null ? 'never' : `${key.lastUsed} UTC`}</dd>
<dt>Expires</dt><dd>${key.expires === null ? 'never' : `after ${key.expires} (UTC)`}</dd>
</dl>
${state === 'active' && keyForms(key)}
${revokeForm(key)}
</section>`
}

/**
 * A licence granted before its key's secret exists: the holder creates it, so that no operator ever sees it.
 */
function waitingCard(key: ShownKey): Markup {
  const { keyId, prefix, name, starts, expires } = key
  const id = `key-${keyId}`
  return html`<section class="card" aria-labelledby="${id}">
<h2 id="${id}">${name} <code>${prefix}...</code></h2>
<p>You have been granted this licence. ${starts === null ? 'Create its key now: only you see it, and only once.' : `It starts on ${starts} (UTC). You can create its key here from that day on.`}</p>
<dl class="facts">
<dt>Licence</dt><dd>${licenceText(key)}</dd>
<dt>Limits</dt><dd>${limitsText(key)}</dd>
<dt>Expires</dt><dd>${expires === null ? 'never' : `after ${expires} (UTC)`}</dd>
</dl>
${starts === null && html`<form method="post" action="/account/api-keys/make" class="stack"><input type="hidden" name="key" value="${keyId}"><button>Create the key</button></form>`}
</section>`
}

const licenceText = ({ licence, quant }: ShownKey) => (quant ? `${licence} + quant` : licence)

const limitsText = ({ perMinute, perDay }: ShownKey) =>
  `${grouped(perMinute)} a minute, ${perDay === null ? 'no daily limit' : `${grouped(perDay)} a day`}`

const usedText = ({ usedToday, perDay }: ShownKey) =>
  perDay === null ? `${grouped(usedToday)} requests` : `${grouped(usedToday)} of ${grouped(perDay)} requests`

const keyForms = ({ keyId, name }: ShownKey): Markup => html`<details>
<summary>Rename</summary>
<form method="post" action="/account/api-keys/name" class="stack">
<input type="hidden" name="key" value="${keyId}">
<label for="name-${keyId}">Name of the key</label>
<input id="name-${keyId}" name="name" maxlength="60" required value="${name}" autocomplete="off">
<button>Save the name</button>
</form>
</details>
<details>
<summary>Rotate</summary>
<form method="post" action="/account/api-keys/rotate">
<input type="hidden" name="key" value="${keyId}">
<p>You get a new key with the same licence. The old key works for another 24 hours, and the two share their limits and companies. A key that the old one had replaced stops working now.</p>
<button>Rotate the key</button>
</form>
</details>`

const revokeForm = ({ keyId, hasFreeGrant, state }: ShownKey): Markup => html`<details>
<summary>Revoke</summary>
<form method="post" action="/account/api-keys/revoke">
<input type="hidden" name="key" value="${keyId}">
<p>Every server refuses the key immediately. This cannot be undone.${!hasFreeGrant && state === 'active' && ' Its licence ends with it. If others have seen the key, rotate it instead.'}</p>
<button class="danger">Revoke the key</button>
</form>
</details>`

const endedKeys = (keys: readonly ShownKey[]): Markup => html`<h2>Ended keys</h2>
${table({
  label: 'Ended keys',
  head: ['Key', 'Name', 'Licence', 'Created', 'Last used', 'Ended'],
  rows: keys.map(key => [
    html`<code>${key.prefix}...</code>`,
    key.name ?? '',
    licenceText(key),
    key.created,
    key.lastUsed ?? 'never',
    endText(key),
  ]),
})}`

function endText({ state, expires, retires }: ShownKey): string {
  if (state === 'expired') return `after ${expires}`
  return retires === null ? 'revoked' : 'rotated'
}
