import { readFileSync } from 'node:fs'
import { importRegister } from '../src/ingest/import/importRegister.ts'
import { usRegister } from '../src/ingest/registers/us/register.ts'
import type { Sql } from '../src/postgres/client.ts'
import { scratchDatabase } from './scratchDatabase.ts'

/* Measures other layouts of the table `fact`: `bun bench/factLayouts.ts COMPANYFACTS [copies]`. The figures of
 * real companyfacts files are copied under other numbers of companies. The reads of all layouts must agree. */

const [source = 'companyfacts', copies = '250'] = process.argv.slice(2)
const companiesRead = 200
const runs = 15

interface Layout {
  readonly name: string
  /** The columns of `fact`, as the layout stores them. */
  readonly columns: string
  readonly companyKey: string
  readonly crossSectionKey: string
  /** A day as the layout stores it, from an expression of a date. */
  readonly day: (date: string) => string
}

const asDate = (date: string) => `(${date})`
const asSmallint = (date: string) => `(${date} - date '2020-01-01')::smallint`

const columnsWith = (day: (date: string) => string, superseded: string, rounded: string) =>
  `value, entity_id, filing_id, tag_id, data_version, ${day('period_end')} as period_end, ${day('filed')} as filed,
   ${superseded} as superseded, ${day('period_start')} as period_start, metric_id, fy,
   unit_id, fp, ${rounded} as period_rounded, earlier_since, inputs, amended_version`

const roundedOrNull = 'nullif(period_rounded, false)'
const shortDays = columnsWith(
  asSmallint,
  `case when superseded = 'infinity' then 32767 else superseded - date '2020-01-01' end::smallint`,
  roundedOrNull,
)

const layouts: readonly Layout[] = [
  {
    name: 'today',
    columns: '*',
    companyKey: 'entity_id, metric_id, period_end desc, filed desc, fp, filing_id',
    crossSectionKey: 'metric_id, entity_id, period_end desc, filed desc',
    day: asDate,
  },
  {
    name: 'packed',
    columns: columnsWith(asDate, 'superseded', roundedOrNull),
    companyKey: 'entity_id, metric_id, period_end desc, filed desc',
    crossSectionKey: 'metric_id, entity_id, period_end desc, filed desc',
    day: asDate,
  },
  {
    name: 'short days',
    columns: shortDays,
    companyKey: 'entity_id, metric_id, period_end desc',
    crossSectionKey: 'metric_id, entity_id, period_end desc',
    day: asSmallint,
  },
  {
    name: 'whole metrics',
    columns: shortDays,
    companyKey: 'entity_id, metric_id',
    crossSectionKey: 'metric_id, entity_id',
    day: asSmallint,
  },
]

const tableOf = (layout: Layout) => `layout_${layouts.indexOf(layout)}`

/** Copies are stored one after the other, as an import stores companies. */
async function build(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create unlogged table copied (like fact);
    insert into copied
    select value, f.entity_id + copy * last.id, filing_id, period_end, filed, superseded, period_start,
           tag_id, metric_id, fy, unit_id, fp, period_rounded, data_version, earlier_since, inputs, amended_version
    from generate_series(0, ${Number(copies) - 1}) copy, (select max(entity_id) as id from fact) last, fact f
    order by copy, f.entity_id, f.metric_id, f.period_end desc, f.filed desc`)
  for (const layout of layouts) {
    const table = tableOf(layout)
    await sql.unsafe(`
      create unlogged table ${table} as select ${layout.columns} from copied;
      create index ${table}_company on ${table} (${layout.companyKey});
      create index ${table}_cross_section on ${table} (${layout.crossSectionKey}) where fp < 5`)
    await sql.unsafe(`vacuum analyze ${table}`)
  }
}

async function printSizes(sql: Sql): Promise<void> {
  for (const layout of layouts) {
    const table = tableOf(layout)
    const [row] = await sql<{ heap: number; company: number; cross: number }[]>`
      select pg_relation_size(${table}) / n::float8 as heap,
             pg_relation_size(${`${table}_company`}) / n::float8 as company,
             pg_relation_size(${`${table}_cross_section`}) / n::float8 as cross
      from (select count(*) as n from copied) c`
    const all = row.heap + row.company + row.cross
    const bytes = [row.heap, row.company, row.cross, all].map(value => value.toFixed(1).padStart(6))
    console.log(`${layout.name.padEnd(14)} ${bytes.join(' ')} bytes a row: table, two indexes, all`)
  }
}

/** What the routes read, reduced to a count and a sum. */
function reads(
  layout: Layout,
  asOf: string,
  metrics: readonly number[],
  company: number,
): Record<string, string> {
  const table = tableOf(layout)
  const day = layout.day(`date '${asOf}'`)
  const recent = layout.day(`(date '${asOf}' - 460)`)
  const current = `f.fp < 5 and f.filed <= ${day} and f.superseded > ${day}`
  const companies = `(select generate_series(1, ${companiesRead}) as entity_id offset 0) e`
  const latest = (of: string, order: string) =>
    `select count(*) as count, sum(l.value) as sum from ${of} cross join lateral (
       select f.value from ${table} f where ${current} ${order} limit 1) l`
  const ofMetric = `and f.metric_id = ${metrics[0]} and f.entity_id = e.entity_id`
  const newest = 'order by f.period_end desc, (f.fp = 0) desc, f.fp desc'
  return {
    'a metric, years': latest(companies, `${ofMetric} and f.fp = 0 order by f.period_end desc`),
    'a metric, any period': latest(companies, `${ofMetric} ${newest}`),
    '20 metrics': `select count(*) as count, sum(l.value) as sum from ${companies} cross join lateral (
      select f.value from ${table} f
      where ${current} and f.metric_id = any(array[${metrics.join(', ')}]::smallint[]) and f.entity_id = e.entity_id
        and f.period_end >= ${recent}) l`,
    'latest of a company': latest(
      'metric m',
      `and f.metric_id = m.metric_id and f.entity_id = ${company} ${newest}`,
    ),
    'history of a company': `select count(*) as count, sum(f.value) as sum from ${table} f
      where f.fp < 5 and f.filed <= ${day} and f.entity_id = ${company}`,
  }
}

async function printReads(sql: Sql): Promise<void> {
  const metrics = await sql<{ id: number }[]>`
    select metric_id as id from fact where fp < 5 group by 1 order by count(*) desc, 1 limit 20`
  const ids = metrics.map(({ id }) => id)
  const [{ company }] = await sql<{ company: number }[]>`
    select entity_id as company from fact group by 1 order by count(*) desc, 1 limit 1`
  const connection = await sql.reserve()
  // The plans that the routes get: the index finds the rows of each company.
  await connection`
    select set_config(name, 'off', false)
    from unnest(array['jit', 'enable_bitmapscan', 'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) name`
  const [{ pid }] = await connection<{ pid: number }[]>`select pg_backend_pid() as pid`
  const processorMs = () => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  for (const asOf of ['2018-06-30', '2026-06-30']) {
    const ofLayouts = layouts.map(layout => reads(layout, asOf, ids, company))
    for (const name of Object.keys(ofLayouts[0])) {
      const answers: string[] = []
      const times: number[][] = layouts.map(() => [])
      for (let run = 0; run < runs; run++)
        for (const [at, statements] of ofLayouts.entries()) {
          const before = processorMs()
          const [row] = await connection.unsafe<{ count: string; sum: number }[]>(statements[name])
          times[at].push(processorMs() - before)
          // Sums of other orders differ in their last digits.
          answers[at] = `${row.count} ${row.sum.toPrecision(12)}`
        }
      if (new Set(answers).size > 1) throw new Error(`${name} as of ${asOf}: ${answers.join(', ')}`)
      const medians = times.map(of =>
        of
          .sort((a, b) => a - b)
          [runs >> 1].toFixed(2)
          .padStart(7),
      )
      console.log(`${asOf} ${name.padEnd(20)} ${medians.join(' ')} ms of processor time`)
    }
  }
  connection.release()
}

await scratchDatabase(async sql => {
  await importRegister(sql, usRegister, { paths: [source], observedOn: '2026-01-01' }, () => {})
  await build(sql)
  await printSizes(sql)
  await printReads(sql)
})
