import { type ErrorCode, errorCodes } from '../../errors.ts'
import { errorStatus } from '../errors.ts'
import examples from './examples/errors.json' with { type: 'json' }

const capturedErrors: Partial<Record<string, unknown>> = examples

/** Every error code with its status, what to do about it, and a real answer with it. `doc_url` of an error links to its anchor. */
export function errorsPage(): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>asfiled: errors</title>
    <link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/assets/docs.css">
  </head>
  <body class="errors-page">
    <main class="errors">
      <p><a href="/docs">API documentation</a></p>
      <h1>Errors</h1>
      <p>Every error has the same body. Branch on <code>type</code> or <code>code</code>; <code>message</code> is for people and may change. <code>request_id</code> finds the request in the log.</p>
      <p><code>Accept: application/problem+json</code> gives the same as a problem document (RFC 9457).</p>
${errorCodes.map(section).join('\n')}
    </main>
  </body>
</html>
`
}

function section(code: ErrorCode): string {
  const { status, type, title } = errorStatus(code)
  const example = capturedErrors[code]
  const shown = example === undefined ? '' : `\n      <pre>${escaped(JSON.stringify(example, null, 2))}</pre>`
  return `      <h2 id="${code}"><a href="#${code}">${code}</a></h2>
      <p><span class="status">${status}</span> <span class="status">${type}</span> ${escaped(title)}</p>
      <p>${escaped(errorAdvice[code])}</p>${shown}`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** What a code means and what to do about it, for the page /docs/errors. */
export const errorAdvice: Record<ErrorCode, string> = {
  malformed_json: 'The body could not be read as JSON. The message says where it broke.',
  parameter_unknown: 'The route has no parameter of this name. The message lists its parameters.',
  parameter_repeated:
    'A parameter is in the query more than once. Send it once; several metrics go into one parameter, separated by commas.',
  parameter_invalid:
    'A value is empty, of the wrong type, out of range, or not percent-encoded UTF-8. The message says what is allowed.',
  body_invalid:
    'The body is not what the route takes, or it did not arrive completely and in time. `param` says where.',
  key_missing:
    'Send the header Authorization: Bearer <API_KEY>. The public key demo works without signing up.',
  key_malformed: 'The text is not an API key: its shape or its checksum is wrong. Copy the whole key.',
  key_unknown: 'The key is well-formed, but this service does not know it.',
  key_revoked: 'The key was revoked and cannot be restored. Ask the operator for a new one.',
  key_expired: 'The grant behind the key has ended. Renew the licence.',
  licence_required: 'The key is good, but its licence does not open this. The message says which one does.',
  quant_required: 'Backtests need a key with the quant plan.',
  entity_cap_reached:
    'An evaluation key sees a limited number of distinct companies. Those it has seen stay open.',
  route_unknown: 'There is nothing at this address. Versioned routes begin with /api/v1.',
  entity_unknown:
    'The ID names no company here, or no backtest or panel of this key. For companies `near` has up to three similar IDs, and /api/search finds an ID from a name.',
  method_not_allowed: 'The route does not take this method. The header Allow lists the methods it takes.',
  body_too_large: 'The body is larger than the service reads. Send fewer rows, or a shorter span.',
  media_type_unsupported:
    'Send the body as application/json, text/csv or application/x-ndjson, in UTF-8, not compressed.',
  idempotency_in_flight: 'An earlier request with this Idempotency-Key is still running. Wait and try again.',
  idempotency_reused:
    'This Idempotency-Key was used with another request within the last 24 hours. Use a new key for each request.',
  backtest_impossible:
    'The request is well-formed, but no backtest can be run from it. The message says why and what would work.',
  rate_limited_minute:
    'The limit of requests a minute is used up. Retry-After gives the seconds until the next request is granted. A refused request does not count.',
  rate_limited_day:
    'The limit of requests a day is used up. It resets at 00:00 UTC; Retry-After gives the seconds until then.',
  compute_busy: 'The queue of the service, or of this key, is full. Try again after Retry-After.',
  compute_timeout:
    'The computation exceeded its time limit. Send fewer rows, dates or configurations; the same request would take as long again.',
  compute_lost:
    'The worker that computed this stopped, perhaps out of memory. Another one takes its place. Try again after Retry-After.',
  compute_failed: 'The computation failed. The request id finds it in the log.',
  database_unavailable: 'The database does not answer right now. Try again after Retry-After.',
  statement_timeout: 'The database exceeded its time limit. Request less, or try again after Retry-After.',
  shutting_down: 'This server is about to stop. Try again after Retry-After.',
  conflict: 'The request conflicts with the current state. The message says how.',
  internal: 'A defect in the service. Report the request id.',
}
