import { html, type Markup } from '../../../html.ts'
import type { Area } from '../../../http/pages/shell.ts'
import { type Licence, licences } from '../../../rights/licences.ts'
import { accountPage, dateField } from '../../account/pages/frame.ts'
import { options } from '../../licensing/licencesPage.ts'
import { grantable, licenceTitle } from '../../licensing/terms.ts'

const area: Area = {
  label: 'Administration',
  links: [
    { name: 'Overview', path: '/admin' },
    { name: 'Requests', path: '/admin/requests' },
    { name: 'Accounts', path: '/admin/accounts' },
    { name: 'Keys', path: '/admin/keys' },
    { name: 'Orders', path: '/admin/orders' },
  ],
}

/** A page of /admin. */
export const adminPage = (email: string, section: string, title: string, main: Markup): string =>
  accountPage({ title, email, section, area, main })

/** A search field and its button. */
export const searchForm = (
  path: string,
  label: string,
  q: string,
): Markup => html`<form method="get" action="${path}" class="stack">
<label for="q">${label}</label>
<input id="q" name="q" value="${q}" maxlength="100" autocomplete="off" spellcheck="false">
<button>Search</button>
</form>`

/** A link to the next page of rows. */
export const moreLink = (path: string, query: Readonly<Record<string, string>>): Markup =>
  html`<p><a class="button" href="${path}?${new URLSearchParams(query).toString()}">Earlier entries</a></p>`

/** Initial values of a grant's fields. */
export interface GrantFields {
  readonly licence: string
  readonly quant: boolean
  readonly key: string
  readonly first: string
  readonly last: string
  readonly perMinute: string
  readonly perDay: string
  readonly entityCap: string
  readonly bulk: boolean
}

export const emptyGrant = (today: string): GrantFields => ({
  licence: 'personal',
  quant: false,
  key: 'new',
  first: today,
  last: '',
  perMinute: '',
  perDay: '',
  entityCap: '',
  bulk: false,
})

/** The fields of a grant: the key, the licence, its dates, and the terms of an order form. */
export const grantFields = (
  fields: GrantFields,
  keys: readonly { readonly prefix: string; readonly licence: string }[],
): Markup => html`<label for="key">Key</label>
<select id="key" name="key">${options(
  [
    ...keys.map(({ prefix, licence }) => ({ value: prefix, text: `${prefix}... (${licence})` })),
    { value: 'new', text: 'A new key, which the account creates' },
  ],
  fields.key,
)}</select>
<label for="licence">Licence</label>
<select id="licence" name="licence">${options(
  licences
    .filter((licence: Licence) => grantable.some(name => name === licence))
    .map(licence => ({
      value: licence,
      text: `${licenceTitle(licence, false)}${licence === 'free' ? ' (with the quant plan)' : ''}`,
    })),
  fields.licence,
)}</select>
<p class="choice"><input type="checkbox" id="quant" name="quant" value="yes"${fields.quant && html` checked`}> <label for="quant">With the quant plan</label></p>
${dateField({ id: 'first', label: 'First day (UTC)', value: fields.first, isRequired: true })}
${dateField({ id: 'last', label: 'Last day (leave empty for no end)', value: fields.last })}
<details${(fields.perMinute + fields.perDay + fields.entityCap !== '' || fields.bulk) && html` open`}>
<summary>Terms of an OEM order form</summary>
<div class="stack">
<label for="per-minute">Requests per minute</label>
<input id="per-minute" name="per-minute" inputmode="numeric" maxlength="9" value="${fields.perMinute}">
<label for="per-day">Requests per day</label>
<input id="per-day" name="per-day" inputmode="numeric" maxlength="9" value="${fields.perDay}">
<label for="entity-cap">Companies</label>
<input id="entity-cap" name="entity-cap" inputmode="numeric" maxlength="9" value="${fields.entityCap}">
<p class="choice"><input type="checkbox" id="bulk" name="bulk" value="yes"${fields.bulk && html` checked`}> <label for="bulk">Bulk files</label></p>
</div>
</details>`
