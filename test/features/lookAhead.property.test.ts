import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addDays, dayNumber } from '../../src/dates.ts'
import type { CompanyDeps } from '../../src/features/companies/deps.ts'
import { readProfile } from '../../src/features/companyProfile/profile.ts'
import { planCrossSection, readCrossSection } from '../../src/features/crossSection/crossSection.ts'
import type {
  CrossSectionQuery,
  CrossSectionRow,
  CrossSectionTableRow,
} from '../../src/features/crossSection/schema.ts'
import { readCrossSectionTable } from '../../src/features/crossSection/table.ts'
import { planFilings, readFilings } from '../../src/features/filings/filings.ts'
import type { FundamentalsBatch } from '../../src/features/fundamentals/batchSchema.ts'
import { planCompanies, planCompany } from '../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../src/features/fundamentals/read.ts'
import type { FundamentalsRow, Vintage } from '../../src/features/fundamentals/schema.ts'
import { streamCompanies } from '../../src/features/fundamentals/stream.ts'
import { tableOf } from '../../src/features/fundamentals/table.ts'
import type { FundamentalsTableRow } from '../../src/features/fundamentals/tableSchema.ts'
import { planRestatements, readRestatements } from '../../src/features/restatements/restatements.ts'
import type { Restatement, RestatementsQuery } from '../../src/features/restatements/schema.ts'
import { parseAsOf } from '../../src/markets/asOf.ts'
import { type TestDatabase, testDatabase } from '../database.ts'
import { nonEmpty } from '../nonEmpty.ts'
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
import { knownOn } from './fundamentals/invariants.ts'

/* What was known on a day is what the filings up to that day alone state. So every company is imported twice: whole, in the
 * market US, and once more in the market JP with nothing but its filings up to a random day. As of that day the first has to
 * answer as the second does, which cannot know anything later. */

let database: TestDatabase
let deps: CompanyDeps
beforeAll(async () => {
  database = await testDatabase()
  deps = companyDeps(database.sql)
}, 180_000)
afterAll(() => database.close(), 60_000)

const me = rightsOf('personal')

const ofTrailing = { metric: 'revenue,net_income,net_margin,roe', fp: 'TTM' } as const

const plainTicker = <T extends { ticker: string; source: string }>(rows: readonly T[]) =>
  rows.map(({ source: _, ...row }) => ({ ...row, ticker: row.ticker.replace('.JP', '') }))

async function crossSection(query: Partial<CrossSectionQuery>): Promise<CrossSectionRow[]> {
  const rows: CrossSectionRow[] = []
  let cursor: string | undefined
  do {
    const wanted = { metric: 'roe', market: 'US', limit: 2, ...query, ...(cursor ? { cursor } : {}) }
    const page = await readCrossSection(deps, me, planCrossSection(deps, viewerOf(me), wanted))
    rows.push(...page.data)
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return rows
}

async function crossSectionTable(query: Partial<CrossSectionQuery>): Promise<CrossSectionTableRow[]> {
  const wanted = { metric: 'roe', market: 'US', ...query }
  const { data } = await readCrossSectionTable(deps, me, planCrossSection(deps, viewerOf(me), wanted))
  return data
}

async function periodsOf(ticker: string, vintage: Vintage, as_of: string): Promise<FundamentalsTableRow[]> {
  const plan = await planCompany(deps, me, { ticker, vintage, as_of, layout: 'wide' })
  return tableOf(await readCompany(deps, plan), plan.columns).data
}

async function restatements(query: Partial<RestatementsQuery>): Promise<Restatement[]> {
  const rows: Restatement[] = []
  let cursor: string | undefined
  do {
    const wanted = { metric: 'roe', market: 'US', limit: 1, ...query, ...(cursor ? { cursor } : {}) }
    const page = await readRestatements(deps, me, planRestatements(deps, viewerOf(me), wanted))
    rows.push(...page.data)
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return rows
}

/** The changes that a whole history shows: each vintage that differs from the one before it of its period. */
function changesIn(rows: readonly FundamentalsRow[]) {
  const last = new Map<string, FundamentalsRow>()
  return rows.flatMap(row => {
    const before = last.get(keyOf(row))
    last.set(keyOf(row), row)
    if (before === undefined || (before.v === row.v && before.u === row.u)) return []
    return [`${keyOf(row)} ${before.filed} ${before.v} ${row.filed} ${row.v} ${row.fy}`]
  })
}

async function history(
  ticker: string,
  vintage: Vintage,
  as_of: string,
  fp?: 'FY' | 'Q1' | 'Q4' | 'TTM',
): Promise<FundamentalsRow[]> {
  const query = { ticker, vintage, as_of, fields: 'check', ...(fp === undefined ? {} : { fp }) }
  const plan = await planCompany(deps, me, query)
  return (await readCompany(deps, plan)).data
}

async function batch(tickers: readonly string[], as_of: string): Promise<FundamentalsBatch> {
  const query = { ticker: tickers.join(','), as_of, fields: 'check' }
  const plan = await planCompanies(deps, me, query)
  return new Response((await streamCompanies(deps, me, query, plan)).body).json()
}

/** Every page of a market's filings, as a database says that knows no market. */
async function filings(market: string, as_of: string): Promise<string[]> {
  const rows: string[] = []
  let cursor: string | undefined
  do {
    const plan = await planFilings(deps, me, { market, as_of, limit: 3, ...(cursor ? { cursor } : {}) })
    const page = await readFilings(deps, plan)
    for (const { filed, form, accession, accepted_at, figures, issuer_id } of page.data)
      rows.push([filed, form, accession.replace('JP:', ''), accepted_at, figures, issuer_id].join(' '))
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return rows
}

/** What is known of a company, without what differs between the two markets. */
async function profile(id: string, as_of: string) {
  const { name, sector, currency, first_filed, last_filed, filings, metrics, today } = await readProfile(
    deps,
    id,
    parseAsOf({ as_of }),
  )
  return { shown: { name, sector, currency, first_filed, last_filed, filings, metrics }, today }
}

const keyOf = (row: FundamentalsRow) => `${row.m} ${row.end} ${row.fp}`

test('no reader shows on a day what only later filings state', async () => {
  let compared = 0
  let changed = 0
  let restated = 0
  let trailing = 0
  let ranked = 0
  let yearEnds = 0
  let listed = 0
  let named = 0
  let sure = 0
  let unsure = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(companyDrafts, { minLength: 2, maxLength: 4 }),
      fc.integer({ min: -1, max: spanDays }),
      fc.integer({ min: 0, max: spanDays }),
      fc.constantFrom('roe', 'revenue', 'assets', 'net_margin'),
      fc.constantFrom('FY', 'Q1', 'Q4', 'TTM', 'latest'),
      fc.option(fc.integer({ min: 0, max: 1_200 }), { nil: undefined }),
      async (companies, day, later, metric, fp, max_age_days) => {
        await removeCompanies(database.sql)
        const as_of = addDays(firstDay, day)
        for (const [number, drafts] of companies.entries()) {
          const statements = statementsOf(number, drafts)
          await importAs(deps.sql, 'US', number, statements)
          await importAs(
            deps.sql,
            'JP',
            number,
            statements.filter(statement => statement.filing.filed <= dayNumber(as_of)),
          )
        }

        const bounds = { metric, fp, ...(max_age_days === undefined ? {} : { max_age_days }) } as const
        const shown = await crossSection({ ...bounds, as_of })
        expect(plainTicker(shown)).toEqual(
          plainTicker(await crossSection({ ...bounds, as_of, market: 'JP' })),
        )
        if (max_age_days === undefined) {
          expect(plainTicker(shown)).toEqual(plainTicker(await crossSection({ metric, fp, market: 'JP' })))
        }
        const columns = { ...bounds, metric: 'revenue,roe,assets' }
        const table = await crossSectionTable({ ...columns, as_of })
        expect(plainTicker(table)).toEqual(
          plainTicker(await crossSectionTable({ ...columns, as_of, market: 'JP' })),
        )
        if (max_age_days === undefined) {
          expect(plainTicker(table)).toEqual(
            plainTicker(await crossSectionTable({ ...columns, market: 'JP' })),
          )
        }
        for (const row of shown) expect([row.filed <= as_of, row.ticker]).toEqual([true, row.ticker])
        compared += shown.length
        const checks = 'proved,consistent'
        const confirmed = await crossSection({ ...bounds, as_of, checks })
        expect(plainTicker(confirmed)).toEqual(
          plainTicker(await crossSection({ ...bounds, as_of, checks, market: 'JP' })),
        )
        const confirmedTable = await crossSectionTable({ ...columns, as_of, checks })
        const trailingTable = await crossSectionTable({ ...ofTrailing, as_of })
        expect(plainTicker(trailingTable)).toEqual(
          plainTicker(await crossSectionTable({ ...ofTrailing, market: 'JP' })),
        )
        ranked += trailingTable.filter(row => row.end.endsWith('-03-31')).length
        const balances = await crossSection({ metric: 'assets', fp: 'Q4', as_of })
        const ofYears = await crossSection({ metric: 'assets', fp: 'FY', as_of })
        expect(balances).toEqual(ofYears.map(row => ({ ...row, fp: 'Q4' })))
        yearEnds += balances.length

        const tickers = companies.map((_, number) => `E${number}`)
        for (const ticker of nonEmpty(tickers)) {
          const alone: Partial<Record<Vintage, FundamentalsRow[]>> = {}
          for (const vintage of ['first', 'latest', 'all'] as const) {
            const rows = await history(ticker, vintage, as_of)
            alone[vintage] = rows
            expect(rows.filter(row => row.filed > as_of)).toEqual([])
            const known =
              (await deps.sql`select 1 from entity_ticker where ticker = ${`${ticker}.JP`}`).length > 0
            const truth = known ? await history(`${ticker}.JP`, vintage, '2026-11-20') : []
            expect(plainTicker(rows)).toEqual(plainTicker(truth))
            if (vintage !== 'all') {
              const periods = await periodsOf(ticker, vintage, as_of)
              const truePeriods = known ? await periodsOf(`${ticker}.JP`, vintage, '2026-11-20') : []
              expect(plainTicker(periods)).toEqual(plainTicker(truePeriods))
            }
            const sums = await history(ticker, vintage, as_of, 'TTM')
            const trueSums = known ? await history(`${ticker}.JP`, vintage, '2026-11-20', 'TTM') : []
            expect(plainTicker(sums)).toEqual(plainTicker(trueSums))
            trailing += sums.filter(row => row.end.endsWith('-03-31')).length
            if (vintage === 'latest') {
              const own = trailingTable.find(row => row.ticker === ticker)
              for (const m of ofTrailing.metric.split(',')) {
                const last = sums.filter(row => row.m === m).at(-1)
                expect([ticker, m, own?.[m] ?? null]).toEqual([ticker, m, last?.v ?? null])
              }
            }
          }
          const { first = [], latest = [], all = [] } = alone
          // The first of each period is the first row of it in the whole history; no period is missing or twice.
          const firsts = new Map<string, FundamentalsRow>()
          for (const row of all) if (!firsts.has(keyOf(row))) firsts.set(keyOf(row), row)
          expect(new Map(first.map(row => [keyOf(row), row]))).toEqual(firsts)
          expect(first.length).toBe(firsts.size)
          expect(new Set(latest.map(keyOf)).size).toBe(latest.length)
          for (const row of latest) {
            expect(all.filter(other => keyOf(other) === keyOf(row)).at(-1)).toEqual(row)
            if (row.v !== firsts.get(keyOf(row))?.v) changed++
          }
          // Whatever is filed later, what was filed first stays.
          const afterwards = await history(ticker, 'first', addDays(as_of, later))
          expect(knownOn(afterwards, as_of)).toEqual(knownOn(first, as_of))

          const ofPeriod = fp === 'latest' ? all : await history(ticker, 'all', as_of, fp)
          const newest = ofPeriod.filter(row => row.m === metric)
          const mine = shown.find(row => row.ticker === ticker)
          if (max_age_days === undefined)
            expect(mine !== undefined).toBe(newest.some(row => row.until === null))
          if (mine !== undefined) {
            const last = newest.filter(row => row.end === mine.end && row.fp === mine.fp).at(-1)
            const isConfirmed = last?.check === 'proved' || last?.check === 'consistent'
            // The figure of the day is chosen first, so that no other takes its place.
            expect(confirmed.find(row => row.ticker === ticker)).toEqual(isConfirmed ? mine : undefined)
            if (isConfirmed) sure++
            else unsure++
            expect([mine.value, mine.filed, mine.fy, mine.unit]).toEqual([
              last?.v ?? 0,
              last?.filed ?? '',
              last?.fy ?? 0,
              last?.u ?? '',
            ])
          }
        }

        for (const ticker of nonEmpty(tickers))
          for (const m of ['revenue', 'roe', 'assets']) {
            const alone = await crossSection({ ...bounds, metric: m, as_of, checks })
            const cell = confirmedTable.find(row => row.ticker === ticker)?.[m] ?? null
            expect([ticker, m, cell]).toEqual([
              ticker,
              m,
              alone.find(row => row.ticker === ticker)?.value ?? null,
            ])
          }

        const shownChanges = await restatements({ metric, as_of })
        expect(plainTicker(shownChanges)).toEqual(plainTicker(await restatements({ metric, market: 'JP' })))
        for (const ticker of nonEmpty(tickers)) {
          const mine = shownChanges
            .filter(row => row.ticker === ticker)
            .map(
              row =>
                `${row.m} ${row.end} ${row.fp} ${row.filed_before} ${row.value_before} ${row.filed} ${row.value} ${row.fy}`,
            )
          const truth = changesIn((await history(ticker, 'all', as_of)).filter(row => row.m === metric))
          expect(mine.toSorted()).toEqual(truth.toSorted())
        }
        const fileds = await filings('US', as_of)
        expect(fileds).toEqual(await filings('JP', '2026-11-20'))
        listed += fileds.length
        for (const ticker of nonEmpty(tickers)) {
          const id = `${ticker}.JP`
          const known = (await deps.sql`select 1 from entity_ticker where ticker = ${id}`).length > 0
          if (!known) continue
          const { shown, today } = await profile(ticker, as_of)
          expect(shown).toEqual((await profile(id, '2026-11-20')).shown)
          expect(today).toBeUndefined()
          if (shown.name !== null) named++
        }

        const since = addDays(firstDay, later)
        expect(await restatements({ metric, as_of, from: since })).toEqual(
          shownChanges.filter(row => row.filed >= since),
        )
        restated += shownChanges.length

        const list = await batch(tickers, as_of)
        const singles: FundamentalsRow[] = []
        for (const ticker of tickers) singles.push(...(await history(ticker, 'all', as_of)))
        expect(list.data).toEqual(singles)
        expect(list.companies.map(({ ticker }) => ticker)).toEqual(tickers)
      },
    ),
    // 80 runs had as few as ten figures with a state, of which more are wanted below.
    { numRuns: rounds(45, 130) },
  )
  // The property has met what it is about.
  expect(compared).toBeGreaterThan(rounds(2, 20))
  expect(changed).toBeGreaterThan(rounds(2, 10))
  expect(restated).toBeGreaterThan(rounds(2, 10))
  expect(trailing).toBeGreaterThan(rounds(2, 10))
  expect(listed).toBeGreaterThan(rounds(5, 30))
  expect(named).toBeGreaterThan(rounds(2, 10))
  expect(ranked + yearEnds).toBeGreaterThan(0)
  // The rounds of CI may meet none of what is rare.
  if (!isLong) return
  expect(ranked).toBeGreaterThan(5)
  expect(yearEnds).toBeGreaterThan(5)
  expect(sure).toBeGreaterThan(10)
  expect(unsure).toBeGreaterThan(10)
}, 300_000)
