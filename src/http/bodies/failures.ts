import { Failure } from '../../errors.ts'

/** Reasons for rejecting a request body. Each message says what to send instead. */

const param = 'body'

/** The scope of a memory bound. */
export type RoomScope = 'caller' | 'address' | 'server'

interface Owner {
  readonly isUnpaid: boolean
}

const retryAfterSeconds = 5
const megabytes = (bytes: number) => `${bytes / 1_024 / 1_024} MB`
const count = (bytes: number) => `${bytes.toLocaleString('en')} ${bytes === 1 ? 'byte' : 'bytes'}`

export function noRoom(scope: RoomScope, { isUnpaid }: Owner, max: number): Failure {
  const message =
    scope === 'server'
      ? 'The server has reached its limit of request bodies in memory. Try again in a moment.'
      : `${scope === 'address' ? 'Your address' : whoseBodies(isUnpaid)} may have ${megabytes(max)} of request bodies in flight on this server, and this one would exceed that. Wait until another one has been answered, then send it again.`
  return new Failure('compute_busy', message, { param, retryAfterSeconds })
}

const whoseBodies = (isUnpaid: boolean) => (isUnpaid ? 'A demo or free caller' : 'A key')

export function crowded(scope: RoomScope, max: number): Failure {
  const from = { caller: 'with one key', address: 'from one address', server: 'at this server' }[scope]
  return new Failure(
    'compute_busy',
    `More than ${max.toLocaleString('en')} request bodies are arriving slowly ${from}, and this one was among the slowest. Send fewer at a time, each without a pause.`,
    { param, retryAfterSeconds },
  )
}

export function tooSlow(size: number): Failure {
  return new Failure(
    'body_invalid',
    `The body arrived too slowly: after ${count(size)}, less than 16 KB per second arrived for 5 seconds. Send it without a pause, at 16 KB per second or more.`,
    { param },
  )
}

export function overdue(size: number, deadlineSeconds: number): Failure {
  return new Failure(
    'body_invalid',
    `The body took too long: only ${count(size)} arrived within the limit of ${Math.round(deadlineSeconds)} seconds. Send it faster, or send fewer rows.`,
    { param },
  )
}

export function cutShort(size: number, announced: number | null): Failure {
  const of =
    announced === null ? '' : ` of the ${announced.toLocaleString('en')} that Content-Length announced`
  return new Failure('body_invalid', `The body ended after ${count(size)}${of}. Send the whole body.`, {
    param,
  })
}

/** @param size null: unknown, because nothing was announced, but over the limit
 * @param isOfTier true if the limit is the one of demo and free callers rather than the server's */
export function tooLarge(size: number | null, limit: number, isOfTier: boolean): Failure {
  const what = `The body has ${size === null ? 'more' : count(size)}; the limit`
  const message = isOfTier
    ? `${what} for demo and free keys is ${megabytes(limit)}. Send fewer rows, or use a key of another licence.`
    : `${what} is ${megabytes(limit)}. Send fewer rows.`
  return new Failure('body_too_large', message, { param })
}

export function diskFull(cause: unknown): Failure {
  const message =
    'The server has no disk space left for a body of this size. Try again later, or send fewer rows.'
  return new Failure('compute_busy', message, { param, retryAfterSeconds: 60, cause })
}

export function unsupported(message: string, at = 'Content-Type'): Failure {
  return new Failure('media_type_unsupported', message, { param: at })
}
