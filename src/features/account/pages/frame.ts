import { html, type Markup } from '../../../html.ts'
import type { Answer } from '../../../http/context.ts'
import { documentPage } from '../../../http/docs/documentPage.ts'

/** Scripts, styles, images and forms of this server only, and no style in an element. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': contentSecurityPolicy,
  // With no-referrer a browser would send forms with the origin null.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  Vary: 'Cookie',
}

const sections = [
  { title: 'Account', path: '/account' },
  { title: 'API keys', path: '/account/api-keys' },
  { title: 'Licences', path: '/account/licences' },
  { title: 'Usage', path: '/account/usage' },
  { title: 'Evaluation', path: '/account/evaluation' },
] as const

/** Pages that belong together, with links to each above every one of them. */
export interface Area {
  readonly label: string
  /** Wider than a column of text. */
  readonly isWide?: boolean
  readonly links: readonly { readonly title: string; readonly path: string }[]
}

const accountArea: Area = { label: 'Account', links: sections }

export interface PageParts {
  readonly title: string
  /** Of a person who is signed in: shown above every page, with the way out. */
  readonly email?: string
  /** Marked in the links of its area. */
  readonly section?: string
  readonly area?: Area
  readonly main: Markup
}

/** A page of the account in the frame of all pages. */
export function accountPage({ title, email, section, area = accountArea, main }: PageParts): string {
  return documentPage({
    title,
    section: 'Account',
    styles: ['/account/assets/account.css'],
    scripts: ['/account/assets/account.js'],
    main: html`${email !== undefined && signedInBar(email, section, area)}
<h1>${title}</h1>
${main}`,
  })
}

const signedInBar = (
  email: string,
  current: string | undefined,
  { label, links, isWide }: Area,
) => html`<div class="signed-in${isWide === true && ' wide'}">
<nav aria-label="${label}">${links.map(
  ({ title, path }) => html`<a href="${path}"${title === current && html` aria-current="page"`}>${title}</a>`,
)}</nav>
<form method="post" action="/sign-out"><span class="who">${email}</span> <button>Sign out</button></form>
</div>`

/** Answers with cookies or details of a person: never cached, and no other site may read them. */
export function pageAnswer(status: number, body: string, own: Readonly<Record<string, string>> = {}): Answer {
  return { status, body, headers: new Headers({ ...pageHeaders, ...own }) }
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
