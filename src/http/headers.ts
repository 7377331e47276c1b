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
