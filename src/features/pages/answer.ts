import { Failure } from '../../errors.ts'
import { cacheable, respondFromCache } from '../../http/answers.ts'
import { compressions } from '../../http/compression.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { personalHeaders } from '../../http/headers.ts'
import { htmlHeaders } from '../../http/pages/policy.ts'
import { type Page, shell } from '../../http/pages/shell.ts'
import { maxQueryLength } from '../../http/parameters.ts'
import { withAllowance } from '../../rights/entityCap.ts'
import type { PageViewer } from '../marketPages/query.ts'
import { type PageDeps, viewerKey } from './deps.ts'

const { 'Content-Type': type, ...ownHeaders } = htmlHeaders()

/**
 * Returns the cached page, rendering it on a miss. It stays cached for a data version and a day.
 *
 * @param key everything that determines the page besides its visitor and the day
 */
export function answerPage(
  deps: Pick<PageDeps, 'responses' | 'dataVersion' | 'today' | 'settings'>,
  context: RequestContext,
  key: string,
  make: () => Promise<Page>,
): Answer | Promise<Answer> {
  const viewer = `${context.isSignedIn ? 'in' : 'out'} ${viewerKey(context.authenticatedCaller.rights)}`
  const whole = `page ${deps.settings.version} ${viewer} ${deps.today()} ${key}`
  const rendered = async () => ({ content: shell(await make(), context), headers: ownHeaders })
  const response = cacheable(whole, type, rendered, compressions.companyRows, true)
  return respondFromCache(deps.responses, context, deps.dataVersion(), response)
}

/** A page that is made for each request and kept nowhere. */
export function uncachedPage(context: RequestContext, page: Page): Answer {
  const headers = { ...htmlHeaders(), 'Cache-Control': 'private, no-store', Vary: 'Cookie' }
  return { status: 200, headers: personalHeaders(headers), body: shell(page, context) }
}

/**
 * Does the same as `answerPage` for a list of a market. The list also changes whenever another company starts to count
 * towards the cap of the visitor's licence.
 */
export function answerList(
  deps: Pick<PageDeps, 'sql' | 'responses' | 'dataVersion' | 'today' | 'settings'>,
  context: RequestContext,
  key: string,
  make: (viewer: PageViewer) => Promise<Page>,
): Answer | Promise<Answer> {
  const { rights } = context.authenticatedCaller
  return withAllowance(deps.sql, rights, allowance => {
    const ofSeen = allowance === null ? '' : ` seen ${allowance.seen.length}`
    return answerPage(deps, context, `${key}${ofSeen}`, () => make({ rights, allowance }))
  })
}

/** A form's query string without its empty fields: browsers send those, and the API rejects empty values. */
export function filledFields(queryText: string): string {
  if (queryText.length > maxQueryLength)
    throw new Failure('parameter_invalid', `The address has more than ${maxQueryLength} characters.`)
  return queryText
    .split('&')
    .filter(field => /=(?!\+*$)/.test(field) || (field !== '' && !field.includes('=')))
    .join('&')
}
