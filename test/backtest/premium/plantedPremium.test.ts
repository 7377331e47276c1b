import { expect, test } from 'bun:test'
import { lookAheadPremium } from '../../../src/backtest/premium/lookAheadPremium.ts'
import { premiumInput, type RotatingNames, rotatingNames, sharpeOfRotatingNames } from './plantedPanels.ts'

/** A small part of plantedPremium.long.test.ts, on panels whose true Sharpe ratios follow from their definition. */

const weeksPerYear = 52
const costs = { roundTrip: 0.001, borrowPerPeriod: 0.005 / weeksPerYear }
const config = { quantile: 0.5, costBps: 10, borrowBps: 50 } as const
const planted: RotatingNames = {
  names: 20,
  drift: 0.0034,
  noise: 0.05,
  heavyTails: false,
  driftNoise: 0,
  late: { sent: 0, known: 2, knownOrAnnounced: 1 },
}
const varying = { ...planted, driftNoise: 0.006 }

test('records of 20,000 periods have the Sharpe ratios that were planted', () => {
  for (const [settings, tranches] of [
    [planted, 1],
    [planted, 2],
    [varying, 1],
  ] as const) {
    const truth = sharpeOfRotatingNames(settings, tranches, costs)
    const evidence = { bootstraps: 100, meanBlock: 5 }
    const long = premiumInput(rotatingNames(settings), 1, 20_000, {
      config: { ...config, holdDays: 5 * tranches },
      evidence,
    })
    const { variants, premium } = lookAheadPremium(long)
    for (const variant of ['sent', 'known', 'knownOrAnnounced'] as const) {
      // Four standard errors of a Sharpe ratio; a drift that persists has about twice the variance.
      const tolerance = 4 * Math.sqrt((settings.driftNoise > 0 ? 2 : 1.1) / 20_000)
      expect(Math.abs((variants[variant].sharpePerPeriod ?? 0) - truth[variant])).toBeLessThan(tolerance)
    }
    expect(truth.sent - truth.known).toBeGreaterThan(0.09)
    expect(premium?.lowPerPeriod).toBeGreaterThan(0)
  }
})

test('intervals contain a planted premium, and one of 0, in at least 18 of 20 panels', () => {
  const early = { ...planted, late: { sent: -1, known: 1, knownOrAnnounced: 1 } }
  for (const settings of [planted, early]) {
    const { sent, known, knownOrAnnounced } = sharpeOfRotatingNames(settings, 1, costs)
    let covered = 0
    let coveredWithoutAnnounced = 0
    for (let seed = 1; seed <= 20; seed++) {
      const evidence = { seed, bootstraps: 400 }
      const found = lookAheadPremium(premiumInput(rotatingNames(settings), seed, 120, { config, evidence }))
      const contains = (interval: typeof found.premium, truth: number) =>
        interval !== null && interval.lowPerPeriod <= truth && truth <= interval.highPerPeriod
      if (contains(found.premium, sent - known)) covered++
      if (contains(found.premiumWithoutAnnounced, sent - knownOrAnnounced)) coveredWithoutAnnounced++
    }
    expect(covered).toBeGreaterThanOrEqual(18)
    expect(coveredWithoutAnnounced).toBeGreaterThanOrEqual(18)
  }
})
