import { authenticate } from '../domain/access/authenticate.ts'
import type { Caller } from '../domain/access/caller.ts'
import type { Limits, Verdict } from '../domain/limits/verdict.ts'
import { Failure } from '../errors.ts'
import type { Call } from './Call.ts'
import type { Services } from './services.ts'

/** Who may enter a route: holders of a key, counted by key (demo: by address); everybody, counted by address;
 * everybody, uncounted. */
export type Entry = 'key' | 'search' | 'open'

const searchLimits: Limits = { perMinute: 120, perDay: 3_000 }

/** Learns who calls and counts the call. Knows nothing of what was asked for. */
export function admit(services: Services, call: Call, entry: Exclude<Entry, 'open'>): Promise<Verdict> {
  const { access } = services
  if (entry === 'search') {
    return access.gate.take(`search:${call.address}`, searchLimits)
  }
  const found = authenticate(access, call.request.headers.get('authorization'), call.address)
  const count = (caller: Caller) => {
    call.caller = caller
    return access.gate.take(caller.subject, caller.limits)
  }
  return found instanceof Promise ? found.then(count) : count(found)
}

export function limited(verdict: Verdict, refused: NonNullable<Verdict['refused']>): Failure {
  const { perMinute, perDay } = verdict.limits
  const { by, retryAfterSeconds } = refused
  const message =
    by === 'day'
      ? `The limit of ${perDay?.toLocaleString('en')} requests a day is used up. It starts anew at 00:00 UTC, in ${retryAfterSeconds} s.`
      : `The limit of ${perMinute.toLocaleString('en')} requests a minute is used up. Wait ${retryAfterSeconds} s; the headers say how much is left.`
  return new Failure(by === 'day' ? 'rate_limited_day' : 'rate_limited_minute', message, {
    retryAfterSeconds,
  })
}
