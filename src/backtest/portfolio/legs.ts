import type { BookSettings } from './settings.ts'

/** The legs of one date in terms of ranks: top from `topFrom` up, bottom below `bottomTo`, which is 0 where only the top
 * is bought. Weights are of a whole book: tranches have not divided them yet. */
export interface LegRule {
  topFrom: number
  bottomTo: number
  /** Sum of the leg's weights: gross / 2 and -gross / 2, or gross and 0. 0 where no leg forms. */
  topTotal: number
  bottomTotal: number
  /** Names in a leg. */
  names: number
}

/** Top k long, bottom k short; nothing where k is 0.
 *
 * @param eligible n of the date */
export function setLegRule(rule: LegRule, eligible: number, settings: BookSettings): void {
  const { longShort, quantile, gross } = settings
  const k = legSize(eligible, quantile, longShort)
  rule.names = k
  rule.topFrom = k === 0 ? 0x7fffffff : eligible - k
  rule.bottomTo = longShort ? k : 0
  rule.topTotal = k === 0 ? 0 : longShort ? gross / 2 : gross
  rule.bottomTotal = k > 0 && longShort ? -gross / 2 : 0
}

/** Names in one leg. k = max(1, floor(quantile * n + 1e-9)); with fewer than two names, or where two legs would
 * overlap, half of the names. The 1e-9 keeps .29 * 100, which is less than 29 in doubles, at 29.
 *
 * @param eligible n, names with a score that day (and in that market, where legs are formed per market) */
export function legSize(eligible: number, quantile: number, longShort: boolean): number {
  if (eligible < 2) return Math.floor(eligible / 2)
  const k = Math.max(1, Math.floor(quantile * eligible + 1e-9))
  return longShort && 2 * k > eligible ? Math.floor(eligible / 2) : k
}
