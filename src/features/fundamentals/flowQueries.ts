import type { IsoDate } from '../../dates.ts'
import { yearToDateSuffix } from '../../markets/metrics.ts'
import { factsAsOf } from '../../postgres/asOf.ts'
import type { SqlClient } from '../../postgres/client.ts'
import type { CompanyPlan } from './plan.ts'

/** A figure over three, six, nine or twelve months. */
export interface Flow {
  readonly m: string
  readonly fp: number
  readonly fy: number
  readonly start: IsoDate
  readonly end: IsoDate
  readonly unit: string
  readonly current: boolean
}

/** Years to date and years; excludes quarters that were only stated on their own. */
export function statedFlows(
  sql: SqlClient,
  { asOf, entityId }: CompanyPlan,
  names: readonly string[],
  from: IsoDate,
): Promise<Flow[]> {
  const all = names.flatMap(name => [name, `${name}${yearToDateSuffix}`])
  return sql<Flow[]>`
    select m.name as m, f.fp, f.fy, f.period_start as start, f.period_end as "end", u.name as unit, f.current
    from ${factsAsOf(sql, asOf)} f join metric m on m.metric_id = f.metric_id join unit u on u.unit_id = f.unit_id
    where f.entity_id = ${entityId} and m.name = any(${all}) and f.period_start is not null
      and f.period_end >= ${from} and f.fp between 0 and 3`
}
