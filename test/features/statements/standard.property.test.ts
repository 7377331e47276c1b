import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { addDays, dayNumber } from '../../../src/dates.ts'
import type { StandardStatementAnswer } from '../../../src/features/statements/standardSchema.ts'
import type { ReportedFigure, StatementLine, WholeFiling } from '../../../src/wholeFilings/wholeFiling.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { type GivenFiling, importWhole } from './importWhole.ts'

setDefaultTimeout(240_000)

/*
 * Companies whose annual reports show two years, change tags, restate, amend, and sometimes state a gross profit that is
 * not revenue minus cost. The reference is a plain list of what each report states. It knows nothing of structures:
 * which line is which is decided when a report is made.
 */

interface YearOfReport {
  readonly year: number
  readonly revenue: number
  readonly cost: number
  readonly expenses: number
  /** What the stated gross profit is too high by. */
  readonly error: number
}

interface Report {
  readonly given: GivenFiling
  readonly end: string
  readonly hasSums: boolean
  readonly years: readonly YearOfReport[]
}

interface Shape {
  readonly first: number
  readonly reports: readonly {
    readonly delay: number
    readonly ownTags: boolean
    readonly sums: boolean
    readonly restates: boolean
    readonly amends: boolean
    readonly errors: readonly [number, number]
  }[]
}

const shapes: fc.Arbitrary<Shape> = fc.record({
  first: fc.integer({ min: 2010, max: 2015 }),
  reports: fc.array(
    fc.record({
      delay: fc.integer({ min: 20, max: 300 }),
      ownTags: fc.boolean(),
      sums: fc.boolean(),
      restates: fc.boolean(),
      amends: fc.boolean(),
      errors: fc.tuple(fc.constantFrom(0, 0, 0, 5_000), fc.constantFrom(0, 0, 0, 7_000)),
    }),
    { minLength: 1, maxLength: 3 },
  ),
})

const companies = 25

function reportsOf(company: number, { first, reports }: Shape): Report[] {
  let restatements = 0
  return reports.flatMap((shape, index) => {
    const year = first + index
    if (shape.restates) restatements++
    const years = [year, year - 1].map((of, column): YearOfReport => {
      const base = (company * 97 + (of - 2000) * 13 + restatements * 5) * 1_000
      const error = shape.errors[column]
      return {
        year: of,
        revenue: base + 9_000_000,
        cost: base / 2 + 4_000_500,
        expenses: 1_234_000 + of * 1_000,
        error,
      }
    })
    const number = (part: number) =>
      `${String(company).padStart(10, '0')}-${String(year % 100).padStart(2, '0')}-${String(part).padStart(6, '0')}`
    const end = `${year}-12-31`
    const made = (part: number, form: string, filed: string): Report => ({
      given: {
        issuerId: String(900_000 + company).padStart(10, '0'),
        ticker: `STD${company}`,
        form,
        filed,
        periodEnd: end,
        source: 'documents',
        whole: wholeFiling(number(part), years, shape),
      },
      end,
      hasSums: shape.sums,
      years,
    })
    const filed = addDays(end, shape.delay)
    return [made(1, '10-K', filed), ...(shape.amends ? [made(2, '10-K/A', addDays(filed, 40))] : [])]
  })
}

function wholeFiling(
  accession: string,
  years: readonly YearOfReport[],
  { ownTags, sums }: { readonly ownTags: boolean; readonly sums: boolean },
): WholeFiling {
  const tags = {
    revenue: ownTags ? 'std:NetSalesOfTheGroup' : 'us-gaap:Revenues',
    cost: 'us-gaap:CostOfRevenue',
    gross: 'us-gaap:GrossProfit',
    expenses: 'us-gaap:SellingGeneralAndAdministrativeExpense',
    operating: 'us-gaap:OperatingIncomeLoss',
    net: 'us-gaap:NetIncomeLoss',
  }
  const labels: Record<keyof typeof tags, string> = {
    revenue: 'Net sales',
    cost: 'Cost of sales',
    gross: 'Gross profit',
    expenses: 'Selling, general and administrative expenses',
    operating: 'Operating income',
    net: 'Net income',
  }
  const figures = years.flatMap(({ year, revenue, cost, expenses, error }): ReportedFigure[] => {
    const context = {
      start: dayNumber(`${year}-01-01`),
      end: dayNumber(`${year}-12-31`),
      quarters: null,
      dimensions: [],
    }
    const gross = revenue - cost + error
    const values = { revenue, cost, gross, expenses, operating: gross - expenses, net: 77_000 + year }
    return (Object.keys(tags) as (keyof typeof tags)[]).map(name => ({
      concept: tags[name],
      context,
      unit: 'USD',
      decimals: 0,
      value: String(values[name]),
    }))
  })
  const role = 'http://std/income'
  const lines = (Object.keys(tags) as (keyof typeof tags)[]).map(
    (name, order): StatementLine => ({
      order,
      concept: tags[name],
      depth: 1,
      label: labels[name],
      labelRole: null,
      negated: false,
    }),
  )
  return {
    accession,
    taxonomies: new Map(),
    figures,
    statements: [
      { role, title: '2 - Statement - STATEMENTS OF OPERATIONS', kind: null, parenthetical: false, lines },
    ],
    sums: sums
      ? [
          {
            role,
            total: tags.gross,
            items: [
              { concept: tags.revenue, weight: 1 },
              { concept: tags.cost, weight: -1 },
            ],
          },
          {
            role,
            total: tags.operating,
            items: [
              { concept: tags.gross, weight: 1 },
              { concept: tags.expenses, weight: -1 },
            ],
          },
        ]
      : [],
    defaultMembers: new Map(),
  }
}

type Cells = Record<string, string[]>

/** What the reports that were filed by a day say, year by year. */
function reference(
  reports: readonly Report[],
  day: string,
): { readonly year: number; readonly accession: string; readonly cells: Cells }[] {
  const known = reports.filter(({ given }) => given.filed <= day)
  const byFiling = [...known].sort(
    (a, b) =>
      b.given.filed.localeCompare(a.given.filed) ||
      b.given.whole.accession.localeCompare(a.given.whole.accession),
  )
  const latestEnd = known
    .map(({ end }) => end)
    .sort()
    .at(-1)
  const latest = byFiling.find(({ end }) => end === latestEnd)
  if (latest === undefined) return []
  const columns = new Map<number, Report>()
  for (const report of [latest, ...byFiling])
    for (const { year } of report.years) if (!columns.has(year)) columns.set(year, report)
  return [...columns]
    .sort(([a], [b]) => b - a)
    .map(([year, report]) => {
      const of = nonEmpty(report.years.filter(each => each.year === year))[0]
      return { year, accession: report.given.whole.accession, cells: cellsOf(of, report.hasSums) }
    })
}

function cellsOf({ year, revenue, cost, expenses, error }: YearOfReport, hasSums: boolean): Cells {
  const gross = revenue - cost + error
  const holds = hasSums ? 'proved' : 'consistent'
  const first = error === 0 ? holds : 'contradicted'
  return {
    revenue: [String(revenue), first],
    cost_of_revenue: [String(cost), first],
    gross_profit: [String(gross), first],
    selling_general_administrative: [String(expenses), holds],
    operating_income: [String(gross - expenses), holds],
    net_income: [String(77_000 + year), 'unchecked'],
  }
}

let database: TestDatabase
let server: TestServer
let key: string
const made: Report[][] = fc
  .sample(shapes, { numRuns: companies, seed: 25 })
  .map((shape, company) => reportsOf(company + 1, shape))

beforeAll(async () => {
  database = await testDatabase()
  await importWhole(
    database.sql,
    made.flat().map(({ given }) => given),
  )
  server = await testServer(database.sql)
  key = await sellKey(database.sql, { licence: 'personal' })
})
afterAll(async () => {
  await server.stop()
  await database.close()
})

async function read(path: string) {
  const response = await fetch(`${server.url}/api/v1/${path}`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  return { status: response.status, text: await response.text() }
}

test('values and states of any day are those that a plain reader finds in the reports filed by then', async () => {
  let cells = 0
  const states = new Set<string>()
  const days = fc.record({
    company: fc.integer({ min: 0, max: companies - 1 }),
    offset: fc.integer({ min: -30, max: 1_500 }),
  })
  await fc.assert(
    fc.asyncProperty(days, async ({ company, offset }) => {
      const reports = made[company]
      const day = addDays(reports[0].given.filed, offset)
      const { status, text } = await read(
        `statements?ticker=STD${company + 1}&statement=income&view=standard&as_of=${day}`,
      )
      expect([day, status]).toEqual([day, 200])
      const answer: StandardStatementAnswer = JSON.parse(text)
      const expected = reference(reports, day)
      expect(answer.columns.map(({ period, accession }) => [period.end.slice(0, 4), accession])).toEqual(
        expected.map(({ year, accession }) => [String(year), accession]),
      )
      const found = answer.columns.map((_, at) =>
        Object.fromEntries(
          answer.data.flatMap(({ name, cells: ofLine }) => {
            const cell = ofLine[at]
            return cell === null ? [] : [[name, [cell.value, cell.state]]]
          }),
        ),
      )
      expect(found).toEqual(expected.map(each => ({ ...each.cells })))
      expect(answer.missing).toEqual([])
      for (const { cells: ofColumn } of expected)
        for (const [, state] of Object.values(ofColumn)) {
          cells++
          states.add(state)
        }
    }),
    { numRuns: 120, seed: 7 },
  )
  expect(cells).toBeGreaterThan(500)
  expect([...states].sort()).toEqual(['consistent', 'contradicted', 'proved', 'unchecked'])
})

test('no filing of a later day appears anywhere in an answer', async () => {
  const later = nonEmpty(made.filter(reports => reports.length > 1))
  for (const [at, reports] of later.entries()) {
    const { given } = reports[reports.length - 1]
    const { text } = await read(
      `statements?ticker=${given.ticker}&statement=income&view=standard&as_of=${addDays(given.filed, -1)}`,
    )
    expect([at, text.includes(given.whole.accession)]).toEqual([at, false])
  }
})
