import type { Failure } from '../../errors.ts'
import { html, type Markup } from '../../html.ts'
import type { Answer, RequestContext } from '../context.ts'
import { errorStatus } from '../errors.ts'
import { personalHeaders } from '../headers.ts'
import { prefersHtml } from '../preferences.ts'
import { PageFailure } from './pageFailure.ts'
import { htmlHeaders } from './policy.ts'
import { type Page, shell } from './shell.ts'

const forPrograms = /^\/(api\/|health$|ready$)/

/** Shows an error of a page as HTML. Returns null for programs: under /api, at /health and /ready, and where
 * Accept does not prefer HTML. */
export function errorPage(context: RequestContext, failure: Failure): Answer | null {
  if (forPrograms.test(context.path) || !prefersHtml(context.request.headers.get('accept'))) return null
  const { code, details } = failure
  const { status, title } = errorStatus(code)
  const headers: Record<string, string> = {
    ...htmlHeaders(),
    'Cache-Control': 'no-store',
    Vary: 'Accept, Cookie',
  }
  if (status === 429 || status === 503) headers['Retry-After'] = String(details.retryAfterSeconds ?? 1)
  if (details.allow !== undefined) headers.Allow = details.allow.join(', ')
  const body =
    failure instanceof PageFailure
      ? shell(
          { ...failure.page, unlisted: true, main: html`${failure.page.main}\n${reference(context, code)}` },
          context,
        )
      : page(context, title, failure)
  return { status, headers: personalHeaders(headers), body }
}

/** What to look up, and what to quote to the operator. */
const reference = ({ id }: RequestContext, code: Failure['code']): Markup =>
  html`<p class="quiet"><a href="/docs/errors#${code}">${code}</a>, request ${id}</p>`

function page(context: RequestContext, title: string, { code, message, details }: Failure): string {
  const near = code === 'entity_unknown' ? (details.near ?? []) : []
  const content: Page = {
    title,
    unlisted: true,
    layout: 'prose',
    main: html`<h1>${title}</h1>
<p>${message}</p>
${near.length > 0 && html`<ul>${near.slice(0, 3).map(id => html`<li><a href="/companies/${encodeURIComponent(id)}">${id}</a></li>`)}</ul>`}
${searchForm('')}
${reference(context, code)}`,
  }
  return shell(content, context)
}

/** The search field for companies. With JavaScript it shows results as the visitor types; without, it loads a
 * page of results. */
export const searchForm = (
  q: string,
) => html`<form class="search" action="/search" method="get" role="search" aria-label="All companies">
<label for="q">Company, symbol or registration number</label>
<div class="row"><input id="q" name="q" type="search" value="${q}" placeholder="Apple, AAPL, 0000320193" autocomplete="off" spellcheck="false" required maxlength="200"><button type="submit">Search</button></div>
<ul class="hits" hidden></ul>
</form>`
