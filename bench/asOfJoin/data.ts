import { isoDate } from '../../src/dates.ts'
import type { Sql } from '../../src/postgres/client.ts'

export const metrics = ['assets', 'net_income', 'net_margin', 'revenue', 'roe'] as const
export const companies = 5_000

/** Inserts fourteen years of five metrics. A quarter of the years are amended after the next year has been reported. A join
 * that looked only at filing days would show the amended year instead of that next year. */
export async function insertVintages(sql: Sql): Promise<void> {
  await sql`insert into unit (name) values ('USD')`
  await sql`insert into metric (name) select unnest(${[...metrics]}::text[])`
  await sql`
    insert into entity (market, issuer_id, ticker, name)
    select 'US', lpad(i::text, 10, '0'), 'T' || i, 'Company ' || i from generate_series(1, ${companies}::int) i`
  await sql`insert into entity_ticker (ticker, entity_id) select ticker, entity_id from entity`
  await sql`
    insert into fact (entity_id, metric_id, fp, fy, unit_id, period_start, period_end, filed, superseded, value, filing_id)
    select e.entity_id, m.metric_id, 0, y, 1, make_date(y, 1, 1), make_date(y, 12, 31), v.filed, v.superseded,
           case when m.name like 'net_margin' or m.name = 'roe' then sin(e.entity_id * 12.9898 + m.metric_id * 78.233 + y * 37.719 + v.v)
                else round((1.5 + sin(e.entity_id * 3.7 + m.metric_id + y * 1.3 + v.v)) * 1e9) * 10 end,
           (e.entity_id * 20 + y - 2005) * 2 + v.v
    from entity e cross join metric m cross join generate_series(2006, 2019) y
    cross join lateral (
      select v, case v when 0 then make_date(y + 1, 2, 1) + e.entity_id % 50 else make_date(y + 2, 6, 1) + e.entity_id % 20 end as filed,
             case when v = 0 and (e.entity_id * 7 + m.metric_id * 31 + y * 13) % 1000 < 236
                  then make_date(y + 2, 6, 1) + e.entity_id % 20 else 'infinity' end as superseded
      from generate_series(0, 1) v
      where v = 0 or (e.entity_id * 7 + m.metric_id * 31 + y * 13) % 1000 < 236) v
    order by e.entity_id, m.metric_id, y`
  await sql`vacuum analyze fact`
  await sql`vacuum analyze entity, entity_ticker`
  await sql`update data_version set version = version + 1`
}

/** The same vintages as CSV, for a program that reads files. */
export async function vintagesCsv(sql: Sql): Promise<string> {
  const rows = await sql<{ line: string }[]>`
    select concat_ws(',', e.ticker, m.name, f.period_end, f.filed, f.value) as line
    from fact f join entity e using (entity_id) join metric m using (metric_id)`
  return `ticker,metric,end,filed,value\n${rows.map(({ line }) => line).join('\n')}\n`
}

/** Makes a row for every company in every week of five years: 1.26 million rows. */
export function makeRows(dates: number): { date: string[]; ticker: string[] } {
  const date: string[] = []
  const ticker: string[] = []
  for (let week = 0; week < dates; week++) {
    const day = isoDate(14_613 + 7 * week)
    for (let company = 1; company <= companies; company++) {
      date.push(day)
      ticker.push(`T${company}`)
    }
  }
  return { date, ticker }
}
