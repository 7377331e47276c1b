import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deriveFacts } from '../../../src/facts/deriveFacts.ts'
import type { FactRow } from '../../../src/facts/factRow.ts'
import { registerOf } from '../../../src/ingest/allRegisters.ts'
import { mergeParsedDocuments } from '../../../src/ingest/import/mergeDocuments.ts'
import { readRegisterFiles } from '../../../src/ingest/sample/makeSample.ts'
import { sampleFiles } from '../../sampleFiles.ts'
import { sharedPath, unitedStatesPaths } from '../../shared.ts'

setDefaultTimeout(120_000)

const workplace = mkdtempSync(join(tmpdir(), 'asfiled-quarters-'))
const files = sampleFiles(workplace)
afterAll(() => rmSync(workplace, { recursive: true, force: true }))

/** Every company whose quarters are at hand. The other registers' files have no quarters. */
const paths = {
  US: unitedStatesPaths() ?? [],
  KR: [`${sharedPath('registers/kr')}`],
  TW: files?.get('tw') ?? [],
} as const

async function derivedCompanies(market: keyof typeof paths) {
  const register = registerOf(market)
  return mergeParsedDocuments((await readRegisterFiles(register, paths[market])).documents).map(
    ({ profile, reportedFacts, filings }) => ({
      issuerId: profile.issuerId,
      facts: deriveFacts(reportedFacts, {
        rules: register.rules,
        fiscalYearEnd: profile.fiscalYearEnd ?? null,
        filings: new Map(filings.map(filing => [filing.accession, filing])),
      }).facts,
    }),
  )
}

/** The largest power of ten in which the amount is whole: filers round to it. */
function grain(amount: number): number {
  let power = 1
  while (amount !== 0 && amount % (power * 10) === 0) power *= 10
  return amount === 0 ? Number.POSITIVE_INFINITY : power
}

interface Sum {
  tested: number
  /** The year was restated, and no quarter of it since: they add up to the year as it was. */
  readonly yearRestated: string[]
  /** Nine months were restated, and not the quarters in them: nine months and the last quarter add up to the year. */
  readonly nineMonthsRestated: string[]
  readonly unexplained: string[]
}

function sumQuarters(issuerId: string, facts: readonly FactRow[], sum: Sum): number {
  const byPeriod = Map.groupBy(facts, ({ metric, fy, fp }) => `${metric} ${fy} ${fp}`)
  const current = (metric: string, fy: number, fp: number) =>
    byPeriod.get(`${metric} ${fy} ${fp}`)?.find(row => row.superseded === null && row.earlierSince === null)
  let tested = 0
  for (const [, years] of byPeriod) {
    const { metric, fy, fp, start, unit, tag } = years[0]
    const year = current(metric, fy, fp)
    if (fp !== 0 || start === null || tag === null || /[/]|shares/i.test(unit) || year === undefined) continue
    const quarters = ([1, 2, 3, 4] as const).flatMap(quarter => current(metric, fy, quarter)?.value ?? [])
    if (quarters.length < 4) continue
    tested++
    const total = quarters.reduce((all, value) => all + value, 0)
    // Each of the five is rounded to half a grain.
    const slack = 2.5 * Math.min(...[...quarters, year.value].map(grain))
    const isNear = (a: number, b: number) => Math.abs(a - b) <= slack
    if (isNear(total, year.value)) continue
    const nineMonths = current(`${metric}_ytd`, fy, 3)?.value ?? Number.NaN
    const kind = years.some(({ value }) => isNear(value, total))
      ? sum.yearRestated
      : isNear(nineMonths + quarters[3], year.value) && !isNear(nineMonths, total - quarters[3])
        ? sum.nineMonthsRestated
        : sum.unexplained
    kind.push(`${issuerId} ${metric} ${fy}`)
  }
  return tested
}

async function sumsOf(market: keyof typeof paths) {
  const sum: Sum = { tested: 0, yearRestated: [], nineMonthsRestated: [], unexplained: [] }
  for (const { issuerId, facts } of await derivedCompanies(market))
    sum.tested += sumQuarters(issuerId, facts, sum)
  console.info(
    `${market}: ${sum.tested} company-years of flows, ${sum.yearRestated.length} with the year restated alone, ` +
      `${sum.nineMonthsRestated.length} with nine months restated`,
  )
  return sum
}

test.skipIf(files === null)(
  'US: the four quarters of a year add up to it within one generation',
  async () => {
    const sum = await sumsOf('US')
    expect(sum.tested).toBeGreaterThanOrEqual(500)
    expect(sum.unexplained).toEqual([])
    // Apple restates 2015 and nine months of 2016 in its reports of 2017, Alphabet nine months of 2015 in that of 2016-11-03.
    expect(sum.yearRestated).toEqual(['0000320193 dividends_paid 2015'])
    expect(sum.nineMonthsRestated).toEqual([
      '0000320193 dividends_paid 2016',
      '0001652044 capital_expenditure 2015',
    ])
  },
)

test.skipIf(files === null)('Korea: the same', async () => {
  const sum = await sumsOf('KR')
  expect(sum.tested).toBeGreaterThanOrEqual(400)
  expect(sum.unexplained).toEqual([])
  expect(sum.yearRestated).toEqual([])
  // Reports restate the nine months of the year before, and leave the first two of its quarters as they were filed.
  expect(sum.nineMonthsRestated.length).toBe(27)
  const companies = new Set(sum.nineMonthsRestated.map(exception => exception.slice(0, 8)))
  expect([...companies].sort()).toEqual(['00111704', '00120021', '00181712', '00356361'])
})

test.skipIf(files === null)('Taiwan: the same, of 1,860 companies, without an exception', async () => {
  const { tested, ...exceptions } = await sumsOf('TW')
  expect(tested).toBeGreaterThanOrEqual(10_000)
  expect(exceptions).toEqual({ yearRestated: [], nineMonthsRestated: [], unexplained: [] })
})
