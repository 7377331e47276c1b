import { expect, test } from 'bun:test'
import { lookAheadPremium } from '../../../src/backtest/premium/lookAheadPremium.ts'
import type { BacktestConfig } from '../../../src/backtest/request.ts'
import {
  type PanelSource,
  premiumInput,
  type QuarterlyReports,
  quarterlyReports,
  type RotatingNames,
  rotatingNames,
  sharpeOfLongRecord,
  sharpeOfRotatingNames,
  type TrueSharpe,
} from './plantedPanels.ts'

/** How often the interval contains the true premium. The truth of panels of rotating names follows from their definition, and that
 * of companies with quarterly reports from 100,000 periods in plain loops. It prints a table for the guide. LONG=1 runs it. */

const borrowPerPeriod = 0.005 / 52
const rotating: RotatingNames = {
  names: 20,
  drift: 0.0034,
  noise: 0.05,
  heavyTails: false,
  driftNoise: 0,
  late: { sent: 0, known: 2, knownOrAnnounced: 1 },
}
const reports: QuarterlyReports = {
  names: 40,
  valueReturn: 0.002,
  newsReturn: 0.004,
  noise: 0.05,
  correction: 0.4,
  missing: 0.05,
}

interface Design {
  readonly source: PanelSource
  readonly truth: TrueSharpe
  readonly config: BacktestConfig
}

function rotatingDesign(change: Partial<RotatingNames>, tranches: 1 | 2 = 1): Design {
  const settings = { ...rotating, ...change }
  return {
    source: rotatingNames(settings),
    truth: sharpeOfRotatingNames(settings, tranches, { roundTrip: 0.001, borrowPerPeriod }),
    config: { quantile: 0.5, costBps: 10, borrowBps: 50, holdDays: 5 * tranches },
  }
}

function reportsDesign(): Design {
  const source = quarterlyReports(reports)
  return {
    source,
    truth: sharpeOfLongRecord(source, 100_000, 0.2, { roundTrip: 0.002, borrowPerPeriod }),
    config: { quantile: 0.2, costBps: 20, borrowBps: 50 },
  }
}

interface Coverage {
  readonly premium: number
  readonly withoutAnnounced: number
  /** Panels without bounds, which count as not covered. */
  readonly unbounded: number
}

function coverage(
  { source, truth, config }: Design,
  periods: number,
  seeds: number,
  meanBlock?: number,
): Coverage {
  const counts = { premium: 0, withoutAnnounced: 0, unbounded: 0 }
  for (let seed = 1; seed <= seeds; seed++) {
    const evidence = { seed, ...(meanBlock === undefined ? {} : { meanBlock }) }
    const found = lookAheadPremium(premiumInput(source, seed, periods, { config, evidence }))
    const { premium, premiumWithoutAnnounced } = found
    const contains = (interval: typeof premium, difference: number) =>
      interval !== null && interval.lowPerPeriod <= difference && difference <= interval.highPerPeriod
    if (contains(premium, truth.sent - truth.known)) counts.premium++
    if (contains(premiumWithoutAnnounced, truth.sent - truth.knownOrAnnounced)) counts.withoutAnnounced++
    if (premium === null || premiumWithoutAnnounced === null) counts.unbounded++
  }
  return counts
}

const long = test.skipIf(process.env.LONG !== '1')

long(
  'a planted premium is in its interval in at least 95 of 100 panels, and so is one of 0',
  () => {
    const table = {
      'planted, 120 periods': coverage(rotatingDesign({}), 120, 100),
      'planted in quarterly reports, 120 periods': coverage(reportsDesign(), 120, 100),
      'none, equal skill, 120 periods': coverage(
        rotatingDesign({ late: { sent: -1, known: 1, knownOrAnnounced: 1 } }),
        120,
        100,
      ),
    }
    console.table(table)
    for (const { premium } of Object.values(table)) expect(premium).toBeGreaterThanOrEqual(95)
  },
  1_200_000,
)

long(
  'intervals of nominally 95% contain the truth in about 95% of 400 panels of each kind and length',
  () => {
    const designs = {
      planted: rotatingDesign({}),
      'heavy tails': rotatingDesign({ heavyTails: true }),
      'skill that comes and goes': rotatingDesign({ driftNoise: 0.006 }),
      'two tranches': rotatingDesign({}, 2),
      'no premium, equal skill': rotatingDesign({ late: { sent: -1, known: 1, knownOrAnnounced: 1 } }),
      'no premium, no skill': rotatingDesign({ drift: 0 }),
      'quarterly reports': reportsDesign(),
    }
    const seeds = 400
    const table: Record<string, Coverage> = {}
    for (const [name, design] of Object.entries(designs))
      for (const periods of [36, 60, 120, 250])
        table[`${name}, ${periods} periods`] = coverage(design, periods, seeds)
    for (const meanBlock of [1, 4, 10])
      table[`planted, 120 periods, blocks of ${meanBlock}`] = coverage(designs.planted, 120, seeds, meanBlock)
    console.table(table)
    for (const { premium, withoutAnnounced } of Object.values(table)) {
      // Three standard errors of a share of 95% in 400 panels are 3.3%.
      expect(premium / seeds).toBeGreaterThan(0.915)
      expect(withoutAnnounced / seeds).toBeGreaterThan(0.915)
      expect(premium / seeds).toBeLessThan(0.985)
    }
  },
  3_600_000,
)
