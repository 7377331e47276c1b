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
  /** The address of the person who is signed in: shown above every page, with the button to sign out. */
  readonly email?: string
  /** Marked in the links of its area. */
  readonly section?: string
  readonly area?: Area
  readonly main: Markup
}

/** A page of the account, or of an area that needs one. */
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

/** Answers with cookies or details of a person: never cached, and no other site may read them. */
export function pageAnswer(status: number, body: string, own: Readonly<Record<string, string>> = {}): Answer {
  const headers = personalHeaders({ ...htmlHeaders(), 'Cache-Control': 'no-store', Vary: 'Cookie', ...own })
  return { status, body, headers }
}

/** Something to read before the rest of a page. */
export const notice = (text: string | Markup, kind: 'good' | 'bad' = 'good'): Markup =>
  html`<p class="notice ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</p>`

export interface Table {
  /** Names the table for those who do not see it. */
  readonly label: string
  /** A title that is empty belongs to a column of buttons. */
  readonly head: readonly string[]
  /** Columns whose cells are numbers, from 0. */
  readonly numbers?: readonly number[]
  readonly rows: readonly (readonly (string | Markup)[])[]
  /** Whether cells of text may have several lines. */
  readonly wraps?: boolean
}

/** A table that scrolls in its own box on a narrow screen, also with the keyboard. */
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
