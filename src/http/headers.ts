/** Browsers may call the service from any page: it knows no cookies, so a page can do nothing that its visitor's
 * key, which it would have to hold, does not allow. */
const shared = {
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': [
    'ETag',
    'Idempotency-Replayed',
    'Location',
    'Preference-Applied',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'X-Next-Cursor',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-Request-Id',
  ].join(', '),
}

export const allowedRequestHeaders =
  'Authorization, Content-Type, Accept, Idempotency-Key, If-None-Match, Prefer, X-Request-Id'

/** The headers of an answer, with those that every response carries. */
export function answerHeaders(own: Readonly<Record<string, string>>): Headers {
  return new Headers({ ...own, ...shared })
}

/** Weak, since the same answer has other bytes when it is compressed. Made from the data version and everything
 * else that decides the answer. */
export function entityTag(dataVersion: number, request: string): string {
  return `W/"${dataVersion}-${Bun.hash.xxHash64(request).toString(36)}"`
}

/** Whether If-None-Match names the tag (weak comparison, RFC 9110 section 13.1.2). */
export function matchesTag(header: string | null, tag: string): boolean {
  if (header === null) return false
  if (header === tag || header.trim() === '*') return true
  const opaque = tag.slice(2)
  return header.split(',').some(candidate => {
    const text = candidate.trim()
    return text === opaque || text === tag
  })
}
