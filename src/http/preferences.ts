import { Failure } from '../errors.ts'

/** Whether Accept weighs HTML above JSON. Browsers do; a bare wildcard does not, so curl gets JSON. */
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

/** Whether Prefer contains `respond-async` (RFC 7240). Unknown preferences are ignored, as the RFC requires. */
export function prefersAsync(header: string | null): boolean {
  if (header === null) return false
  return header.split(',').some(item => item.split(';')[0].trim().toLowerCase() === 'respond-async')
}

const shape = /^[\x21-\x7e]{1,255}$/

/** The Idempotency-Key header; null if it is missing. */
export function idempotencyKey(headers: Headers): string | null {
  const sent = headers.get('idempotency-key')
  if (sent === null || shape.test(sent)) return sent
  throw new Failure(
    'parameter_invalid',
    'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces, for example a new UUID.',
    { param: 'Idempotency-Key' },
  )
}
