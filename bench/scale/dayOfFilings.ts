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
  /** What to import, in this order. */
  readonly paths: readonly string[]
  readonly companies: readonly FilingCompany[]
  /** The names that the renamed have after it, by entity. */
  readonly names: ReadonlyMap<number, string>
  readonly accessionOf: (company: FilingCompany) => string
  /** The figures that it states, by entity: metric to value. */
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

/** Writes one day's filings of American companies of the database, in the SEC's own layout: each states net income and
 * assets of its last full year anew, and the first `renamed` of them change their names. Days that follow each other may do
 * so on one date.
 *
 * @param day a number that no day before it had */
export async function makeDayOfFilings(
  sql: Sql,
  wishes: { folder: string; today: string; most: number; renamed: number; day: number },
): Promise<DayOfFilings> {
  const { folder, today, day } = wishes
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
  const able = all.filter(({ entityId }) => figures.get(entityId)?.length === Object.keys(tags).length)
  if (able.length === 0)
    throw new Error('No American company states net income and assets: nothing to restate.')
  const step = Math.max(1, able.length / wishes.most)
  const companies = Array.from(
    { length: Math.min(able.length, wishes.most) },
    (_, i) => able[Math.floor(i * step)],
  )
  const accessionOf = ({ issuerId }: FilingCompany) =>
    `${issuerId}-${today.slice(2, 4)}-${String(day % 1_000_000).padStart(6, '0')}`
  const facts = join(folder, 'companyfacts')
  const submissions = join(folder, 'submissions')
  mkdirSync(facts, { recursive: true })
  mkdirSync(submissions, { recursive: true })
  const stated = new Map<number, ReadonlyMap<string, number>>()
  const names = new Map<number, string>()
  for (const [place, company] of companies.entries()) {
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
    if (place >= wishes.renamed) continue
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
