import type { Limits, Verdict } from '../limits/verdict.ts'

const policies = new WeakMap<Limits, string>()

/** `"minute";q=60;w=60, "day";q=2000;w=86400`. A cached caller has one `Limits` object, so the map is looked up by identity. */
function policyOf(limits: Limits): string {
  const known = policies.get(limits)
  if (known !== undefined) return known
  const day = limits.perDay === null ? '' : `, "day";q=${limits.perDay};w=86400`
  const policy = `"minute";q=${limits.perMinute};w=60${day}`
  policies.set(limits, policy)
  return policy
}

const withPolicies = new WeakMap<Headers, WeakMap<Limits, Headers>>()

/** The headers with those that only the limits decide, in the case that the minute's is the tighter one: setting these on every response
 * would take a third of the time of its headers. */
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

/** Sets X-RateLimit-* for the tighter limit (the one with less remaining), and all limits as draft-ietf-httpapi-ratelimit-headers
 * has them. Reset is when the full limit is available again or, with nothing remaining, when the next request is granted.
 *
 * @param hasPolicy whether the headers are from `withPolicy` */
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
