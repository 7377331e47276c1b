/** What a page may load and do: everything comes from this server, forms are sent to it, and no other site
 * may frame it. */
const sources: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
}

/** The Content-Security-Policy of the pages. The exceptions are /docs, because Swagger UI sets style
 * attributes and draws its icons from data: URLs, and /backtest and /audit, which show a report in a frame. A
 * report is a document of its own, which people save and pass on, so it has its own policy:
 * src/backtest/report/tearSheet/policy.ts and src/features/audits/reportStyle.ts.
 *
 * @param exceptions further sources of a directive */
export function contentPolicy(exceptions: Readonly<Record<string, string>> = {}): string {
  return [...new Set([...Object.keys(sources), ...Object.keys(exceptions)])]
    .map(directive => [directive, sources[directive], exceptions[directive]].filter(Boolean).join(' '))
    .join('; ')
}

/** The headers of a page, except those that control caching. */
export const htmlHeaders = (policy = contentPolicy()): Record<string, string> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  // Forms check their origin, and with no-referrer Chromium sends `Origin: null`.
  'Referrer-Policy': 'same-origin',
})
