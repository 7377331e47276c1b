const firstWaitMs = 1_000
const longestBackOffMs = 60_000

/** How long to wait before attempt `attempt` + 1: twice as long each time, between half of it and all, so that many who
 * failed together do not come back together; and never less than the register asked for. */
export function waitMs(attempt: number, random: number, askedMs: number | null): number {
  const backOff = Math.min(longestBackOffMs, firstWaitMs * 2 ** (attempt - 1)) * (0.5 + random / 2)
  return Math.max(backOff, askedMs ?? 0)
}

/** What a Retry-After asks for: seconds, or a date. null where there is none that can be read. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,15}$/.test(text)) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
