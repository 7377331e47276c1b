import { type ErrorCode, errorCodes } from '../../errors.ts'
import { errorStatus } from '../errors.ts'
import examples from './examples/errors.json' with { type: 'json' }

const captured: Partial<Record<string, unknown>> = examples

/** Every error code with its status, what to do about it, and a real answer that carries it. The anchors are what
 * `doc_url` names. */
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
      <p>With <code>Accept: application/problem+json</code> the same comes as a problem document (RFC 9457).</p>
${errorCodes.map(section).join('\n')}
    </main>
  </body>
</html>
`
}

function section(code: ErrorCode): string {
  const { status, type, title } = errorStatus(code)
  const example = captured[code]
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
  parameter_unknown: 'The route has no parameter of this name. The message lists those it has.',
  parameter_repeated:
    'A parameter came more than once, and which one counts would be a guess. Send it once; several metrics go into one parameter, parted by commas.',
  parameter_invalid:
    'A value is empty, of the wrong type, out of range, or not percent-encoded UTF-8. The message says what is allowed.',
  body_invalid:
    'The body is not what the route takes, or it did not arrive whole and in time. `param` says where.',
  key_missing:
    'Send the header Authorization: Bearer <API_KEY>. The public key demo works without signing up.',
  key_malformed:
    'What was sent cannot be a key: it has another shape, or its checksum does not fit. Copy the key whole.',
  key_unknown: 'The key is well-formed, but this service did not make it.',
  key_revoked: 'The key has been revoked for good. Ask for a new one.',
  key_expired: 'The grant behind the key has ended. Renew the licence.',
  licence_required: 'The key is good, but its licence does not open this. The message says which one does.',
  quant_required: 'Backtests need a key with the quant plan.',
  entity_cap_reached:
    'An evaluation key may see a number of distinct companies; those it has seen stay open.',
  route_unknown: 'There is nothing at this address. Versioned routes begin with /api/v1.',
  entity_unknown:
    'The ID names no company here, or no backtest or panel of this key. Of a company, `near` holds up to three that are like it; /api/search finds an ID from a name.',
  method_not_allowed: 'The route exists, but not for this method. The header Allow lists those it takes.',
  body_too_large: 'The body is larger than the service reads. Send fewer rows, or a shorter span.',
  media_type_unsupported:
    'Send the body as application/json, text/csv or application/x-ndjson, in UTF-8, not compressed.',
  idempotency_in_flight:
    'The request that came with this Idempotency-Key before is still being answered. Wait and ask again.',
  idempotency_reused:
    'The Idempotency-Key came within the last 24 hours with another request. Take a new one for each.',
  backtest_impossible:
    'The request is well-formed, but no backtest follows from it. The message says why and what would work.',
  rate_limited_minute:
    'The requests of this minute are used up. Retry-After says, in seconds, when the next one is granted; a refused request is not counted.',
  rate_limited_day:
    'The requests of this day are used up. They start anew at 00:00 UTC, as Retry-After says.',
  compute_busy: 'The service, or this key, has as much work as may wait. Try again after Retry-After.',
  compute_timeout:
    'The computation took longer than it may. Send fewer rows, dates or configurations; the same again takes as long.',
  compute_lost:
    'The worker that computed this stopped, perhaps for want of memory; another takes its place. Try again after Retry-After.',
  compute_failed: 'The computation broke off. Nothing was charged twice; the request id finds it in the log.',
  database_unavailable: 'The database does not answer right now. Try again after Retry-After.',
  statement_timeout: 'The database took longer than it may. Ask for less, or try again after Retry-After.',
  shutting_down: 'This server is about to stop. Try again after Retry-After.',
  conflict: 'What was asked for contradicts what is there. The message says what.',
  internal: 'A defect on our side. Tell us the request id.',
}
