/** What a page may load and do: everything comes from this server, forms lead to it, and no other site shows it in a frame. */
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

/** The content policy of the pages. There are two exceptions: /docs, because Swagger UI sets style attributes and draws its icons
 * from data: addresses, and /backtest, which shows a report in a frame. A report is a document of its own, which people save and
 * pass on, so it carries a policy of its own: src/backtest/report/tearSheet/policy.ts.
 *
 * @param exceptions further sources of a directive */
export function contentPolicy(exceptions: Readonly<Record<string, string>> = {}): string {
  return [...new Set([...Object.keys(sources), ...Object.keys(exceptions)])]
    .map(directive => [directive, sources[directive], exceptions[directive]].filter(Boolean).join(' '))
    .join('; ')
}

/** The headers of a page, besides those that say how long it may be stored. */
export const htmlHeaders = (policy = contentPolicy()): Record<string, string> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  // Forms check where they come from, and with no-referrer Chromium sends `Origin: null`.
  'Referrer-Policy': 'same-origin',
})
