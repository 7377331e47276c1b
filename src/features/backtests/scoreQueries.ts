import type { ScoreSpans } from '../../backtest/pool/tasks.ts'
import type { IsoDate } from '../../dates.ts'
import type { Sql } from '../../postgres/client.ts'

export interface SpansWanted {
  /** The ids of an archive's assets of one market, one a line: tickers, or TICKER:MARKET where two markets share one. No
   * register's ID holds a colon. */
  readonly names: string
  readonly market: string
  readonly metric: string
  /** Figures in any other unit are none. */
  readonly unit: string
  readonly maxAgeDays: number
  /** The last date that needs a score. */
  readonly lastDate: IsoDate
}

export interface FoundSpans extends ScoreSpans {
  /** Of the assets that have any figure of the metric, the companies, each once. */
  readonly entityIds: readonly number[]
}

/** Of each asset's company, what its latest full fiscal year was from one day to the next, at the vintage of then: asked of
 * fact_as_of on each day on which that may have changed, and good from the day after, for what is filed on a date may come
 * after its close. A figure of a year that had not ended when it was filed is a slip or a forecast, and none. One row,
 * packed: the figures of a market are many. */
export async function readSpans(sql: Sql, wanted: SpansWanted): Promise<FoundSpans> {
  const { names, market, metric, unit, maxAgeDays, lastDate } = wanted
  const [found] = await sql<[FoundSpans]>`
    with listed as (
      select n.place - 1 as place, e.entity_id
      from unnest(string_to_array(${names}, E'\n')) with ordinality as n (name, place)
      join entity_ticker t
        on t.ticker = case when right(n.name, 3) = ${`:${market}`} then left(n.name, -3) else n.name end
      join entity e on e.entity_id = t.entity_id and e.market = ${market}
    ), span as (
      select l.place, l.entity_id, c.day, f.period_end, case when f.unit = ${unit} then f.value else 'NaN' end as value
      from listed l
      join metric m on m.name = ${metric}
      cross join lateral fact_change_days(l.entity_id, m.metric_id) c
      left join lateral (
        select k.period_end, k.value, u.name as unit
        from fact_as_of(c.day) k join unit u on u.unit_id = k.unit_id
        where k.entity_id = l.entity_id and k.metric_id = m.metric_id and k.fp = 0 and k.current
          and k.period_end <= k.filed
        order by k.period_end desc, k.filed desc, k.value desc
        limit 1) f on true
      where c.day < ${lastDate}::date
    ), asset as (
      select place, entity_id, int4send(count(*)::int) as count,
        string_agg(int4send(day + 1 - date '1970-01-01'), ''::bytea order by day) as first_days,
        string_agg(int4send(coalesce(period_end, day) + ${maxAgeDays}::int - date '1970-01-01'), ''::bytea order by day)
          as last_days,
        string_agg(float8send(value), ''::bytea order by day) as values
      from span
      group by place, entity_id
      having bool_or(value <> 'NaN')
    )
    select
      coalesce(string_agg(int4send(place::int), ''::bytea order by place), '') as places,
      coalesce(string_agg(count, ''::bytea order by place), '') as counts,
      coalesce(string_agg(first_days, ''::bytea order by place), '') as "firstDays",
      coalesce(string_agg(last_days, ''::bytea order by place), '') as "lastDays",
      coalesce(string_agg(values, ''::bytea order by place), '') as values,
      coalesce(array_agg(distinct entity_id), '{}') as "entityIds"
    from asset`
  return found
}
