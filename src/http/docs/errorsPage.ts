import { type ErrorCode, errorCodes } from '../../errors.ts'
import { html, type Markup } from '../../html.ts'
import { errorStatus } from '../errors.ts'
import { documentPage } from './documentPage.ts'
import examples from './examples/errors.json' with { type: 'json' }

const capturedErrors: Partial<Record<string, unknown>> = examples

/** The page /docs/errors: every error code with its status, what to do about it, and a real response. The
 * `doc_url` of an error links to its anchor. */
export const errorsPage = (): string =>
  documentPage({
    title: 'Errors',
    section: 'Errors',
    contents: errorCodes.map(code => ({ id: code, title: code })),
    main: html`<h1>Errors</h1>
<p>Every error has a body of the same shape. Let programs branch on <code>type</code> or <code>code</code>; <code>message</code> is for people and may change. <code>request_id</code> identifies the request in the log.</p>
<p><code>Accept: application/problem+json</code> gives the same error as a problem document (RFC 9457).</p>
${errorCodes.map(explanation)}`,
  })

function explanation(code: ErrorCode): Markup {
  const { status, type, title } = errorStatus(code)
  const example = capturedErrors[code]
  return html`<section>
<h2 id="${code}"><a href="#${code}">${code}</a></h2>
<p><span class="tag">${status}</span> <span class="tag">${type}</span> ${title}</p>
<p>${errorAdvice[code]}</p>
${example !== undefined && html`<pre>${JSON.stringify(example, null, 2)}</pre>`}
</section>
`
}

export const errorAdvice: Record<ErrorCode, string> = {
  malformed_json: 'The body is not valid JSON. The message says where it breaks.',
  parameter_unknown: 'The route has no parameter with this name. The message lists its parameters.',
  parameter_repeated:
    'A parameter is sent more than once. Send it once; several metrics go into one parameter, separated by commas.',
  parameter_invalid:
    'A value is empty, of the wrong type, out of range, or not percent-encoded UTF-8. The message says what is allowed.',
  body_invalid:
    'The body is not what the route accepts, or it did not arrive completely and in time. `param` says where the error is.',
  key_missing:
    'Send the header Authorization: Bearer <API_KEY>. The public key demo works without signing up.',
  key_malformed: 'This is not an API key: its format or its checksum is wrong. Copy the whole key.',
  key_unknown: 'The key is well-formed, but this service does not know it.',
  key_revoked: 'The key was revoked and cannot be restored. Ask the operator for a new one.',
  key_expired: 'The grant behind the key has ended. Renew the licence.',
  licence_required:
    'The key is valid, but its licence does not cover this. The message says which licence does.',
  quant_required:
    'Backtests need a key with the quant plan. The operator creates one with ./asfiled keys create and --quant.',
  entity_cap_reached:
    'An evaluation key may see a limited number of distinct companies. Companies that it has already seen stay available.',
  form_refused:
    'The form was sent from another site, or by a program without an Origin header. Open the page of the form and send it from there.',
  route_unknown: 'There is nothing at this address. Versioned routes start with /api/v1.',
  entity_unknown:
    'The ID is not a known company, or not a backtest or panel of this key. For companies, `near` has up to three similar IDs, and /api/search finds the ID for a name.',
  method_not_allowed:
    'The route does not accept this method. The Allow header lists the methods that it accepts.',
  body_too_large:
    'The body exceeds the size limit, which is 1 MB for demo and free keys. Send fewer rows, or a shorter span of dates.',
  media_type_unsupported:
    'Send the body as application/json, text/csv or application/x-ndjson, in UTF-8, not compressed.',
  idempotency_in_flight: 'An earlier request with this Idempotency-Key is still running. Wait and try again.',
  idempotency_reused:
    'This Idempotency-Key was used with a different request within the last 24 hours. Use a new key for each request.',
  backtest_impossible:
    'The request is well-formed, but cannot be run as a backtest. The message says why, and what would work.',
  rate_limited_minute:
    'The limit of requests per minute is used up. Retry-After gives the seconds until the next request is allowed. A refused request does not count.',
  rate_limited_day:
    'The limit of requests per day is used up. It resets at 00:00 UTC; Retry-After gives the seconds until then.',
  compute_busy:
    'The queue of the service, or of this key, is full, or there is no room for more request bodies. Try again after Retry-After.',
  compute_timeout:
    'The computation exceeded its time limit. Send fewer rows, dates or configurations; the same request would time out again.',
  compute_lost:
    'The worker that computed this stopped, possibly out of memory. Another one replaces it. Try again after Retry-After.',
  compute_failed: 'The computation failed. Report the request id: it identifies the error in the log.',
  database_unavailable: 'The database is not responding. Try again after Retry-After.',
  statement_timeout:
    'The database exceeded its time limit. Request less data, or try again after Retry-After.',
  shutting_down: 'This server is shutting down. Try again after Retry-After.',
  conflict: 'The request conflicts with the current state. The message says how.',
  internal: 'A defect in the service. Report the request id: it identifies the error in the log.',
}
