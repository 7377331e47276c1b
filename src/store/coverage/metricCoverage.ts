import type { MetricCoverage } from '../../model/coverage.ts'
import type { IsoDate } from '../../model/date.ts'
import type { Statements } from '../database.ts'

/** What is on file of an entity: a line per metric, periods counted once whatever their vintages. */
export async function metricCoverage(
  sql: Statements,
  entityId: number,
  asOf: IsoDate,
): Promise<{ dataVersion: number; metrics: MetricCoverage[] }> {
  const rows = await sql<({ version: string } & (MetricCoverage | { m: null }))[]>`
    select d.version, c.*
    from data_version d left join (
      select m.name as m, count(distinct (f.period_end, f.fp))::int as periods,
             min(f.period_end) as first_end, max(f.period_end) as last_end,
             min(f.filed) as first_filed, max(f.filed) as last_filed
      from fact_as_of(${asOf}) f join metric m on m.metric_id = f.metric_id
      where f.entity_id = ${entityId}
      group by m.name) c on true
    order by c.m collate "C"`
  const metrics: MetricCoverage[] = []
  for (const { version: _, ...row } of rows) if (row.m !== null) metrics.push(row)
  return { dataVersion: Number(rows[0].version), metrics }
}
