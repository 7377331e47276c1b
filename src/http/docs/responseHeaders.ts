const text = { type: 'string' } as const
const whole = { type: 'integer' } as const

/** Every header that a response may have, defined once. */
export const headers = {
  'X-Request-Id': { description: 'Identifies the request in the log.', schema: text },
  'X-RateLimit-Limit': { description: 'Requests that the tighter limit allows.', schema: whole },
  'X-RateLimit-Remaining': { description: 'How many of these are left.', schema: whole },
  'X-RateLimit-Reset': {
    description:
      'When the full limit is available again or, if nothing is left, when the next request is allowed: UTC epoch seconds.',
    schema: whole,
  },
  'RateLimit-Policy': { description: 'All limits of the caller: q requests in w seconds.', schema: text },
  RateLimit: {
    description: 'What is left of each limit: r requests; the full limit is available again in t seconds.',
    schema: text,
  },
  ETag: {
    description:
      'Identifies the content. Send it as If-None-Match with GET: if nothing has changed, the response is 304 without a body.',
    schema: text,
  },
  'WWW-Authenticate': { description: 'Always Bearer.', schema: text },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: whole },
  Location: { description: 'The URL of what was stored.', schema: text },
  'Preference-Applied': { description: 'Always respond-async.', schema: text },
  Link: {
    description:
      'With formats other than JSON: the terms on which the rows are given, as links with rel="license"; the title is the field licence of the JSON.',
    schema: text,
  },
  'X-Attribution': {
    description:
      'With formats other than JSON: the statutory attribution, several separated by " | ". Non-ASCII characters are percent-encoded UTF-8.',
    schema: text,
  },
  'X-Note': {
    description:
      'With formats other than JSON: the field note of the JSON, up to 2,000 characters, encoded likewise. Absent if there is no note.',
    schema: text,
  },
  'Content-Disposition': {
    description: 'With formats other than JSON: the name under which to save the rows.',
    schema: text,
  },
  'Accept-Ranges': { description: 'bytes: parts of the file can be requested with Range.', schema: text },
  'Content-Range': {
    description: 'Which bytes of the file these are, and its size: bytes 0-99/1234.',
    schema: text,
  },
  'X-Next-Cursor': {
    description: 'Send it as `cursor` to get the next page, in every format; absent on the last page.',
    schema: text,
  },
  'Idempotency-Replayed': {
    description:
      'true if the response repeats the result of an earlier request with this Idempotency-Key; otherwise absent.',
    schema: text,
  },
}
export type HeaderName = keyof typeof headers

export const ofLimits: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
]

export const ofRows: readonly HeaderName[] = [
  'Content-Disposition',
  'Link',
  'X-Attribution',
  'X-Note',
  'X-Next-Cursor',
]

/** References to the headers of a response, by name. */
export const headerReferences = (...names: readonly HeaderName[]) =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
