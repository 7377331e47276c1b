import { html, type Markup } from '../../../html.ts'
import type { Answer } from '../../../http/context.ts'
import { personalHeaders } from '../../../http/headers.ts'
import { htmlHeaders } from '../../../http/pages/policy.ts'
import { type Area, shell } from '../../../http/pages/shell.ts'

const accountArea: Area = {
  label: 'Account',
  links: [
    { name: 'Account', path: '/account' },
    { name: 'API keys', path: '/account/api-keys' },
    { name: 'Licences', path: '/account/licences' },
    { name: 'Usage', path: '/account/usage' },
    { name: 'Evaluation', path: '/account/evaluation' },
  ],
}

export interface PageParts {
  readonly title: string
  /** The signed-in person's address, shown above every page with the button to sign out. */
  readonly email?: string
  /** The current section, highlighted in the area's navigation. */
  readonly section?: string
  readonly area?: Area
  readonly main: Markup
}

/** An account page, or a page of another area that requires an account. */
export function accountPage({ title, email, section, area = accountArea, main }: PageParts): string {
  const isSignedIn = email !== undefined
  return shell(
    {
      title,
      section: isSignedIn ? '/account' : '/sign-in',
      ...(isSignedIn ? { area, areaEnd: signOutForm(email) } : {}),
      ...(section === undefined ? {} : { areaLink: section }),
      layout: 'prose',
      styles: ['account.css'],
      scripts: ['account.js'],
      main: html`<h1>${title}</h1>
${main}`,
    },
    { isSignedIn },
  )
}

const signOutForm = (email: string) =>
  html`<form method="post" action="/sign-out"><span class="quiet">${email}</span> <button>Sign out</button></form>`

/** A response with cookies or personal data: never cached, and unreadable for other sites. */
export function pageAnswer(status: number, body: string, own: Readonly<Record<string, string>> = {}): Answer {
  const headers = personalHeaders({ ...htmlHeaders(), 'Cache-Control': 'no-store', Vary: 'Cookie', ...own })
  return { status, body, headers }
}

/** A message above the rest of a page. */
export const notice = (text: string | Markup, kind: 'good' | 'bad' = 'good'): Markup =>
  html`<p class="notice ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</p>`

export interface DateField {
  readonly id: string
  readonly label: string
  readonly name?: string
  readonly value: string
  readonly isRequired?: boolean
}

/** A field for a day, which is typed: date fields show it in the order of the browser's country, such as 02/01/2027. */
export const dateField = ({ id, label, name = id, value, isRequired = false }: DateField): Markup =>
  html`<label for="${id}">${label}</label>
<input id="${id}" name="${name}" type="text"${isRequired && html` required`} value="${value}" size="11" pattern="\\d{4}-\\d{2}-\\d{2}" placeholder="YYYY-MM-DD" title="A day such as 2027-01-31" autocomplete="off" spellcheck="false">`

export interface Table {
  /** The table's label for screen readers. */
  readonly label: string
  /** Column titles. A column of buttons has an empty one. */
  readonly head: readonly string[]
  /** Zero-based indexes of numeric columns. */
  readonly numbers?: readonly number[]
  readonly rows: readonly (readonly (string | Markup)[])[]
  /** Whether text cells may wrap. */
  readonly wraps?: boolean
}

/** A table that scrolls in its own box on narrow screens, also by keyboard. */
export function table({ label, head, numbers = [], rows, wraps }: Table): Markup {
  const kind = (column: number) => numbers.includes(column) && html` class="number"`
  return html`<div class="scroll${wraps === true && ' wraps'}" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${head.map((title, column) =>
    title === '' ? html`<td></td>` : html`<th scope="col"${kind(column)}>${title}</th>`,
  )}</tr></thead>
<tbody>
${rows.map(
  cells =>
    html`<tr>${cells.map((cell, column) => html`<td${kind(column)}>${cell}</td>`)}</tr>
`,
)}</tbody>
</table></div>`
}
