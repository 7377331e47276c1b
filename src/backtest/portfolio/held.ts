import type { Dataset, Ranking } from '../dataset/dataset.ts'
import { countIdle } from './kernel/simulateBlock.ts'
import { neutralTargets } from './legs.ts'
import type { PortfolioSettings } from './settings.ts'

/** 1 where a portfolio of h tranches holds names, 0 where it is empty. It is also empty in its first periods
 * until a leg has formed.
 *
 * @param idlePeriods how many consecutive periods, up to and including this one, formed no leg
 * @param tranches h */
export const heldPeriods = (idlePeriods: Int32Array, tranches: number): Uint8Array =>
  Uint8Array.from(idlePeriods, (idle, t) => (idle < Math.min(tranches, t + 1) ? 1 : 0))

/** Computes `idlePeriods` for `heldPeriods` without a simulation. Whether a leg forms depends only on
 * `neutralMarket`: any quantile of two names or more contains at least one. */
export function idlePeriodsOf(
  data: Dataset & { readonly ranking: Ranking },
  periods: Int32Array,
  settings: PortfolioSettings,
): Int32Array {
  const eligible = settings.neutralMarket
    ? neutralTargets(data, periods, settings).inLegs
    : Int32Array.from(periods, date => data.ranking.eligible[date])
  const idlePeriods = new Int32Array(periods.length)
  countIdle(idlePeriods, eligible, settings, 0, periods.length)
  return idlePeriods
}
