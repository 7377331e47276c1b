import type { Limits, Verdict } from '../limits/verdict.ts'

const policies = new WeakMap<Limits, string>()

/** The header value, such as `"minute";q=60;w=60, "day";q=2000;w=86400`. It is looked up by identity, because a cached
 * caller has a single `Limits` object. */
function policyOf(limits: Limits): string {
  const known = policies.get(limits)
  if (known !== undefined) return known
  const day = limits.perDay === null ? '' : `, "day";q=${limits.perDay};w=86400`
  const policy = `"minute";q=${limits.perMinute};w=60${day}`
  policies.set(limits, policy)
  return policy
}

const withPolicies = new WeakMap<Headers, WeakMap<Limits, Headers>>()

/** Returns a copy of the headers to which the headers that depend only on the limits have been added, assuming that the
 * minute limit is the tighter one, as it usually is. Setting them on every response would take a third of the time spent
 * on its headers. */
export function withPolicy(headers: Headers, limits: Limits): Headers {
  let byLimits = withPolicies.get(headers)
  if (byLimits === undefined) {
    byLimits = new WeakMap()
    withPolicies.set(headers, byLimits)
  }
  const known = byLimits.get(limits)
  if (known !== undefined) return known
  const complete = new Headers(headers)
  complete.set('X-RateLimit-Limit', String(limits.perMinute))
  complete.set('RateLimit-Policy', policyOf(limits))
  byLimits.set(limits, complete)
  return complete
}

/** Sets X-RateLimit-* for the tighter limit (the one with less remaining), and RateLimit for all limits
 * (draft-ietf-httpapi-ratelimit-headers). Reset is the time until the full limit is available again or, if nothing
 * remains, until the next request is granted.
 *
 * @param hasPolicy whether the headers come from `withPolicy` */
export function addLimitHeaders(headers: Headers, verdict: Verdict, hasPolicy: boolean): void {
  const { limits, minuteRemaining, minuteResetSeconds, dayRemaining, dayResetSeconds } = verdict
  const now = Math.floor(verdict.at)
  const byDay = dayRemaining !== null && dayRemaining <= minuteRemaining
  const minute = `"minute";r=${minuteRemaining};t=${minuteResetSeconds}`
  if (byDay || !hasPolicy) headers.set('X-RateLimit-Limit', String(byDay ? limits.perDay : limits.perMinute))
  headers.set('X-RateLimit-Remaining', String(byDay ? dayRemaining : minuteRemaining))
  headers.set('X-RateLimit-Reset', String(now + (byDay ? dayResetSeconds : minuteResetSeconds)))
  if (!hasPolicy) headers.set('RateLimit-Policy', policyOf(limits))
  headers.set(
    'RateLimit',
    dayRemaining === null ? minute : `${minute}, "day";r=${dayRemaining};t=${dayResetSeconds}`,
  )
}
