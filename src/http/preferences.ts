import { Failure } from '../errors.ts'

/** Whether an Accept header would rather have a page than JSON. A browser would; one that takes anything would not. */
export function prefersHtml(accept: string | null): boolean {
  if (accept === null || accept === '') return false
  const weights = new Map<string, number>()
  for (const item of accept.toLowerCase().split(',')) {
    const [type, ...parameters] = item.split(';').map(part => part.trim())
    const q = parameters.find(parameter => /^q\s*=/.test(parameter))?.split('=')[1]
    const weight = q === undefined ? 1 : Number(q)
    if (weight >= 0 && weight <= 1) weights.set(type, weight)
  }
  const weightOf = (type: string, group: string) =>
    weights.get(type) ?? weights.get(group) ?? weights.get('*/*') ?? 0
  return weightOf('text/html', 'text/*') > weightOf('application/json', 'application/*')
}

/** Whether a Prefer header asks for an answer at once and the result later (RFC 7240). Preferences that are not known
 * are no errors. */
export function prefersAsync(header: string | null): boolean {
  if (header === null) return false
  return header.split(',').some(item => item.split(';')[0].trim().toLowerCase() === 'respond-async')
}

const shape = /^[\x21-\x7e]{1,255}$/

/** The Idempotency-Key of a request, as sent; null where there is none. */
export function idempotencyKey(headers: Headers): string | null {
  const sent = headers.get('idempotency-key')
  if (sent === null || shape.test(sent)) return sent
  throw new Failure(
    'parameter_invalid',
    'Idempotency-Key has to be 1 to 255 printable ASCII characters without spaces, such as a UUID of your making.',
    { param: 'Idempotency-Key' },
  )
}
