import type { ScoreSpans } from '../../backtest/pipeline/scoredArchive.ts'
import type { IsoDate } from '../../dates.ts'
import type { SqlClient } from '../../postgres/client.ts'

export interface SpanRequest {
  /** The ids of an archive's assets of one market, one per line: tickers, or TICKER:MARKET if two markets share one. No
   * register's ID contains a colon. */
  readonly names: string
  readonly market: string
  readonly metric: string
  /** Values in any other unit are ignored. */
  readonly unit: string
  readonly maxAgeDays: number
  /** The first date that needs a score: an asset whose figures were all too old by then is never ranked. */
  readonly firstDate: IsoDate
  /** The last date that needs a score. */
  readonly lastDate: IsoDate
}

export interface FoundSpans extends ScoreSpans {
  /** The companies of the assets that have a value of the metric on some date, each once. */
  readonly entityIds: readonly number[]
}

/** For each asset, the spans of days on which its company's latest full fiscal year has one value, at the vintage current on
 * each day. The value is read from fact_as_of on every day on which it may change. It holds from the day after, because a
 * filing of a date may come after that date's close. A value filed before the end of its year is an error or a forecast, and is
 * ignored. Returns one packed row: a market has too many values for a row each. */
export async function readSpans(sql: SqlClient, request: SpanRequest): Promise<FoundSpans> {
  const { names, market, metric, unit, maxAgeDays, firstDate, lastDate } = request
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
      having bool_or(value <> 'NaN' and period_end + ${maxAgeDays}::int >= ${firstDate}::date)
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
