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
