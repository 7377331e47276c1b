import { Failure } from '../../errors.ts'

/** How often a question is read that imports come between. They commit seconds apart and it takes milliseconds, so the
 * second time nearly always does. */
export const tries = 8

export function unsettled(): Failure {
  return new Failure(
    'database_unavailable',
    'The data changed again and again while this was read. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}
