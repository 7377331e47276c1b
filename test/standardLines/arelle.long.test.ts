import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isoDate } from '../../src/dates.ts'
import { readFilingPackage } from '../../src/ingest/registers/us/filingPackage.ts'
import { checkedFigures } from '../../src/standardLines/checkedFigures.ts'
import { faceOf } from '../../src/standardLines/standardFiling.ts'
import { localName } from '../../src/wholeFilings/tags.ts'
import type { WholeFiling } from '../../src/wholeFilings/wholeFiling.ts'
import { readZipFiles } from '../ingest/registers/us/packages.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { findPython, runPython } from '../python.ts'
import { sharedPath } from '../shared.ts'

setDefaultTimeout(300_000)

const python = process.env.LONG === undefined ? null : findPython('arelle')

interface Inconsistency {
  readonly concept: string
  readonly role: string
  /** Whether an item of the sum has no figure. */
  readonly unreported: boolean
  readonly divided: boolean
  readonly end: string
}

function inconsistenciesOf(path: string, change: readonly string[]): readonly Inconsistency[] {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-arelle-'))
  try {
    const script = join(import.meta.dir, 'arelle/inconsistencies.py')
    const answer: { concepts: number; inconsistencies: Inconsistency[] } = JSON.parse(
      runPython(python ?? '', folder, [script, path, folder, ...change]),
    )
    expect(answer.concepts).toBeGreaterThan(100)
    return answer.inconsistencies
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Arelle checks the notes, too, which have no standard lines. */
function rolesOfFaces(filing: WholeFiling): ReadonlySet<string> {
  const faces = (['income', 'balance', 'cash_flow'] as const).flatMap(
    name => faceOf(filing, name)?.sums.map(({ role }) => role) ?? [],
  )
  return new Set(nonEmpty(faces))
}

const changes = [
  ['nflx-10k_2010.zip', 'GrossProfit'],
  ['nflx-10k_2010.zip', 'Liabilities'],
  ['nflx-10k_2024.zip', 'NetCashProvidedByUsedInInvestingActivities'],
  ['nflx-10k_2024.zip', 'IncomeTaxExpenseBenefit'],
  ['msft-10k_2015.zip', 'AssetsCurrent'],
  ['msft-10k_2015.zip', 'OperatingIncomeLoss'],
  ['msft-10k_2015.zip', null],
  ['nflx-10k_2010.zip', null],
  ['nflx-10k_2024.zip', null],
] as const

test.skipIf(python === null)(
  'totals are contradicted exactly where Arelle finds that their sums do not hold',
  async () => {
    let found = 0
    for (const [name, tag] of changes) {
      const path = sharedPath(`registers/us/filings/${name}`)
      const files = await readZipFiles(`filings/${name}`)
      if (path === null || files === null) return
      const read = readFilingPackage(name, files).filing
      const figures = read.figures.map(figure =>
        localName(figure.concept) === tag && figure.value !== null
          ? { ...figure, value: String(Number(figure.value) + 7_000_000_000) }
          : figure,
      )
      const filing = { ...read, figures }
      const change = tag === null ? [] : [`us-gaap:${tag}`, '7000000000']
      const roles = rolesOfFaces(filing)
      const checked = nonEmpty(checkedFigures(filing))
      const theirs = inconsistenciesOf(path, change)
        .filter(({ role, divided, unreported }) => roles.has(role) && !divided && !unreported)
        .map(({ concept, end }) => `${concept} ${end}`)
      const isStandard = new Set(
        checked.map(({ concept, period }) => `${localName(concept)} ${isoDate(period.end)}`),
      )
      const ours = checked
        .filter(
          ({ check }) =>
            check.state === 'contradicted' && check.identity?.includes('calculation of the filing'),
        )
        .map(({ concept, period, check }) => ({
          figure: `${localName(concept)} ${isoDate(period.end)}`,
          check,
        }))
      // Each of their totals is contradicted, and ours are all in periods in which they find one.
      const contradicted = new Set(ours.map(({ figure }) => figure))
      const standard = theirs.filter(figure => isStandard.has(figure))
      expect([name, tag, standard.filter(figure => !contradicted.has(figure))]).toEqual([name, tag, []])
      const ends = new Set(theirs.map(figure => figure.split(' ')[1]))
      expect([name, tag, ours.filter(({ figure }) => !ends.has(figure.split(' ')[1]))]).toEqual([
        name,
        tag,
        [],
      ])
      expect([name, tag, theirs.length > 0]).toEqual([name, tag, tag !== null])
      found += standard.length
    }
    expect(found).toBeGreaterThan(10)
  },
)
