import { expect, setDefaultTimeout, test } from 'bun:test'
import { listFiles } from '../../../../src/ingest/import/listFiles.ts'
import { readUnits } from '../../../../src/ingest/import/readFiles.ts'
import { newReadProgress } from '../../../../src/ingest/reading/progress.ts'
import { twRegister } from '../../../../src/ingest/registers/tw/register.ts'
import { sharedPath } from '../../../shared.ts'

setDefaultTimeout(180_000)

const folder = sharedPath('registers/tw')

test.skipIf(folder === null)('every real figure is imported or left out for a reason', async () => {
  const progress = newReadProgress()
  const files = await listFiles([`${folder}`], twRegister.documentNames)
  let imported = 0
  const companies = new Set<string>()
  const quarters = new Set<string>()
  for await (const { parsed } of readUnits(twRegister, files, new Set(), progress)) {
    for (const { profile, reportedFacts } of parsed) {
      imported += reportedFacts.length
      companies.add(profile.issuerId)
      for (const { filing } of reportedFacts) quarters.add(filing.accession.slice(3))
    }
  }
  expect(progress.skipped).toEqual([])
  expect(progress.malformed).toBe(0)
  expect(progress.documents).toBe(files.length)
  const others = ['a day of trading', 'a description of the interface']
  const figures = [...progress.leftOut].filter(([reason]) => !others.includes(reason))
  expect(figures.map(([reason]) => reason).sort()).toEqual([
    'a column that is only a substitute for another one',
    'a column without a metric',
  ])
  expect(imported + figures.reduce((sum, [, count]) => sum + count, 0)).toBe(progress.figuresRead)
  expect([...progress.leftOut.keys()].filter(reason => others.includes(reason)).sort()).toEqual(others)
  // 1,896 companies, as the register's README counts them.
  expect(companies.size).toBe(1_896)
  expect(quarters.size).toBeGreaterThan(14_000)
})
