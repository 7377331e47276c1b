/** Names in one leg. k = max(1, floor(quantile * n + 1e-9)); with fewer than two names, or where two legs would
 * overlap, half of the names. The 1e-9 keeps .29 * 100, which is less than 29 in doubles, at 29.
 *
 * @param eligible n, names with a score that day (and in that market, where legs are formed per market) */
export function legSize(eligible: number, quantile: number, longShort: boolean): number {
  if (eligible < 2) return Math.floor(eligible / 2)
  const k = Math.max(1, Math.floor(quantile * eligible + 1e-9))
  return longShort && 2 * k > eligible ? Math.floor(eligible / 2) : k
}
