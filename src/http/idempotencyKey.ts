import { Failure } from '../errors.ts'

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
