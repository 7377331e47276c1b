import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../../src/postgres/client.ts'

export interface FilingCompany {
  readonly entityId: number
  readonly ticker: string
  readonly issuerId: string
  readonly name: string
}

export interface DayOfFilings {
  /** Paths to import, in this order. */
  readonly paths: readonly string[]
  readonly companies: readonly FilingCompany[]
  /** New names of the renamed companies, by entity. */
  readonly names: ReadonlyMap<number, string>
  readonly accessionOf: (company: FilingCompany) => string
  /** The stated figures by entity: metric to value. */
  readonly stated: ReadonlyMap<number, ReadonlyMap<string, number>>
}

const tags: Readonly<Record<string, string>> = { net_income: 'NetIncomeLoss', assets: 'Assets' }
const dayInName = / \(day \d+\)$/

interface Restated {
  readonly entityId: number
  readonly metric: string
  readonly start: string | null
  readonly end: string
  readonly fy: number
  readonly value: number
}

/** Writes filings of one day for American companies of the database, in the format of the SEC. Each restates net income and
 * assets of its last full year, and the first `renamed` companies change their names. Several such days may have the same
 * date.
 *
 * @param options.day a number greater than that of all earlier days */
export async function writeDayOfFilings(
  sql: Sql,
  options: { folder: string; today: string; maxCompanies: number; renamed: number; day: number },
): Promise<DayOfFilings> {
  const { folder, today, day } = options
  const all = await sql<FilingCompany[]>`
    select entity_id as "entityId", ticker, issuer_id as "issuerId", coalesce(name, ticker) as name
    from entity where market = 'US' order by entity_id`
  const restated = await sql<Restated[]>`
    select distinct on (f.entity_id, m.name) f.entity_id as "entityId", m.name as metric, f.period_start as start,
           f.period_end as "end", f.fy, f.value
    from fact f join metric m using (metric_id)
    where f.entity_id = any(${all.map(({ entityId }) => entityId)}) and m.name = any(${Object.keys(tags)})
      and f.fp = 0 and f.filed <= ${today} and f.superseded = 'infinity' and f.tag_id is not null
    order by f.entity_id, m.name, f.period_end desc`
  const figures = Map.groupBy(restated, ({ entityId }) => entityId)
  const eligible = all.filter(({ entityId }) => figures.get(entityId)?.length === Object.keys(tags).length)
  if (eligible.length === 0)
    throw new Error('No American company states net income and assets, so there is nothing to restate.')
  const step = Math.max(1, eligible.length / options.maxCompanies)
  const companies = Array.from(
    { length: Math.min(eligible.length, options.maxCompanies) },
    (_, i) => eligible[Math.floor(i * step)],
  )
  const accessionOf = ({ issuerId }: FilingCompany) =>
    `${issuerId}-${today.slice(2, 4)}-${String(day % 1_000_000).padStart(6, '0')}`
  const facts = join(folder, 'companyfacts')
  const submissions = join(folder, 'submissions')
  mkdirSync(facts, { recursive: true })
  mkdirSync(submissions, { recursive: true })
  const stated = new Map<number, ReadonlyMap<string, number>>()
  const names = new Map<number, string>()
  for (const [index, company] of companies.entries()) {
    const { entityId, issuerId, ticker } = company
    const own = figures.get(entityId) ?? []
    const values = new Map(own.map(({ metric, value }) => [metric, value + 1_000_003]))
    stated.set(entityId, values)
    const filing = { accn: accessionOf(company), form: '10-K/A', fp: 'FY', filed: today }
    const gaap = own.map(({ metric, start, end, fy }) => {
      const figure = { ...(start === null ? {} : { start }), end, val: values.get(metric), fy, ...filing }
      return [tags[metric], { label: metric, description: null, units: { USD: [figure] } }]
    })
    const document = {
      cik: issuerId,
      entityName: company.name,
      facts: { 'us-gaap': Object.fromEntries(gaap) },
    }
    await Bun.write(join(facts, `CIK${issuerId}.json`), JSON.stringify(document))
    if (index >= options.renamed) continue
    const name = `${company.name.replace(dayInName, '')} (day ${day})`
    names.set(entityId, name)
    const recent = { accessionNumber: [], form: [], filingDate: [], acceptanceDateTime: [] }
    await Bun.write(
      join(submissions, `CIK${issuerId}.json`),
      JSON.stringify({ cik: issuerId, name, tickers: [ticker], fiscalYearEnd: '1231', filings: { recent } }),
    )
  }
  return { paths: [facts, submissions], companies, names, accessionOf, stated }
}
