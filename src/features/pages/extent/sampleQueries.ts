import type { IsoDate } from '../../../dates.ts'
import type { SqlClient } from '../../../postgres/client.ts'

export interface SampleExtent {
  readonly companies: number
  /** The month in which the filings of most companies end: `2010-03`. */
  readonly month: string
  /** How many companies have filed nothing after it. */
  readonly ended: number
}

/** How far the sample reaches; null if there is more on record than the sample that a first start loads. */
export async function readSampleExtent(sql: SqlClient, today: IsoDate): Promise<SampleExtent | null> {
  const [{ isSample }] = await sql<{ isSample: boolean }[]>`
    select exists (select from import_batch) and not exists (select from import_batch where source <> 'sample') as "isSample"`
  if (!isSample) return null
  const [extent] = await sql<SampleExtent[]>`
    with last as (
      select e.entity_id, to_char(max(l.filed), 'YYYY-MM') as month
      from entity e left join filing l on l.entity_id = e.entity_id and l.filed <= ${today} group by e.entity_id
    ), most as (
      select month from last where month is not null group by month order by count(*) desc, month desc limit 1
    )
    select (select count(*)::int from last) as companies, most.month,
           (select count(*)::int from last where last.month <= most.month) as ended
    from most`
  return extent ?? null
}
