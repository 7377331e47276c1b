import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addDays, dayNumber } from '../../src/dates.ts'
import type { Filing, ReportedFact } from '../../src/facts/reportedFact.ts'
import type { CompanyDeps } from '../../src/features/companies/deps.ts'
import { readProfile } from '../../src/features/companyProfile/profile.ts'
import { planCrossSection, readCrossSection } from '../../src/features/crossSection/crossSection.ts'
import { readCrossSectionTable } from '../../src/features/crossSection/table.ts'
import { planFilings, readFilings } from '../../src/features/filings/filings.ts'
import { planCompany } from '../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../src/features/fundamentals/read.ts'
import { planRestatements, readRestatements } from '../../src/features/restatements/restatements.ts'
import { isInstant, lastEndedDay } from '../../src/instants.ts'
import { parseAsOf } from '../../src/markets/asOf.ts'
import { type TestDatabase, testDatabase } from '../database.ts'
import { isLong, rounds } from '../rounds.ts'
import { companyDeps, rightsOf, viewerOf } from './companies/fixtures.ts'
import {
  companyDrafts,
  firstDay,
  importAs,
  removeCompanies,
  spanDays,
  statementsOf,
} from './companies/randomFilings.ts'

/* An answer as of an instant may depend only on the filings that were public by then. So every company is imported
 * twice: with all filings, and with only those. As of the instant, the first database must answer like the second
 * one does long afterwards, because the second has nothing that could leak. */

let database: TestDatabase
let deps: CompanyDeps
beforeAll(async () => {
  database = await testDatabase()
  deps = companyDeps(database.sql)
}, 180_000)
afterAll(() => database.close(), 60_000)

const me = rightsOf('personal')
const long = '2026-11-20'
const hourMs = 3_600_000

/** Hours after midnight UTC of the filing's day. New York is five hours behind UTC in February: -2 is 19:00 of the
 * day before, like a report that was accepted after 17:30; 13 is before the open, 26 is 21:00, and 30 and 100 are
 * after the day. -200 contradicts the day. */
const hours = fc.constantFrom(null, -2, 13, 13, 15.5, 21, 26, 30, 100, -200)

const withHours = (facts: readonly ReportedFact[], chosen: readonly (number | null)[]): ReportedFact[] => {
  const filings = new Map<Filing, Filing>()
  return facts.map(fact => {
    const known = filings.get(fact.filing)
    if (known !== undefined) return { ...fact, filing: known }
    const hour = chosen[filings.size % chosen.length]
    const acceptedAt = hour === null ? null : (fact.filing.filed * 24 + hour) * hourMs
    const filing = { ...fact.filing, acceptedAt }
    filings.set(fact.filing, filing)
    return { ...fact, filing }
  })
}

/** An independent implementation of the rule: in February, New York's days end at 05:00 UTC of the next day. */
function publicFrom({ filed, acceptedAt }: Filing): number {
  const isBelieved = acceptedAt !== null && acceptedAt >= (filed - 5) * 24 * hourMs
  return isBelieved ? acceptedAt : (filed * 24 + 29) * hourMs
}

const alike = <T extends object>(rows: readonly T[]) =>
  rows.map(row =>
    JSON.stringify({ ...row, ticker: null, issuer_id: null, known_by: undefined }).replace(
      / were known on [-+T:.0-9]+:/,
      '',
    ),
  )

async function readers(number: number, as_of: string, only: string) {
  const ticker = `E${number}`
  const known = (await deps.sql`select 1 from entity_ticker where ticker = ${ticker}`).length > 0
  if (!known) return null
  const rows: Record<string, unknown> = {}
  const reading = { sql: deps.sql, markets: deps.markets, terms: deps.terms }
  for (const query of [
    {},
    { vintage: 'first' },
    { vintage: 'latest' },
    { view: 'latest' },
    { fp: 'TTM' },
    { fp: 'TTM', view: 'latest' },
  ] as const) {
    const plan = await planCompany(deps, me, { ticker, as_of, ...query })
    rows[JSON.stringify(query)] = alike((await readCompany(reading, plan)).data)
  }
  const viewer = viewerOf(me)
  for (const fp of ['FY', 'Q1', 'TTM', 'latest'] as const) {
    const one = planCrossSection(deps, viewer, { metric: 'revenue', market: 'US', fp, as_of })
    rows[`one ${fp}`] = alike((await readCrossSection(deps, me, one)).data.filter(row => row.ticker === only))
    const several = planCrossSection(deps, viewer, { metric: 'revenue,roe,assets', market: 'US', fp, as_of })
    const table = await readCrossSectionTable(deps, me, several)
    rows[`table ${fp}`] = alike(table.data.filter(row => row.ticker === only))
  }
  const changes = planRestatements(deps, viewer, { metric: 'revenue', market: 'US', as_of })
  rows.restatements = alike(
    (await readRestatements(deps, me, changes)).data.filter(row => row.ticker === only),
  )
  const filings = await readFilings(deps, await planFilings(deps, me, { ticker, as_of, limit: 100 }))
  rows.filings = filings.data.map(row => [row.filed, row.form, row.accepted_at, row.figures].join(' ')).sort()
  const {
    as_of: plannedAt,
    id: __,
    ticker: ___,
    issuer_id: ____,
    today: _____,
    ...profile
  } = await readProfile(deps, ticker, parseAsOf({ as_of }))
  // A state follows from the days without a report, which go on after the instant.
  const day = isInstant(plannedAt) ? lastEndedDay(plannedAt) : plannedAt
  const { state } = await readProfile(deps, ticker, parseAsOf({ as_of: day }))
  expect(profile.state).toEqual(state)
  const timeline = profile.timeline.map(spell => ({ ...spell, accession: spell.accession?.slice(1) }))
  rows.profile = { ...profile, state: null, timeline, data_version: 0 }
  return rows
}

test('at an instant every reader shows exactly what the filings that were public by then state', async () => {
  let met = 0
  let between = 0
  await fc.assert(
    fc.asyncProperty(
      companyDrafts,
      fc.array(hours, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: -1, max: (spanDays + 6) * 48 }),
      fc.array(fc.tuple(fc.nat(20), fc.constantFrom(-1, 0, 1)), { minLength: 2, maxLength: 2 }),
      async (drafts, chosen, halfHours, picks) => {
        const facts = withHours(statementsOf(0, drafts), chosen)
        const times = [...new Set(facts.map(({ filing }) => publicFrom(filing)))]
        const start = dayNumber(firstDay) * 24 * hourMs
        const instants = [start + (halfHours * hourMs) / 2]
        if (times.length > 0)
          for (const [pick, near] of picks) instants.push(times[pick % times.length] + near * 1_000)
        for (const at of instants) {
          await removeCompanies(database.sql)
          await importAs(deps.sql, 'US', 0, facts)
          const visible = facts.filter(({ filing }) => publicFrom(filing) <= at)
          const own = visible.map(fact => ({
            ...fact,
            filing: { ...fact.filing, accession: fact.filing.accession.replace(/^0/, '1') },
          }))
          const shared = new Map(own.map(({ filing }) => [filing.accession, filing]))
          await importAs(
            deps.sql,
            'US',
            1,
            own.map(fact => ({ ...fact, filing: shared.get(fact.filing.accession) ?? fact.filing })),
          )
          const as_of = new Date(at).toISOString()
          const shown = await readers(0, as_of, 'E0')
          const truth = await readers(1, long, 'E1')
          if (shown === null) continue
          if (truth === null) {
            expect(
              Object.values(shown)
                .flat()
                .filter(row => typeof row === 'string'),
            ).toEqual([])
            continue
          }
          const { profile, ...rows } = shown
          const { profile: trueProfile, ...trueRows } = truth
          expect(rows).toEqual(trueRows)
          expect({ ...Object(profile), as_of: long }).toEqual({ ...Object(trueProfile), as_of: long })
          met++
          between += (
            await deps.sql`
            select 1 from known_moment where known_at <= ${as_of} and until_at > ${as_of} and interim is not null`
          ).length
        }
      },
    ),
    { numRuns: rounds(27, 80), endOnFailure: true },
  )
  expect(met).toBeGreaterThan(rounds(12, 60))
  // The rounds of CI may meet none of what is rare.
  if (isLong) expect(between).toBeGreaterThan(4)
}, 300_000)

test('an answer as of a day does not depend on acceptance times', async () => {
  let shownRows = 0
  await fc.assert(
    fc.asyncProperty(
      companyDrafts,
      fc.array(hours, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: -1, max: spanDays }),
      async (drafts, chosen, day) => {
        await removeCompanies(database.sql)
        const facts = withHours(statementsOf(0, drafts), chosen)
        await importAs(deps.sql, 'US', 0, facts)
        const as_of = addDays(firstDay, day)
        const before = await readers(0, as_of, 'E0')
        await database.sql`delete from known_moment`
        await database.sql`delete from fact_interim`
        expect(await readers(0, as_of, 'E0')).toEqual(before)
        shownRows += Object.values(before ?? {}).flat().length
      },
    ),
    { numRuns: rounds(8, 20), endOnFailure: true },
  )
  expect(shownRows).toBeGreaterThan(rounds(20, 100))
}, 120_000)
