import { afterAll, beforeAll, describe, setDefaultTimeout } from 'bun:test'
import { unitedStatesPaths } from '../../shared.ts'
import { testPlantedFaults } from './plantedFaults.ts'
import { openRealFigures, type RealFigures } from './realFigures.ts'
import { faultKinds, metrics, relateCompanies } from './realPanel.ts'

setDefaultTimeout(1_200_000)

const paths = unitedStatesPaths()

const isLong = process.env.LONG !== undefined
if (!isLong) console.log('skipped: 10,000 faults of each kind are planted with LONG=1')

describe.skipIf(paths === null || !isLong)('real figures, 10,000 faults of each kind', () => {
  let figures: RealFigures
  beforeAll(async () => {
    figures = await openRealFigures(paths ?? [], metrics, relateCompanies)
  }, 600_000)
  afterAll(() => figures.close(), 60_000)

  testPlantedFaults(() => figures, {
    panels: 5,
    everyMonths: 1,
    honest: 1_000_000,
    faults: Object.fromEntries(faultKinds.map(kind => [kind, kind === 'split' ? 5_000 : 9_000])) as Record<
      (typeof faultKinds)[number],
      number
    >,
  })
})
