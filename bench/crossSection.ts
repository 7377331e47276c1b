import { parseArgs } from 'node:util'
import {
  type CrossSectionScope,
  crossSectionRows,
  crossSectionStatement,
} from '../src/features/crossSection/queries.ts'
import { readPage } from '../src/features/crossSection/rangeQueries.ts'
import { tableRows } from '../src/features/crossSection/tablePage.ts'
import {
  numberedMetrics,
  type TableScope,
  tableStatement,
} from '../src/features/crossSection/tableQueries.ts'
import { restatementRows } from '../src/features/restatements/queries.ts'
import type { Sql } from '../src/postgres/client.ts'
import { allYears, recentYear } from '../test/features/companies/fixtures.ts'
import type { Figure } from './figure.ts'
import { scratchDatabase } from './scratchDatabase.ts'
import { table } from './table.ts'

const allCompanies = 100_000
const fewCompanies = 5_000
const companiesPerInsert = 5_000
const columns = 20
const asOf = '2019-06-30'

/** Reads one metric of 100,000 companies (short: 5,000) as of a day, in one query and in pages, after a parity check. The
 * data has 27.8 million facts: six metrics over ten years and 14 over four, for the years and their first quarters, with
 * one vintage in five restated. The table has 20 metrics of all companies. */
export function benchCrossSection({ short = false, explain = false } = {}): Promise<Figure[]> {
  const runs = short ? 3 : 7
  const companies = short ? fewCompanies : allCompanies
  const name = (what: string) => `cross_section.${what}_${companies / 1_000}k`
  const whole = { ...scope, limit: companies }
  return scratchDatabase(async sql => {
    await generate(sql, companies)
    await proveParity(sql, whole)
    if (explain) await show(sql, whole)
    const figures: Figure[] = []
    for (const [what, change] of Object.entries(variants)) {
      const times: number[] = []
      for (let run = 0; run < runs; run++) {
        const started = performance.now()
        const { rows } = await crossSectionRows(sql, { ...whole, ...change })
        times.push(performance.now() - started)
        if (rows.length !== companies) throw new Error(`${rows.length} companies are too few`)
      }
      figures.push(figureOf(name(what), times))
    }
    const table = { ...whole, metrics: await namesOf(sql) }
    await proveTableParity(sql, table)
    if (explain) await showTable(sql, table)
    const tables: number[] = []
    for (let run = 0; run < runs; run++) {
      const started = performance.now()
      const { rows } = await tableRows(sql, table)
      tables.push(performance.now() - started)
      if (rows.length !== companies) throw new Error(`${rows.length} companies are too few`)
    }
    figures.push(figureOf(name(`table_of_${columns}`), tables))
    const pages: number[] = []
    let after: number | null = null
    do {
      const started = performance.now()
      const page = await readPage(sql, { ...whole, limit: 10_000, after })
      pages.push(performance.now() - started)
      after = page.next
    } while (after !== null)
    figures.push(figureOf('cross_section.page_10k', pages))
    const started = performance.now()
    await crossSectionRows(sql, { ...whole, limit: 1_000, recentFiscalYearOnly: recentYear })
    figures.push({ name: 'cross_section.page_1k_of_demo', value: performance.now() - started, unit: 'ms' })
    const restated = performance.now()
    const changes = await restatementRows(sql, {
      metric: 'roe',
      market: 'US',
      asOf,
      from: null,
      after: null,
      limit: 5_000,
      recentFiscalYearOnly: allYears,
      seen: null,
    })
    figures.push({ name: 'restatements.page_5k', value: performance.now() - restated, unit: 'ms' })
    if (changes.rows.length === 0) throw new Error('no restatement was found')
    return figures
  })
}

const scope: CrossSectionScope = {
  metric: 'roe',
  market: 'US',
  asOf,
  fp: 0,
  from: null,
  after: null,
  limit: allCompanies,
  recentFiscalYearOnly: allYears,
  filters: [],
  sector: null,
}
const variants = { fy: {}, latest: { fp: null }, aged: { from: '2017-12-28' } } as const

function figureOf(name: string, times: number[]): Figure {
  times.sort((a, b) => a - b)
  const spread = `${times[0].toFixed(0)} .. ${(times.at(-1) ?? 0).toFixed(0)}`
  return { name, value: times[times.length >> 1], unit: 'ms', spread }
}

async function generate(sql: Sql, companies: number): Promise<void> {
  await sql`insert into unit (name) values ('USD')`
  await sql`insert into metric (name) select name from unnest(array['assets','equity','net_income','revenue','roa','roe']) name`
  await sql`insert into metric (name) select 'metric_' || i from generate_series(7, ${columns}) i`
  await sql`
    insert into entity (market, issuer_id, ticker, name)
    select 'US', lpad(i::text, 10, '0'), 'T' || lpad(((i * 7919) % ${companies})::text, 6, '0'), 'Company ' || i
    from generate_series(1, ${companies}) i`
  // Figures are filed in February and May, and one in five is restated a year later with another value. Rows are ordered
  // by company, as after an import.
  for (let first = 1; first <= companies; first += companiesPerInsert) {
    await sql`
      insert into fact (entity_id, metric_id, fp, fy, unit_id, period_start, period_end, filed, superseded, value, filing_id)
      select e, m, q, y, 1, make_date(y, 1, 1), case q when 0 then make_date(y, 12, 31) else make_date(y, 3, 31) end,
             case q when 0 then make_date(y + 1 + v, 2, 20) else make_date(y + v, 5, 10) end,
             case when v = 0 and (e + m + y) % 5 = 0
                  then case q when 0 then make_date(y + 2, 2, 20) else make_date(y + 1, 5, 10) end
                  else 'infinity' end,
             e * 1000.0 + m * 100 + y - 2000 + q * 0.25 + v * 0.5, ((e * 10 + y - 2011) * 2 + q) * 2 + v
      from generate_series(${first}::int, ${first + companiesPerInsert - 1}::int) e, generate_series(1, ${columns}::int) m,
           generate_series(case when m <= 6 then 2011 else 2017 end, 2020) y, generate_series(0, 1) q, generate_series(0, 1) v
      where v = 0 or (e + m + y) % 5 = 0
      order by e, y, m`
  }
  await sql`vacuum analyze fact`
  await sql`vacuum analyze entity`
  await sql`analyze metric, unit, data_version`
}

/** Compares with a plain query, which sorts everything that was filed. */
async function proveParity(sql: Sql, whole: CrossSectionScope): Promise<void> {
  const truth = await sql`
    select distinct on (e.entity_id) e.entity_id as "entityId", e.ticker, e.issuer_id as "issuerId", f.fy, f.fp,
           f.period_end as "end", f.filed, f.value, 'USD' as unit, f.tag_id is null as derived, f.is_earlier as earlier
    from fact_as_of(${asOf}) f join entity e on e.entity_id = f.entity_id
    where f.metric_id = (select metric_id from metric where name = 'roe') and f.fp = 0
    order by e.entity_id, f.period_end desc, f.filed desc`
  const { rows } = await crossSectionRows(sql, whole)
  const byRanges = await readPage(sql, whole)
  for (const found of [rows, byRanges.rows])
    if (JSON.stringify(found) !== JSON.stringify([...truth]))
      throw new Error('the cross-section differs from the plain one')
}

const namesOf = async (sql: Sql) =>
  (await sql<{ name: string }[]>`select name from metric order by metric_id`).map(({ name }) => name)

/** Compares with the answers for single metrics. */
async function proveTableParity(sql: Sql, table: TableScope): Promise<void> {
  const some = { ...table, limit: 1_000 }
  const { rows } = await tableRows(sql, some)
  for (const metric of table.metrics) {
    const single = await crossSectionRows(sql, { ...some, metric })
    const cells = rows.map(({ entityId, figures }) => [entityId, figures.get(metric)?.value])
    if (JSON.stringify(cells) !== JSON.stringify(single.rows.map(row => [row.entityId, row.value])))
      throw new Error(`the column ${metric} differs from the answer for it alone`)
  }
}

async function showTable(sql: Sql, table: TableScope): Promise<void> {
  const numbers = await numberedMetrics(sql, table.metrics)
  const plan =
    await sql`explain (analyze, buffers, timing off) ${tableStatement(sql, { ...table, upTo: null }, numbers)}`
  for (const row of plan) console.log(row['QUERY PLAN'])
}

async function show(sql: Sql, whole: CrossSectionScope): Promise<void> {
  const plan = await sql`explain (analyze, buffers) ${crossSectionStatement(sql, whole)}`
  for (const row of plan) console.log(row['QUERY PLAN'])
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { short: { type: 'boolean' }, explain: { type: 'boolean' } } })
  const figures = await benchCrossSection(values)
  console.log(table(figures.map(figure => ({ ...figure, failed: false }))))
}
