import { Failure } from '../errors.ts'
import type { RequestContext } from './context.ts'

/** A name or an address, and maybe a port: the characters of RFC 3986 section 3.2 without user and comma. */
const hostPattern = /^[\w.~%!$&'()*+;=:[\]-]+$/

/** Fails if the request names two hosts or an impossible one (RFC 9112 section 3.2). Two programs that pick different ones of two
 * would disagree about the target of the request. Bun joins repeated headers with a comma, and refuses HTTP/1.1 without the header. */
export function requireOneHost({ request }: RequestContext): void {
  const host = request.headers.get('host')
  if (host === null || hostPattern.test(host)) return
  throw new Failure(
    'parameter_invalid',
    host.includes(',')
      ? 'The request has more than one Host header. Send one.'
      : 'The Host header is not the name or address of a host. Send it like data.example.com:3000.',
    { param: 'Host' },
  )
}
