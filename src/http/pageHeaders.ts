import { dataHeaders } from './dataAnswer.ts'

/** The headers of a result as a page: it may load nothing, stand in no frame, and tells nobody where it came from. */
export function pageHeaders(policy: string, tag: string): Record<string, string> {
  return {
    ...dataHeaders('text/html; charset=utf-8', tag),
    'Content-Security-Policy': `${policy}; frame-ancestors 'none'`,
    'Referrer-Policy': 'no-referrer',
  }
}
