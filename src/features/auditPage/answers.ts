import type { Answer, RequestContext } from '../../http/context.ts'
import { personalHeaders } from '../../http/headers.ts'
import { contentPolicy, htmlHeaders } from '../../http/pages/policy.ts'
import { type Page, shell } from '../../http/pages/shell.ts'
import { reportPolicy, reportStyleSource } from '../audits/reportStyle.ts'

/** A report within a page is a frame: at a URL of this site, or without one, so that it inherits the page's policy. */
const frameHeaders = htmlHeaders(contentPolicy({ 'style-src': reportStyleSource, 'frame-src': "'self'" }))

/** Only our own pages may show a report in a frame. */
export const reportHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `${reportPolicy}; frame-ancestors 'self'`,
  'Referrer-Policy': 'no-referrer',
} as const

/** These responses depend on a person's rights and show their data, so they are never stored. */
export const unstored = { 'Cache-Control': 'no-store', Vary: 'Cookie' } as const

export function answerPage(
  context: RequestContext,
  status: number,
  page: Page,
  own: Readonly<Record<string, string>> = {},
): Answer {
  const headers = personalHeaders({ ...frameHeaders, ...unstored, ...own })
  return { status, headers, body: shell(page, context) }
}
