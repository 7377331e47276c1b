import type { ListedGrant } from '../../../access/queries.ts'
import { html, type Markup } from '../../../html.ts'
import type { AuditEntry } from '../../account/auditQueries.ts'
import { dateField, notice, table } from '../../account/pages/frame.ts'
import { auditCells } from '../../account/pages/profilePage.ts'
import type { KeyStanding } from '../../account/standingQueries.ts'
import type { GrantKey } from '../../licensing/grantQueries.ts'
import { limitsLine, periodText } from '../../licensing/licencesPage.ts'
import type { LicenceRequest } from '../../licensing/requestQueries.ts'
import { licenceTitle } from '../../licensing/terms.ts'
import type { ListedOrder } from '../../orders/orderQueries.ts'
import type { AdminKey, ListedAccount } from '../accountQueries.ts'
import { adminPage, type GrantFields, grantFields, moreLink, searchForm } from './frame.ts'
import { orderTable } from './overviewPage.ts'
import { requestTable } from './requestPages.ts'

/** /admin/accounts: search by address. */
export const accountsPage = (
  email: string,
  accounts: readonly ListedAccount[],
  q: string,
  next: number | null,
): string =>
  adminPage(
    email,
    'Accounts',
    'Accounts',
    html`${searchForm('/admin/accounts', 'Part of the e-mail address', q)}
${
  accounts.length === 0
    ? html`<p>No accounts found.</p>`
    : table({
        label: 'Accounts',
        head: ['Account', 'Since', 'Keys', 'Licences', 'Open requests'],
        numbers: [2, 4],
        rows: accounts.map(row => [
          html`<a href="/admin/accounts/${row.account}">${row.email}</a>`,
          row.created,
          String(row.keys),
          row.licences.join(', '),
          String(row.open_requests),
        ]),
      })
}
${next !== null && moreLink('/admin/accounts', { ...(q === '' ? {} : { q }), before: String(next) })}`,
  )

/** /admin/keys: every key, including those created on the command line. */
export const adminKeysPage = (
  email: string,
  keys: readonly AdminKey[],
  q: string,
  next: string | null,
): string =>
  adminPage(
    email,
    'Keys',
    'Keys',
    html`${searchForm('/admin/keys', 'Start of the key, or part of the e-mail address', q)}
${
  keys.length === 0
    ? html`<p>No keys found.</p>`
    : table({
        label: 'Keys',
        head: ['Key', 'Holder', 'Licence', 'Created', 'State', ''],
        rows: keys.map(key => [
          html`<code>${key.prefix}...</code>`,
          key.account === null ? key.email : html`<a href="/admin/accounts/${key.account}">${key.email}</a>`,
          licenceTitle(key.licence, key.quant),
          key.created,
          key.state,
          key.state === 'revoked' ? '' : revokeForm(key.prefix),
        ]),
      })
}
${next !== null && moreLink('/admin/keys', { ...(q === '' ? {} : { q }), before: next })}`,
  )

const revokeForm = (prefix: string): Markup => html`<details>
<summary>Revoke</summary>
<form method="post" action="/admin/keys/revoke">
<input type="hidden" name="prefix" value="${prefix}">
<p>Every server refuses the key immediately and permanently.</p>
<button class="danger" aria-label="Revoke ${prefix}">Revoke the key</button>
</form>
</details>`

export interface AccountState {
  readonly account: ListedAccount
  readonly keys: readonly KeyStanding[]
  readonly grants: readonly ListedGrant[]
  readonly requests: readonly LicenceRequest[]
  readonly orders: readonly ListedOrder[]
  readonly audit: readonly AuditEntry[]
  /** Keys to which a licence may be granted. */
  readonly grantKeys: readonly GrantKey[]
  readonly fields: GrantFields
  /** The latest grant when the page was rendered. If it has changed since, the submitted form is stale. */
  readonly latestGrant: number
  readonly fault?: string
}

/** /admin/accounts/{number}: one account with its keys, grants, requests and events. */
export const accountPageOf = (email: string, state: AccountState): string =>
  adminPage(
    email,
    'Accounts',
    state.account.email,
    html`${state.fault !== undefined && notice(state.fault, 'bad')}
<p>Account ${state.account.account}, created on ${state.account.created}. Days and times are in UTC.</p>
<h2 id="keys">Keys</h2>
${state.keys.length === 0 ? html`<p>None.</p>` : keyTable(state.keys)}
<h2 id="grants">Grants</h2>
${state.grants.length === 0 ? html`<p>None.</p>` : grantTable(state.grants)}
<h2 id="requests">Requests</h2>
${requestTable('Requests of the account', state.requests)}
<h2 id="orders">Orders</h2>
${orderTable(state.orders)}
<h2 id="grant">Grant a licence</h2>
<p>If you choose a key that the account already has, its programs need no change. Only the account can create a new key, and no operator sees it. A paid licence is never reduced while it runs.</p>
<form method="post" action="/admin/accounts/${state.account.account}/grant" class="stack">
<input type="hidden" name="after" value="${state.latestGrant}">
${grantFields(state.fields, state.grantKeys)}
<button>Grant the licence</button>
</form>
<h2 id="log">Log</h2>
${table({ label: 'Log', head: ['When', 'What', 'Details', 'By', 'Network'], rows: state.audit.map(auditCells) })}`,
  )

const keyTable = (keys: readonly KeyStanding[]): Markup =>
  table({
    label: 'Keys of the account',
    head: ['Key', 'Name', 'Licence', 'Created', 'Last used', 'State', ''],
    rows: keys.map(key => [
      html`<code>${key.prefix}...</code>`,
      key.name ?? '',
      licenceTitle(key.licence, key.quant),
      key.created,
      key.lastUsed ?? 'never',
      key.state,
      key.state === 'revoked' ? '' : revokeForm(key.prefix),
    ]),
  })

const grantTable = (grants: readonly ListedGrant[]): Markup =>
  table({
    label: 'Grants of the account',
    head: ['Grant', 'Licence', 'Key', 'Period', 'Limits', 'State', ''],
    rows: grants
      .toReversed()
      .map(grant => [
        String(grant.grant),
        licenceTitle(grant.licence, grant.quant),
        html`<code>${grant.key}...</code>`,
        periodText(grant.starts, grant.expires),
        limitsLine(grant),
        grant.state,
        isExtendable(grant) ? extendForm(grant) : '',
      ]),
  })

const isExtendable = ({ state, expires }: ListedGrant) =>
  expires !== null && (state === 'running' || state === 'upcoming')

const extendForm = ({ grant, expires }: ListedGrant): Markup => html`<details>
<summary>Extend</summary>
<form method="post" action="/admin/grants/${grant}/extend" class="stack">
${dateField({ id: `last-${grant}`, label: `New last day of grant ${grant} (leave empty for no end)`, name: 'last', value: expires ?? '' })}
<button>Extend the grant</button>
</form>
</details>`
