const noSniffing = { 'X-Content-Type-Options': 'nosniff' }

/** Any web page may call the API. The API reads no cookies, so a page can do only what its key allows. Pages
 * and downloads do read cookies, and so get only the first of these headers. */
const shared = {
  ...noSniffing,
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': [
    'Accept-Ranges',
    'Content-Disposition',
    'Content-Range',
    'ETag',
    'Idempotency-Replayed',
    'Link',
    'Location',
    'Preference-Applied',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'X-Attribution',
    'X-Next-Cursor',
    'X-Note',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-Request-Id',
  ].join(', '),
}

export const allowedRequestHeaders =
  'Authorization, Content-Type, Accept, Idempotency-Key, If-None-Match, If-Range, Prefer, Range, X-Request-Id'

/** The headers of a response, including those that every response has. */
export function answerHeaders(own: Readonly<Record<string, string>>): Headers {
  return new Headers({ ...own, ...shared })
}

/** The headers of a response to a person identified by a cookie: no script of another site may read it. */
export function personalHeaders(own: Readonly<Record<string, string>>): Headers {
  return new Headers({ ...own, ...noSniffing })
}

/** A weak ETag, because compression changes the bytes of the same response. Besides the data version,
 * `request` must contain everything that determines the response: otherwise a client gets a 304 for a
 * response that it does not have. */
export function entityTag(dataVersion: number, request: string): string {
  return `W/"${dataVersion}-${Bun.hash.xxHash64(request).toString(36)}"`
}

/** Whether If-None-Match matches the tag (weak comparison, RFC 9110 section 13.1.2). */
export function matchesTag(header: string | null, tag: string): boolean {
  if (header === null) return false
  if (header === tag || header.trim() === '*') return true
  const opaque = tag.slice(2)
  return header.split(',').some(candidate => {
    const text = candidate.trim()
    return text === opaque || text === tag
  })
}
