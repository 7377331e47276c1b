import type { IsoDate } from '../../model/date.ts'
import type { Statements } from '../database.ts'

export interface KnownMetric {
  readonly m: string
  readonly lastEnd: IsoDate
}

/** The metrics of an entity of which any figure was filed by the day, with the end of the latest period. */
export async function knownMetrics(sql: Statements, entityId: number, asOf: IsoDate): Promise<KnownMetric[]> {
  return sql<KnownMetric[]>`
    select m.name as m, l.period_end as "lastEnd"
    from metric m cross join lateral (
      select f.period_end from fact_as_of(${asOf}) f
      where f.entity_id = ${entityId} and f.metric_id = m.metric_id
      order by f.period_end desc limit 1) l
    order by m.name collate "C"`
}
