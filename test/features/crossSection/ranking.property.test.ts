import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import { isIsoDate } from '../../../src/dates.ts'
import { planCrossSection, readCrossSection } from '../../../src/features/crossSection/crossSection.ts'
import { rankMarket } from '../../../src/features/crossSection/ranking.ts'
import {
  CrossSection,
  type CrossSectionQuery,
  CrossSectionTable,
} from '../../../src/features/crossSection/schema.ts'
import { readCrossSectionTable } from '../../../src/features/crossSection/table.ts'
import type { Rights } from '../../../src/rights/rights.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import {
  asCapped,
  type CompanyBench,
  companyBench,
  evaluationKey,
  insertEntity,
  insertVintages,
  rightsOf,
  seenEntities,
  viewerOf,
} from '../companies/fixtures.ts'
import { removeCompanies } from '../companies/randomFilings.ts'

setDefaultTimeout(240_000)
FormatRegistry.Set('date', isIsoDate)

const metrics = ['revenue', 'assets', 'roe', 'eps'] as const
type Metric = (typeof metrics)[number]
const isMoney = (metric: Metric): boolean => metric !== 'roe'
const unitOf = (metric: Metric, currency: string) =>
  metric === 'roe' ? 'pure' : metric === 'eps' ? `${currency}/shares` : currency

interface Figure {
  readonly value: number
  readonly currency: string
}
/** A company by its figures of fiscal year 2025; what is left out it does not have. */
type Company = Partial<Record<Metric, Figure>>

const figure: fc.Arbitrary<Figure> = fc.record({
  // Few values, so that ties are common, and such as two currencies make look alike.
  value: fc.constantFrom(-5, -1, 0, 1, 2, 3, 100, 150, 1e9, 1.5e11),
  currency: fc.constantFrom('USD', 'USD', 'USD', 'CAD', 'JPY'),
})
const company: fc.Arbitrary<Company> = fc
  .record({ revenue: figure, assets: figure, roe: figure, eps: figure }, { requiredKeys: [] })
  .chain(figures =>
    fc.boolean().map(isMixed => {
      // Most companies report in one currency.
      const { currency } = Object.values(figures)[0] ?? { currency: 'USD' }
      if (isMixed) return figures
      return Object.fromEntries(Object.entries(figures).map(([name, one]) => [name, { ...one, currency }]))
    }),
  )

interface Question {
  readonly columns: readonly Metric[]
  readonly sort: { readonly metric: Metric; readonly descending: boolean } | null
  readonly currency: string | null
  readonly bound: { readonly metric: Metric; readonly min: number } | null
  readonly limit: number
  readonly isFree: boolean
}

const question: fc.Arbitrary<Question> = fc.record({
  columns: fc.uniqueArray(fc.constantFrom(...metrics), { minLength: 1, maxLength: 3 }),
  sort: fc.option(fc.record({ metric: fc.constantFrom(...metrics), descending: fc.boolean() }), { freq: 6 }),
  currency: fc.option(fc.constantFrom('USD', 'CAD', 'jpy')),
  bound: fc.option(fc.record({ metric: fc.constantFrom(...metrics), min: fc.constantFrom(-2, 0, 2) })),
  limit: fc.constantFrom(1, 2, 3, 7, 1_000),
  isFree: fc.boolean(),
})

let bench: CompanyBench
beforeAll(async () => {
  bench = await companyBench()
})
afterAll(() => bench.database.close(), 60_000)

const ids: number[] = []

async function writeMarket(companies: readonly Company[]): Promise<void> {
  const { sql } = bench
  await removeCompanies(sql)
  ids.length = 0
  for (const [place, figures] of companies.entries()) {
    const id = await insertEntity(sql, {
      market: 'US',
      issuerId: `${place}`,
      ticker: `C${place}`,
      name: null,
    })
    ids.push(id)
    for (const metric of metrics) {
      const found = figures[metric]
      if (found === undefined) continue
      const start = metric === 'assets' ? null : '2025-01-01'
      const row = [
        metric,
        0,
        2025,
        start,
        '2025-12-31',
        '2026-02-10',
        found.value,
        `filing-${place}`,
      ] as const
      await insertVintages(sql, id, [[...row]], unitOf(metric, found.currency))
    }
  }
}

interface Listed {
  readonly tickers: readonly string[]
  readonly units: readonly (string | null)[]
  readonly others: readonly { readonly currency: string; readonly companies: number }[] | undefined
  readonly total: number | undefined
}

const whoAsks = ({ isFree }: Question): Rights => rightsOf(isFree ? 'free' : 'personal')

/** All pages of the answer. */
async function ask(asked: Question): Promise<Listed> {
  const { columns, sort, currency, bound, limit } = asked
  const query: CrossSectionQuery = {
    metric: columns.join(),
    market: 'US',
    limit,
    ...(sort === null ? {} : { sort: `${sort.descending ? '-' : ''}${sort.metric}` }),
    ...(currency === null ? {} : { currency }),
  }
  const bounds = new Map(bound === null ? [] : [[`min_${bound.metric}`, bound.min]])
  const who = whoAsks(asked)
  const listed = { tickers: [] as string[], units: [] as (string | null)[] }
  let cursor: string | null = null
  for (let pages = 0; pages < 60; pages++) {
    const sent: CrossSectionQuery = cursor === null ? query : { ...query, cursor }
    const plan = planCrossSection(bench, viewerOf(who), sent, bounds)
    const read = columns.length === 1 ? readCrossSection : readCrossSectionTable
    const list: CrossSection | CrossSectionTable = await read(bench, who, plan)
    const schema = list.object === 'cross_section' ? CrossSection : CrossSectionTable
    expect([...Value.Errors(schema, list)]).toEqual([])
    expect(list.data.length).toBeLessThanOrEqual(limit)
    for (const row of list.data) {
      listed.tickers.push(row.ticker)
      listed.units.push('unit' in row && typeof row.unit === 'string' ? row.unit : null)
    }
    cursor = list.next
    if (cursor === null) return { ...listed, others: list.other_currencies, total: list.total }
  }
  throw new Error('The pages do not end.')
}

/** The expected rows, from the figures as they were generated. */
function expected(companies: readonly Company[], { columns, sort, currency, bound }: Question) {
  const code = currency?.toUpperCase() ?? 'USD'
  const compared = [...(sort === null ? [] : [sort.metric]), ...(bound === null ? [] : [bound.metric])]
  const inMoney = [...(currency === null ? [] : columns), ...compared].filter(isMoney)
  const currenciesOf = (figures: Company) => new Set(inMoney.flatMap(name => figures[name]?.currency ?? []))
  const complete = companies
    .map((figures, place) => ({ figures, place }))
    .filter(({ figures }) => columns.some(name => figures[name] !== undefined))
    .filter(({ figures }) => sort === null || figures[sort.metric] !== undefined)
    .filter(({ figures }) => bound === null || figures[bound.metric] !== undefined)
  const isWithin = (figures: Company) => bound === null || (figures[bound.metric]?.value ?? 0) >= bound.min
  const fits = complete.filter(({ figures }) => isWithin(figures))
  const isOf = (figures: Company, wanted: string) =>
    inMoney.length === 0 || [...currenciesOf(figures)].join() === wanted
  const listed = fits.filter(({ figures }) => isOf(figures, code))
  if (sort !== null) {
    const sign = sort.descending ? -1 : 1
    const figureOf = (figures: Company) => figures[sort.metric]?.value ?? 0
    listed.sort((a, b) => sign * (figureOf(a.figures) - figureOf(b.figures)) || a.place - b.place)
  }
  const others = new Map<string, number>()
  // A bound on amounts is in the currency of the request: 1e9 dollars excludes no amount in yen.
  const isBoundAnAmount = bound !== null && isMoney(bound.metric)
  const isUnbounded = (figures: Company) => isBoundAnAmount && figures[bound.metric]?.currency !== code
  for (const { figures } of complete.filter(one => isUnbounded(one.figures) || isWithin(one.figures))) {
    const found = [...currenciesOf(figures)].sort().join(' ')
    if (inMoney.length > 0 && found !== '' && found !== code) others.set(found, (others.get(found) ?? 0) + 1)
  }
  return { tickers: listed.map(({ place }) => `C${place}`), others, inMoney, code }
}

describe('companies by one of their figures', () => {
  test('are in the order of a full sort of the market, of one currency, over all pages and for every licence', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(company, { minLength: 8, maxLength: 24 }),
        fc.array(question, { minLength: 25, maxLength: 25 }),
        async (companies, questions) => {
          await writeMarket(companies)
          for (const asked of nonEmpty(questions)) {
            const { tickers, others, inMoney, code } = expected(companies, asked)
            const listed = await ask(asked)
            expect({ asked, tickers: listed.tickers }).toEqual({ asked, tickers })
            const [column = 'roe'] = asked.columns
            if (asked.columns.length === 1 && inMoney.includes(column))
              expect([...new Set(listed.units)].every(unit => unit === unitOf(column, code))).toBe(true)
            if (asked.sort === null) continue
            expect(listed.total).toBe(tickers.length)
            const counts = new Map((listed.others ?? []).map(other => [other.currency, other.companies]))
            expect(counts).toEqual(others)
            // Each of them is what the same request with that currency lists, where neither its columns nor a bound are restricted by it.
            const { bound } = asked
            if (asked.columns.length > 1 || !inMoney.includes(column)) continue
            if (bound !== null && isMoney(bound.metric)) continue
            for (const [currency, count] of counts) {
              if (currency.length !== 3) continue
              expect((await ask({ ...asked, currency })).total).toBe(count)
            }
          }
        },
      ),
      { numRuns: 5 },
    )
  })

  test('in another currency are counted whatever their amounts are: a bound in dollars does not apply to yen', async () => {
    const amount = (value: number, currency: string): Company => ({ revenue: { value, currency } })
    await writeMarket([
      amount(5e9, 'USD'),
      amount(1, 'USD'),
      amount(3, 'JPY'),
      amount(7e9, 'JPY'),
      amount(2, 'CAD'),
    ])
    const plan = planCrossSection(
      bench,
      viewerOf(rightsOf('personal')),
      { metric: 'revenue', market: 'US', sort: '-revenue' },
      new Map([['min_revenue', 1e9]]),
    )
    const { data, other_currencies } = await readCrossSection(bench, rightsOf('personal'), plan)
    expect(data.map(({ ticker }) => ticker)).toEqual(['C0'])
    expect(other_currencies).toEqual([
      { currency: 'JPY', companies: 2 },
      { currency: 'CAD', companies: 1 },
    ])
  })

  test('of a key whose companies are counted are those that it may see, without counts of others', async () => {
    const amount = (value: number, currency = 'USD'): Company => ({ revenue: { value, currency } })
    await writeMarket([amount(1), amount(9), amount(5), amount(7e9, 'JPY'), amount(3)])
    const who = await evaluationKey(bench.sql, 3)
    const read = (limit: number) =>
      asCapped(bench.sql, who, viewer => {
        const query = { metric: 'revenue', market: 'US', sort: '-revenue', limit }
        return readCrossSection(bench, who, planCrossSection(bench, viewer, query))
      })
    const first = await read(2)
    expect(first.data.map(({ ticker }) => ticker)).toEqual(['C1', 'C2'])
    expect(await seenEntities(bench.sql, who)).toEqual([ids[1] ?? 0, ids[2] ?? 0])
    expect(Object.keys(first).filter(name => /^(total|unranked|other_currencies)$/.test(name))).toEqual([])
    expect(first.next).not.toBeNull()
    // One company is left, so a page of two is about those that it has seen.
    const second = await read(2)
    expect([second.data.map(({ ticker }) => ticker), second.seen_only]).toEqual([['C1', 'C2'], true])
    expect(second.note).not.toMatch(/JPY|5 companies|3 companies of the market/)
  })

  test('are said not to be all where the market has more than one request sorts', async () => {
    await writeMarket(Array.from({ length: 9 }, (_, n) => ({ roe: { value: n, currency: 'USD' } })))
    const query = { metric: 'roe', market: 'US', sort: '-roe', limit: 3 }
    const plan = planCrossSection(bench, viewerOf(rightsOf('personal')), query)
    const sort = plan.sort ?? { metric: '', descending: false }
    const ranked = async (bound: number) =>
      rankMarket(bench.sql, { ...plan, sort }, async (_, found) => found, bound)
    expect((await ranked(9)).isWhole).toBe(true)
    const part = await ranked(8)
    expect([part.isWhole, part.total, part.rows.map(({ ticker }) => ticker)]).toEqual([
      false,
      8,
      ['C7', 'C6', 'C5'],
    ])
  })

  test('continue after the figure of the last page, also where the company of it has changed since', async () => {
    await writeMarket([1, 2, 3, 4, 5].map(value => ({ roe: { value, currency: 'USD' } })))
    const page = (cursor?: string) => {
      const query = { metric: 'roe', market: 'US', sort: '-roe', limit: 2, ...(cursor && { cursor }) }
      return readCrossSection(
        bench,
        rightsOf('personal'),
        planCrossSection(bench, viewerOf(rightsOf('personal')), query),
      )
    }
    const first = await page()
    expect(first.data.map(({ value }) => value)).toEqual([5, 4])
    await bench.sql`update fact set value = 9 where entity_id = ${ids[3] ?? 0}`
    expect((await page(first.next ?? '')).data.map(({ value }) => value)).toEqual([3, 2])
  })

  test('by a metric that is none are refused with the one that is near', () => {
    const query = { metric: 'roe', market: 'US', sort: '-revenu' }
    expect(() => planCrossSection(bench, viewerOf(rightsOf('personal')), query)).toThrow(
      'sort=-revenu names no metric. Did you mean -revenue?',
    )
  })
})
