import type { Failure } from '../../../errors.ts'
import { html } from '../../../html.ts'
import type { Answer, RequestContext } from '../../../http/context.ts'
import { errorStatus } from '../../../http/errors.ts'
import { prefersHtml } from '../../../http/preferences.ts'
import { accountPage, notice, pageAnswer } from './frame.ts'

/** An error of a page or form of the account, in its frame. null: the request is not for one, or a program sent it. */
export function accountErrorPage(
  context: RequestContext,
  { code, message, details }: Failure,
): Answer | null {
  // A defect is shown with the id of its request, which the page of the site has.
  if (!context.isOfAccount || code === 'internal') return null
  if (!prefersHtml(context.request.headers.get('accept'))) return null
  const { status, title } = errorStatus(code)
  const seconds =
    status === 429 || status === 503 ? (details.retryAfterSeconds ?? 1) : details.retryAfterSeconds
  const main = html`${notice(message, 'bad')}
<p><a href="/account">Back to the account</a></p>`
  return pageAnswer(
    status,
    accountPage({ title, main }),
    seconds === undefined ? {} : { 'Retry-After': String(seconds) },
  )
}
