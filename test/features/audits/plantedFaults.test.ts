import { afterAll, beforeAll, describe, setDefaultTimeout } from 'bun:test'
import { sharedPath } from '../../shared.ts'
import { testPlantedFaults } from './plantedFaults.ts'
import { openRealFigures, type RealFigures } from './realFigures.ts'
import { metrics, relateCompanies } from './realPanel.ts'

setDefaultTimeout(180_000)

const paths = [
  'fsds/2010q1.zip',
  'companyfacts',
  'submissions/CIK0000320193.json',
  'company_tickers.json',
].map(path => sharedPath(`registers/us/${path}`))

describe.skipIf(paths.includes(null))('real figures', () => {
  let figures: RealFigures
  beforeAll(async () => {
    figures = await openRealFigures(
      paths.flatMap(path => path ?? []),
      metrics,
      relateCompanies,
    )
  }, 180_000)
  afterAll(() => figures.close(), 60_000)

  testPlantedFaults(() => figures, {
    panels: 1,
    everyMonths: 6,
    honest: 100_000,
    faults: {
      shifted: 1_000,
      final: 500,
      stale: 1_000,
      'other company': 300,
      'unrelated company': 800,
      period: 500,
      scale: 1_000,
      sign: 1_000,
      split: 300,
    },
  })
})
