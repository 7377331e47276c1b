import type { Limits, Verdict } from '../limits/decision.ts'

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

/** Sets X-RateLimit-* for the tighter limit (the one with less remaining), and all limits as draft-ietf-httpapi-ratelimit-headers
 * has them. Reset is when the full limit is available again or, with nothing remaining, when the next request is granted. */
export function addLimitHeaders(headers: Headers, verdict: Verdict): void {
  const { limits, minuteRemaining, minuteResetSeconds, dayRemaining, dayResetSeconds } = verdict
  const now = Math.floor(verdict.at)
  const byDay = dayRemaining !== null && dayRemaining <= minuteRemaining
  const minute = `"minute";r=${minuteRemaining};t=${minuteResetSeconds}`
  headers.set('X-RateLimit-Limit', String(byDay ? limits.perDay : limits.perMinute))
  headers.set('X-RateLimit-Remaining', String(byDay ? dayRemaining : minuteRemaining))
  headers.set('X-RateLimit-Reset', String(now + (byDay ? dayResetSeconds : minuteResetSeconds)))
  headers.set('RateLimit-Policy', policyOf(limits))
  headers.set(
    'RateLimit',
    dayRemaining === null ? minute : `${minute}, "day";r=${dayRemaining};t=${dayResetSeconds}`,
  )
}
