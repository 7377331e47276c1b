import type { AsOf } from '../../instants.ts'
import type { Strategy } from '../../markets/strategies/strategies.ts'
import { factsAsOf } from '../../postgres/asOf.ts'
import type { SqlClient } from '../../postgres/client.ts'

export interface InputFigure {
  readonly metric: string
  /** Days since 1970-01-01. */
  readonly end: number
  readonly filed: number
  readonly rank: number
  readonly value: number
  readonly unit: string
  readonly accession: string | null
}

export interface InputCompany {
  readonly entityId: number
  readonly ticker: string
  readonly issuerId: string
  readonly figures: readonly InputFigure[]
}

interface Scope {
  readonly market: string
  readonly asOf: AsOf
  readonly after: number | null
  readonly limit: number
  /** The only companies to read; null for all. */
  readonly seen: readonly number[] | null
}

/** One page of companies that state the first input of a strategy, each with all current figures of the inputs. */
export async function inputsOfMarket(
  sql: SqlClient,
  { inputs, anchor, period }: Strategy,
  { market, asOf, after, limit, seen }: Scope,
): Promise<{
  readonly dataVersion: number
  readonly rows: readonly InputCompany[]
  readonly next: number | null
}> {
  const ofPeriod = period === 'FY' ? sql`f.fp = 0` : sql`(f.fp > 0 or f.period_start is null)`
  const facts = sql`${factsAsOf(sql, asOf)} f`
  const counts = sql`f.current and f.period_end <= f.filed and ${ofPeriod}`
  const later = after === null ? sql`` : sql`and e.entity_id > ${after}`
  const ofSeen = seen === null ? sql`` : sql`and e.entity_id = any(${[...seen]}::int[])`
  const found = await sql<
    (Omit<InputCompany, 'figures' | 'entityId'> & {
      version: string
      entityId: number | null
      figures: InputFigure[] | null
    })[]
  >`
    with page as materialized (
      select e.entity_id, e.ticker, e.issuer_id from entity e
      where e.market = ${market} ${later} ${ofSeen}
        and exists (select from ${facts} where f.entity_id = e.entity_id
          and f.metric_id = (select metric_id from metric where name = ${anchor}) and ${counts})
      order by e.entity_id limit ${limit + 1})
    select d.version, p.entity_id as "entityId", p.ticker, p.issuer_id as "issuerId", l.figures
    from data_version d left join page p on true
    left join lateral (
      select json_agg(json_build_object('metric', m.name, 'end', f.period_end - date '1970-01-01',
        'filed', f.filed - date '1970-01-01', 'rank', case when f.fp = 0 then 5 else f.fp end,
        'value', f.value, 'unit', u.name, 'accession', f.accession)) as figures
      from ${facts} join metric m on m.metric_id = f.metric_id join unit u on u.unit_id = f.unit_id
      where f.entity_id = p.entity_id and m.name = any(${[...inputs]}::text[]) and ${counts}) l on true
    order by p.entity_id`
  const rows = found.flatMap(({ entityId, ticker, issuerId, figures }) =>
    entityId === null ? [] : [{ entityId, ticker, issuerId, figures: figures ?? [] }],
  )
  const page = rows.slice(0, limit)
  return {
    dataVersion: Number(found[0].version),
    rows: page,
    next: rows.length > limit ? (page.at(-1)?.entityId ?? null) : null,
  }
}

/** The companies of a market. */
export async function companiesOf(sql: SqlClient, market: string): Promise<Int32Array> {
  const [{ ids }] = await sql<[{ ids: number[] }]>`
    select coalesce(array_agg(entity_id order by entity_id), '{}') as ids from entity where market = ${market}`
  return Int32Array.from(ids)
}
