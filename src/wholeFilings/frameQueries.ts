import type { IsoDate } from '../dates.ts'
import { type AsOf, isInstant, lastEndedDay, lastWholeDay } from '../instants.ts'
import { filingIsKnown } from '../postgres/asOf.ts'
import type { SqlClient, SqlFragment } from '../postgres/client.ts'
import type { FrameCode } from './frames.ts'

/** Companies of a market, by their numbers. */
export interface FrameScope {
  readonly market: string
  readonly frame: FrameCode
  readonly asOf: AsOf
  /** The company after which to continue; null for the market's first. */
  readonly after: number | null
  /** The only companies to read; null for all. */
  readonly seen: readonly number[] | null
}

/** A filing that states figures of the frame, and the company that filed it. */
export interface FrameFiling {
  readonly entityId: number
  readonly ticker: string
  readonly issuerId: string
  readonly accession: string
  readonly form: string
  readonly filed: IsoDate
  readonly acceptedAt: Date | null
  /** Only as of an instant: whether it counts by its time rather than from the end of its day. */
  readonly byTime?: boolean
  readonly figures: Uint8Array
}

/**
 * For each of the next companies, the latest public filing that states figures of the frame. Companies
 * without one are left out. `last` is the last company that was examined; null if none follows.
 */
export async function latestOfFrame(
  sql: SqlClient,
  scope: FrameScope,
  companies: number,
): Promise<{
  readonly filings: readonly FrameFiling[]
  readonly last: number | null
  readonly dataVersion: number
}> {
  const { market, after, seen } = scope
  const later =
    after === null
      ? sql`and e.entity_id >= (select min(m.entity_id) from entity m where m.market = ${market})`
      : sql`and e.entity_id > ${after}`
  const ofSeen = seen === null ? sql`` : sql`and e.entity_id = any(${[...seen]}::int[])`
  const rows = await sql<
    ((FrameFiling | { entityId: null }) & { last: number | null; examined: number; version: number })[]
  >`
    with page as materialized (
      select e.entity_id, e.ticker, e.issuer_id from entity e
      where e.market = ${market} ${later} ${ofSeen}
      order by e.entity_id limit ${companies})
    select d.version::int as version, (select max(entity_id) from page) as last, (select count(*)::int from page) as examined, r.*
    from data_version d
    left join (${filingsOf(sql, scope, sql`page`, 0, 1)}) r on true
    order by r."entityId"`
  const [{ last, examined, version }] = rows
  return {
    filings: rows.flatMap(row => (row.entityId === null ? [] : [row])),
    last: examined < companies ? null : last,
    dataVersion: version,
  }
}

/** Earlier filings of some companies, the latest of each company first. */
export async function earlierOfFrame(
  sql: SqlClient,
  scope: FrameScope,
  entityIds: readonly number[],
  skipped: number,
  count: number,
): Promise<readonly FrameFiling[]> {
  const page = sql`
    (select e.entity_id, e.ticker, e.issuer_id from entity e where e.entity_id = any(${[...entityIds]}::int[]))`
  return sql<FrameFiling[]>`
    select r.* from (${filingsOf(sql, scope, page, skipped, count)}) r order by r."entityId", r.filed desc, r."acceptedAt" desc nulls first, r.accession desc`
}

/**
 * Everything except the blocks comes from an index-only scan of whole filings. If a register edited a filing, the
 * content that was known as of the day counts, as in `listKnownFilings`.
 */
function filingsOf(
  sql: SqlClient,
  { asOf, frame }: FrameScope,
  companies: SqlFragment,
  skipped: number,
  count: number,
): SqlFragment {
  const day = sql`${lastWholeDay(asOf)}::date`
  const byTime = isInstant(asOf) ? sql`, l.filed > ${lastEndedDay(asOf)}::date as by_time` : sql``
  return sql`
    select e.entity_id as "entityId", e.ticker, e.issuer_id as "issuerId", c.accession, c.form, c.filed,
           c.accepted_at as "acceptedAt", b.figure_block as figures ${isInstant(asOf) ? sql`, c.by_time as "byTime"` : sql``}
    from ${companies} e
    cross join lateral (
      select w.filing_id, w.seen_on, l.accession, l.form, l.filed, l.accepted_at ${byTime}
      from whole_filing w join filing l on l.filing_id = w.filing_id
      where w.entity_id = e.entity_id and ${frame}::smallint = any(w.frames) and ${filingIsKnown(sql, asOf)}
        and (w.seen_on = '-infinity' or w.seen_on = (
          select v.seen_on from whole_filing v where v.filing_id = w.filing_id and v.entity_id = w.entity_id
          order by v.seen_on <= ${day} desc, case when v.seen_on <= ${day} then v.seen_on end desc nulls last, v.seen_on
          limit 1))
      order by l.filed desc, l.accepted_at desc nulls first, l.accession desc
      offset ${skipped} limit ${count}) c
    join whole_filing b on b.filing_id = c.filing_id and b.entity_id = e.entity_id and b.seen_on = c.seen_on`
}
