import type { Limits, Verdict } from '../limits/verdict.ts'

const policies = new Map<Limits, string>()
const mostPolicies = 1_000

/** `"minute";q=60;w=60, "day";q=2000;w=86400`. The limits of a known caller are one object, so this is one look. */
function policyOf(limits: Limits): string {
  const known = policies.get(limits)
  if (known !== undefined) return known
  const day = limits.perDay === null ? '' : `, "day";q=${limits.perDay};w=86400`
  const policy = `"minute";q=${limits.perMinute};w=60${day}`
  if (policies.size >= mostPolicies) policies.clear()
  policies.set(limits, policy)
  return policy
}

/** X-RateLimit-* of the tighter limit (the one with less remaining), and all limits in the fields of
 * draft-ietf-httpapi-ratelimit-headers. Reset is when the count is whole again or, with nothing remaining, when the
 * next request is granted. */
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
