import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import { importFacts } from '../../../src/ingest/import/importFacts.ts'
import { nzRegister } from '../../../src/ingest/registers/nz/register.ts'
import { readReturns } from '../../../src/ingest/registers/nz/returns.ts'
import { deadline } from '../../../src/ingest/registers/tw/deadlines.ts'
import { twRegister } from '../../../src/ingest/registers/tw/register.ts'
import { readTable } from '../../../src/ingest/registers/tw/tables.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { rounds } from '../../rounds.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
}, 180_000)
afterAll(() => db.close(), 60_000)

/** What a register showed of a company on one day: a return of a year, or the quarter. */
interface Shown {
  /** In New Zealand a return with a higher number replaces another. */
  readonly number: number
  readonly year: number
  readonly assets?: number
  readonly revenue?: number
}

interface Snapshot {
  readonly day: number
  readonly shown: readonly Shown[]
}

/** Days around the deadlines of the years 2022 and 2023, so that observations fall on both sides of them. */
const firstDay = dayNumber('2022-10-01')
const days = 900

const shown = fc.record(
  {
    number: fc.integer({ min: 1, max: 3 }),
    year: fc.constantFrom(2022, 2023),
    assets: fc.integer({ min: 1, max: 3 }),
    revenue: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ['number', 'year'] },
)

/** Few days, so that many snapshots lie between others; no two of one day, whose order would be unknown. */
const snapshots = fc.uniqueArray(
  fc.record({
    day: fc.integer({ min: 0, max: days }).map(more => firstDay + more),
    shown: fc.uniqueArray(shown, { selector: ({ year }) => year, minLength: 1, maxLength: 2 }),
  }),
  { selector: ({ day }) => day, minLength: 2, maxLength: 8 },
)

const history = fc
  .tuple(snapshots, fc.array(fc.tuple(fc.nat(), fc.nat(1_000)), { maxLength: 4 }))
  .map(([all, again]) => ({ all, again: again.map(([at]) => all[at % all.length]) }))
  .chain(({ all, again }) => {
    const shuffled = [...all, ...again]
    return fc.record({
      all: fc.constant(all),
      shuffled: fc.shuffledSubarray(shuffled, { minLength: shuffled.length, maxLength: shuffled.length }),
      // Snapshots that are imported together are one batch.
      cut: fc.nat(shuffled.length),
    })
  })

interface Market {
  readonly name: string
  readonly replaces: boolean
  readonly deadline: (year: number) => number
  readonly document: (company: string, snapshot: Snapshot) => ReturnType<typeof readReturns>
  readonly rules: typeof nzRegister.rules
  readonly revenue: string
}

const markets: readonly Market[] = [
  {
    name: 'NZ',
    replaces: true,
    rules: nzRegister.rules,
    revenue: 'revenue',
    // The first working day from 31 December on: a Saturday in 2022, a Sunday in 2023.
    deadline: year => dayNumber(year === 2022 ? '2023-01-04' : '2024-01-03'),
    document: (company, { shown }) =>
      readReturns({
        d: shown.map(({ number, year, assets, revenue }) => ({
          CharityRegistrationNumber: company,
          AnnualReturnId: `${company.slice(2)}${year - 2022}${number}`,
          YearEnded: `${year}-06-30T00:00:00Z`,
          TotalAssets: assets,
          TotalGrossIncome: revenue,
        })),
      }),
  },
  {
    // The year's report; its two tables are read apart.
    name: 'TW',
    replaces: false,
    rules: twRegister.rules,
    revenue: 'revenue',
    deadline: year => deadline({ code: '1101', year, quarter: 4 }, 'general'),
    document: (company, { day, shown }) => {
      const [year, month, date] = isoDate(day).split('-')
      const made = `${Number(year) - 1911}${month}${date}`
      const rows = shown.flatMap(({ year, assets, revenue }) => {
        const head = { 出表日期: made, 年度: `${year - 1911}`, 季別: '4', 公司代號: company }
        return [
          { ...head, 營業收入: thousands(revenue), '基本每股盈餘（元）': '' },
          { ...head, 資產總額: thousands(assets), 每股參考淨值: '' },
        ]
      })
      return readTable(rows, 't187ap06_L_ci.json')
    },
  },
]
const thousands = (value: number | undefined) => (value === undefined ? '' : `${value / 1_000}`)

/** What is known of a year's figure on a day, computed from what the register showed, day by day. It shares nothing with the
 * service but the rule. */
function knownOn(
  asOf: number,
  market: Market,
  all: readonly Snapshot[],
  year: number,
  figure: 'assets' | 'revenue',
) {
  let known: number | null = null
  // Taiwan's two tables are filings of their own.
  let current: number | null = null
  for (const snapshot of all.toSorted((a, b) => a.day - b.day)) {
    const row = snapshot.shown.find(one => one.year === year)
    if (row === undefined || (!market.replaces && row[figure] === undefined)) continue
    // A return without any figure states nothing at all.
    if (row.assets === undefined && row.revenue === undefined) continue
    const number = market.replaces ? row.number : 1
    if (current !== null && number < current) continue
    const from = current === null ? market.deadline(year) : Math.max(market.deadline(year), snapshot.day)
    current = number
    if (row[figure] !== undefined && from <= asOf) known = row[figure]
  }
  return known
}

let companies = 0

async function importAll(market: Market, batches: readonly (readonly Snapshot[])[]): Promise<string> {
  const number = String(10_000 + companies++)
  const company = market.name === 'NZ' ? `CC${number}` : number
  for (const batch of batches) {
    const units = batch.map(snapshot => {
      const parsed = market
        .document(company, snapshot)
        .parsed.map(one => ({ ...one, observedOn: snapshot.day }))
      return { parsed }
    })
    const { rules, replaces } = market
    await importFacts(db.sql, units, { source: 'test', rules, observedOn: 0, replaces })
  }
  return company
}

/** All rows of a company that are served, and its filings. */
async function allOf(market: Market, company: string) {
  const number = company.replace(/^CC/, '')
  const facts = await db.sql<{ row: string }[]>`
    select concat_ws('|', m.name, f.fp, f.fy, u.name, t.name, f.period_start, f.period_end, f.filed, f.superseded,
                     f.value, replace(l.accession, ${number}, ''), l.filed) as row
    from fact f join entity e using (entity_id) join metric m using (metric_id) join unit u using (unit_id)
    left join tag t using (tag_id) join filing l on l.filing_id = f.filing_id
    where e.market = ${market.name} and e.issuer_id = ${company} order by 1`
  const filings = await db.sql<{ row: string }[]>`
    select concat_ws('|', replace(accession, ${number}, ''), form, filed) as row
    from filing join entity using (entity_id)
    where market = ${market.name} and issuer_id = ${company} order by 1`
  return { facts: facts.map(({ row }) => row), filings: filings.map(({ row }) => row) }
}

/** What is current of each year on each of some days. */
async function currentOn(market: Market, company: string, asOf: readonly number[]) {
  const rows = await db.sql<{ day: number; metric: string; fy: number; value: number; others: number }[]>`
    select d.day, m.name as metric, extract(year from f.period_end)::int as fy, max(f.value) as value, count(*)::int as others
    from unnest(${[...asOf]}::int[]) d (day), fact_as_of(date '1970-01-01' + d.day) f
    join entity e using (entity_id) join metric m using (metric_id)
    where e.market = ${market.name} and e.issuer_id = ${company} and f.current
      and m.name in ('assets', ${market.revenue})
    group by 1, 2, 3`
  return new Map(
    rows.map(({ day, metric, fy, value, others }) => {
      expect(others).toBe(1)
      return [`${day} ${metric} ${fy}`, value]
    }),
  )
}

for (const market of markets) {
  test(`${market.name}: observations in any order, with repetitions, give on every day what they give in the order of their days`, async () => {
    let edits = 0
    const property = fc.asyncProperty(history, async ({ all, shuffled, cut }) => {
      const inOrder = await importAll(
        market,
        all.toSorted((a, b) => a.day - b.day).map(snapshot => [snapshot]),
      )
      const together = shuffled.slice(0, cut)
      const apart = shuffled.slice(cut).map(snapshot => [snapshot])
      const inAnyOrder = await importAll(market, [together, ...apart])
      const facts = await allOf(market, inOrder)
      expect(await allOf(market, inAnyOrder)).toEqual(facts)
      if (facts.filings.some(row => row.includes('@'))) edits++
      // Every day on which something can change, the eve of each, and days on which nothing does.
      const turns = [...all.map(({ day }) => day), ...[2022, 2023].map(market.deadline)]
      const asOf = [...new Set([firstDay, firstDay + days, ...turns.flatMap(day => [day - 1, day, day + 1])])]
      const served = await currentOn(market, inAnyOrder, asOf)
      for (const day of asOf) {
        for (const year of [2022, 2023]) {
          for (const figure of ['assets', 'revenue'] as const) {
            const value = served.get(`${day} ${figure} ${year}`) ?? null
            expect(value).toBe(knownOn(day, market, all, year, figure))
            // Never a look-ahead: if the register was observed by that day, nothing that was observed later counts.
            const until = all.filter(snapshot => snapshot.day <= day)
            const wasShown = until.some(({ shown }) =>
              shown.some(
                one => one.year === year && (market.replaces ? hasFigure(one) : one[figure] !== undefined),
              ),
            )
            if (wasShown) expect(value).toBe(knownOn(day, market, until, year, figure))
          }
        }
      }
    })
    await fc.assert(property, { numRuns: rounds(20, 60) })
    expect(edits).toBeGreaterThan(rounds(1, 20))
  }, 300_000)
}

const hasFigure = ({ assets, revenue }: Shown) => assets !== undefined || revenue !== undefined
