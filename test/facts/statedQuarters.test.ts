import { expect, test } from 'bun:test'
import { isoDate } from '../../src/dates.ts'
import { deriveFacts } from '../../src/facts/deriveFacts.ts'
import type { FactRow } from '../../src/facts/factRow.ts'
import { registerOf } from '../../src/ingest/allRegisters.ts'
import { readSample } from '../../src/ingest/sample/loadSample.ts'

/** The quarters of a company that a filing states, and that are current as a difference of another value. */
function displaced(facts: readonly FactRow[]): string[] {
  const quarters = facts.filter(
    ({ metric, fp, start, unit }) =>
      fp >= 1 && fp <= 4 && start !== null && unit !== 'pure' && !metric.endsWith('_ytd'),
  )
  const byPeriod = Map.groupBy(quarters, ({ metric, fp, end }) => `${metric} Q${fp} ${isoDate(end)}`)
  return [...byPeriod].flatMap(([period, vintages]) => {
    const stated = vintages.findLast(({ tag }) => tag !== null)
    const current = vintages.find(({ superseded }) => superseded === null)
    if (stated === undefined || current === undefined || current.tag !== null) return []
    return current.value === stated.value
      ? []
      : [`${period}: ${stated.value} is stated, ${current.value} derived`]
  })
}

test('of all stored companies three quarters differ from a stated one, each for a restatement or a better tag', async () => {
  const found: string[] = []
  let companies = 0
  for (const { profile, reportedFacts, filings } of await readSample()) {
    if (reportedFacts.length === 0) continue
    companies++
    const { rules } = registerOf(profile.market)
    const byAccession = new Map(filings.map(filing => [filing.accession, filing]))
    const context = { rules, fiscalYearEnd: profile.fiscalYearEnd ?? null, filings: byAccession }
    found.push(
      ...displaced(deriveFacts(reportedFacts, context).facts).map(line => `${profile.issuerId} ${line}`),
    )
  }
  expect(companies).toBeGreaterThan(480)
  expect(found.sort()).toEqual([
    // Apple restated dividends of 2016 and 2017 in the years to date only: 10-K 0000320193-17-000070, 10-Q 0000320193-18-000070.
    '0000320193 dividends_paid Q2 2017-04-01: 2988000000 is stated, 3004000000 derived',
    '0000320193 dividends_paid Q4 2016-09-24: 3071000000 is stated, 3092000000 derived',
    // A note of Snowflake rounds the depreciation of equipment alone; the cash flow statements have all of it.
    '0001640147 depreciation_amortization Q3 2020-10-31: 2000000 is stated, 2849000 derived',
  ])
}, 180_000)
