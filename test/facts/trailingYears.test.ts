import { expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../src/dates.ts'
import type { FactRow } from '../../src/facts/factRow.ts'
import type { ReportedFact } from '../../src/facts/reportedFact.ts'
import { spanOf } from '../../src/facts/spans.ts'
import { usRegister } from '../../src/ingest/registers/us/register.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { derive, sampleOf } from './derivation.ts'

const companies = await Promise.all(
  ['0000320193', '0001652044', '0001640147'].map(async issuerId => {
    const { reportedFacts, profile } = await sampleOf(issuerId)
    const derived = derive(reportedFacts, profile.fiscalYearEnd ?? null)
    return { issuerId, reportedFacts, facts: derived.facts, repeats: derived.repeats }
  }),
)
const [apple, , snowflake] = companies

const knownOn = (facts: readonly FactRow[], metric: string, day: string) =>
  facts
    .filter(({ superseded }) => superseded === null || superseded > dayNumber(day))
    .filter(fact => fact.metric === metric && fact.filing.filed <= dayNumber(day))
    .toSorted((a, b) => a.end - b.end)

test('trailing twelve months are the year + the year to date - the year to date before, of one generation', () => {
  // Revenue, in millions. Until 2010-01-24 the latest year is the unrestated 36,537 (0001193125-09-214859); on 2010-01-25 it is
  // 42,905 with quarters of 15,683 and 11,880 (10-K/A, 10-Q 0001193125-10-012085); on 2010-04-21 half-years of 29,182 and 20,964
  // (0001193125-10-088957); on 2010-07-21 nine months of 44,882 and 30,698 (0001193125-10-162840).
  const latest = (day: string) => {
    const row = knownOn(apple.facts, 'revenue_ttm', day).at(-1)
    return row && [isoDate(row.end), row.value / 1e6, row.inputs.length]
  }
  expect(latest('2010-01-25')).toEqual(['2009-12-26', 42_905 + 15_683 - 11_880, 1])
  expect(latest('2010-04-20')).toEqual(['2009-12-26', 46_708, 1])
  expect(latest('2010-04-21')).toEqual(['2010-03-27', 51_123, 1])
  expect(latest('2010-07-20')).toEqual(['2010-03-27', 51_123, 1])
  expect(latest('2010-07-21')).toEqual(['2010-06-26', 42_905 + 44_882 - 30_698, 1])
  // Snowflake, in thousands: the year in the 10-K 0001640147-23-000030, the quarters in the 10-Q 0001640147-23-000102.
  const [row] = knownOn(snowflake.facts, 'revenue_ttm', '2023-06-02').slice(-1)
  expect([isoDate(row.end), row.value / 1e3]).toEqual(['2023-04-30', 2_065_659 + 623_599 - 422_371])
})

/** The same figure in the same filing under a better tag. */
const isBetter = (a: ReportedFact, b: ReportedFact) =>
  a.filing.accession === b.filing.accession &&
  a.start === b.start &&
  a.end === b.end &&
  usRegister.rules.group(a.metric, a.tag) < usRegister.rules.group(b.metric, b.tag)

/** What a reader adds up: from the 10-Q of a day its two columns of the year to date, and the full year before as the latest
 * filing up to that day states it; from a 10-K its year. null where one of the earlier statements was changed since the other. A data set
 * repeats some filings with rounded days. */
function byHand(reportedFacts: readonly ReportedFact[], metric: string, day: number) {
  const stated = reportedFacts.filter(
    fact => fact.metric === metric && fact.filing.filed <= day && !fact.rounded,
  )
  const known = stated.filter(fact => !stated.some(other => isBetter(other, fact)))
  const ofDay = known.filter(fact => fact.filing.filed === day)
  const annual = ofDay.filter(({ filing, start, end }) => filing.form === '10-K' && spanOf(start, end) === 4)
  const [latest] = annual.toSorted((a, b) => b.end - a.end)
  if (latest !== undefined) return { end: latest.end, value: latest.value }
  const report = ofDay.filter(fact => fact.filing.form === '10-Q')
  const flows = report.filter(fact => [1, 2, 3].includes(spanOf(fact.start, fact.end) ?? 0))
  const end = Math.max(...flows.map(fact => fact.end))
  const current = flows
    .filter(fact => fact.end === end)
    .toSorted((a, b) => (a.start ?? 0) - (b.start ?? 0))
    .at(0)
  if (current?.start == null) return null
  const start = current.start
  const span = spanOf(start, current.end)
  const prior = flows.find(
    ({ start: other, end: otherEnd }) =>
      other !== null && spanOf(other, otherEnd) === span && Math.abs(start - other - 364) <= 7,
  )
  const years = known.filter(
    fact => spanOf(fact.start, fact.end) === 4 && Math.abs(fact.end + 1 - start) <= 3,
  )
  const year = years.toSorted((a, b) => a.filing.filed - b.filing.filed).at(-1)
  const before = known.filter(
    fact => fact.start === prior?.start && fact.end === prior?.end && fact.value !== prior?.value,
  )
  if (prior === undefined || year === undefined || before.length > 0) return null
  // Two tags may be two kinds of figure, as cash flow with and without discontinued operations.
  if (year.tag !== current.tag || prior.tag !== current.tag) return null
  return { end: current.end, value: year.value + current.value - prior.value }
}

test('on the days of reports, and on the eve of the next one, they are what a reader adds up from the filings', () => {
  const compared: Record<string, number> = {}
  for (const { issuerId, reportedFacts, facts } of nonEmpty(companies)) {
    const reports = reportedFacts.filter(({ filing }) => /^10-[QK]$/.test(filing.form))
    const days = [...new Set(reports.map(({ filing }) => filing.filed))].sort((a, b) => a - b)
    const checked = new Set<number>()
    for (const metric of ['revenue', 'net_income', 'operating_cash_flow']) {
      days.forEach((day, at) => {
        const truth = byHand(reportedFacts, metric, day)
        if (truth === null) return
        const eve = Math.min(day + 60, (days[at + 1] ?? day + 60) - 1)
        const isRestated = reportedFacts.some(({ filing }) => filing.filed > day && filing.filed <= eve)
        for (const known of isRestated ? [day] : [day, eve]) {
          // A full year is no row of its own: it is that of the year.
          const rows = knownOn(facts, `${metric}_ttm`, isoDate(known))
            .concat(knownOn(facts, metric, isoDate(known)).filter(({ fp }) => fp === 0))
            .toSorted((a, b) => a.end - b.end)
          const context = [issuerId, metric, isoDate(known)]
          expect([...context, rows.at(-1)?.end, rows.at(-1)?.value]).toEqual([
            ...context,
            truth.end,
            truth.value,
          ])
          checked.add(known)
        }
      })
    }
    compared[issuerId] = checked.size
    console.info(`${issuerId}: ${checked.size} days`)
  }
  expect(compared['0000320193']).toBeGreaterThanOrEqual(100)
  expect(compared['0001652044']).toBeGreaterThanOrEqual(60)
  expect(compared['0001640147']).toBeGreaterThanOrEqual(30)
})

test('flow over stock is over the balance of the last quarter, and figures per share have no trailing year', () => {
  for (const { facts } of nonEmpty(companies)) {
    for (const row of facts.filter(fact => fact.metric === 'roe_ttm')) {
      const input = (metric: string) =>
        knownOn(facts, metric, isoDate(row.filing.filed)).find(({ end }) => end === row.end)
      expect(row.value).toBe(Number(input('net_income_ttm')?.value) / Number(input('equity')?.value))
    }
    expect(nonEmpty(facts).some(fact => /^(eps|shares|dividends_per).*_ttm$/.test(fact.metric))).toBe(false)
  }
})
