import type { Limits, Verdict } from '../domain/limits/verdict.ts'

const policies = new Map<string, string>()

/** `"minute";q=60;w=60, "day";q=2000;w=86400`. There are as many as there are kinds of keys. */
function policyOf({ perMinute, perDay }: Limits): string {
  const name = `${perMinute}/${perDay}`
  const known = policies.get(name)
  if (known !== undefined) return known
  const day = perDay === null ? '' : `, "day";q=${perDay};w=86400`
  const policy = `"minute";q=${perMinute};w=60${day}`
  if (policies.size < 1_000) policies.set(name, policy)
  return policy
}

/** X-RateLimit-* of the tighter limit (the one with less remaining), and all limits in the fields of
 * draft-ietf-httpapi-ratelimit-headers. Reset is when the count is whole again or, with nothing remaining, when the
 * next request is granted. */
export function addLimitHeaders(headers: Record<string, string>, verdict: Verdict): void {
  const { limits, minuteRemaining, minuteResetSeconds, dayRemaining, dayResetSeconds } = verdict
  const now = Math.floor(verdict.at)
  const byDay = dayRemaining !== null && dayRemaining <= minuteRemaining
  let budget = `"minute";r=${minuteRemaining};t=${minuteResetSeconds}`
  if (dayRemaining !== null) budget += `, "day";r=${dayRemaining};t=${dayResetSeconds}`
  headers['X-RateLimit-Limit'] = String(byDay ? limits.perDay : limits.perMinute)
  headers['X-RateLimit-Remaining'] = String(byDay ? dayRemaining : minuteRemaining)
  headers['X-RateLimit-Reset'] = String(now + (byDay ? dayResetSeconds : minuteResetSeconds))
  headers['RateLimit-Policy'] = policyOf(limits)
  headers.RateLimit = budget
}
