import type { IsoDate } from '../../../dates.ts'
import type { SqlClient } from '../../../postgres/client.ts'

export interface SampleExtent {
  readonly companies: number
  /** The month by which the filings of nearly all companies end: `2010-03`. */
  readonly month: string
  /** How many companies have filed nothing after it. */
  readonly ended: number
}

/** Batches that bring no filings. */
const withoutFilings = ['symbols', 'successors', 'promotion']

/** How far the sample reaches; null if there is more on record than the sample that a first start loads. */
export async function readSampleExtent(sql: SqlClient, today: IsoDate): Promise<SampleExtent | null> {
  const [{ isSample }] = await sql<{ isSample: boolean }[]>`
    select exists (select from import_batch where source = 'sample')
      and not exists (select from import_batch
                      where source <> 'sample' and source not like 'signals %' and source not like 'prices %'
                        and source <> all(${withoutFilings})) as "isSample"`
  if (!isSample) return null
  const [extent] = await sql<SampleExtent[]>`
    with last as (
      select e.entity_id, to_char(max(l.filed), 'YYYY-MM') as month
      from entity e left join filing l on l.entity_id = e.entity_id and l.filed <= ${today} group by e.entity_id
    ), most as (
      select percentile_disc(0.95) within group (order by month) as month from last where month is not null
    )
    select (select count(*)::int from last) as companies, most.month,
           (select count(*)::int from last where last.month <= most.month) as ended
    from most where most.month is not null`
  return extent ?? null
}
