import type { IsoDate } from '../../dates.ts'
import type { SqlClient, SqlFragment } from '../../postgres/client.ts'

/** The start and target of a mirror's update. */
export interface ChangeRange {
  /** The mirror's data version and the day that it shows. */
  readonly since: number
  readonly sinceDay: IsoDate
  /** The data version and day to update to. */
  readonly upto: number
  readonly asOf: IsoDate
  readonly markets: readonly string[]
  /** Whether whole filings are in the feed, too. */
  readonly filings: boolean
}

/**
 * The position of a change within its phase: `version`, entity, metric, period end, filed, fiscal period and
 * filing.
 */
export interface ChangePlace {
  readonly version: number
  readonly entityId: number
  readonly metricId: number
  readonly end: IsoDate
  readonly filed: IsoDate
  readonly fp: number
  readonly filingId: number
}

export interface ChangeRecord extends ChangePlace {
  readonly change:
    | 'added'
    | 'ended'
    | 'removed'
    | 'renamed'
    | 'timed'
    | 'symbols'
    | 'filing'
    | 'filing_removed'
  readonly ticker: string
  readonly metric: string | null
  readonly fy: number | null
  readonly start: IsoDate | null
  readonly until: IsoDate | null
  readonly accession: string | null
  readonly value: number | null
  readonly unit: string | null
  readonly tag: string | null
  readonly dataVersion: number | null
  readonly acceptedAt: Date | null
}

export interface HistoryRange {
  /** The oldest data version for which changes are remembered. */
  readonly oldest: number
  readonly newest: number
  /** The day of the given version, or null if it is not on record. */
  readonly day: IsoDate | null
}

export async function readHistory(sql: SqlClient, version: number): Promise<HistoryRange> {
  const [row] = await sql<HistoryRange[]>`
    select o.version as oldest, d.version::int as newest, (select day from import_batch where version = ${version}) as day
    from oldest_pin o cross join data_version d`
  return row
}

const maxWindow = 1_000

/**
 * Finds the last of the versions, from `first` on, that together have about `rows` rows. A page reads only these. A
 * company counts as a row, because a version may have no figures but filings.
 */
export async function windowEnd(sql: SqlClient, first: number, upto: number, rows: number): Promise<number> {
  const [{ last }] = await sql<{ last: number | null }[]>`
    select max(version)::int as last
    from (
      select version, sum(rows) over (order by version) - rows as before
      from (select version, facts_added + entities as rows from import_batch where version >= ${first} and version <= ${upto}
            order by version limit ${maxWindow}) b) w
    where before < ${rows}`
  return last ?? upto
}

/** The changes of some versions after a position, in order. */
export async function readChanges(
  sql: SqlClient,
  { since, upto, asOf, markets, filings }: ChangeRange,
  after: ChangePlace,
  last: number,
  limit: number,
): Promise<ChangeRecord[]> {
  const first = after.version
  const ofFilings = filings
    ? sql`union all ${filingChanges(sql, sql`whole_filing_changes(${since}, ${upto}, ${first}, ${last}, ${asOf})`)}`
    : sql``
  return sql<ChangeRecord[]>`
    with changes as materialized (
      select c.* from (
        select version, change, value, entity_id, filing_id, period_end, filed, until, period_start, tag_id, metric_id, fy, unit_id,
               fp, data_version
        from fact_changes(${since}, ${upto}, ${first}, ${last}, ${asOf})
        union all
        select n.since_version, 'renamed', null, n.entity_id, 0, ${nowhere}, ${nowhere}, null, null, null, -1::smallint, null, null,
               0::smallint, null
        from (
          select entity_id, ticker, since_version from entity where since_version between ${first} and ${last}
          union all
          select entity_id, ticker, since_version from entity_past
          where until_version > ${upto} and since_version between ${first} and ${last}) n
        join entity_past o on o.entity_id = n.entity_id and o.since_version <= ${since} and o.until_version > ${since}
        where o.ticker <> n.ticker
        union all
        select n.since_version, 'timed', null, n.entity_id, n.filing_id, ${nowhere}, n.filed, null, null, null, -1::smallint, null, null,
               0::smallint, null
        from filing_past g
        cross join lateral (
          select entity_id, filing_id, filed, accepted_at, since_version from filing
          where filing_id = g.filing_id and since_version = g.until_version
          union all
          select entity_id, filing_id, filed, accepted_at, since_version from filing_past
          where filing_id = g.filing_id and since_version = g.until_version and until_version > ${upto}) n
        join filing_past o on o.filing_id = n.filing_id and o.since_version <= ${since} and o.until_version > ${since}
        where g.until_version between ${first} and ${last} and o.accepted_at is distinct from n.accepted_at
          and n.filed <= ${asOf}
        union all
        select n.version, 'symbols', null, e.entity_id, -1, ${nowhere}, ${nowhere}, null, null, null, -1::smallint, null, null,
               0::smallint, null
        from (${changedNumbers(sql, first, last)}) n
        join entity e on e.issuer_id = n.issuer_id and e.market || '' = n.market
        ${ofFilings}) c
      where ${isAfter(sql, after)} and (select e.market from entity e where e.entity_id = c.entity_id) = any(${markets}::text[])
      order by ${order(sql)} limit ${limit})
    ${named(sql, upto)}`
}

/** A filing may also have another time in the same version (`timed`), so `fp` tells their positions apart. */
const filingChanges = (sql: SqlClient, rows: SqlFragment) => sql`
  select w.version, w.change, null, w.entity_id, w.filing_id, ${nowhere}, w.filed, null, null, null, -1::smallint, null, null,
         1::smallint, w.data_version
  from ${rows} w`

/** The register numbers of companies whose symbols, predecessors or successors changed, once per version. */
const changedNumbers = (sql: SqlClient, first: number, last: number) => sql`
  select market, issuer_id, since_version as version from symbol_spell where since_version between ${first} and ${last}
  union
  select market, issuer_id, until_version from symbol_spell_past where until_version between ${first} and ${last}
  union
  select market, number, since_version from succession cross join unnest(array[predecessor, successor]) number
  where since_version between ${first} and ${last}
  union
  select market, number, until_version from succession_past cross join unnest(array[predecessor, successor]) number
  where until_version between ${first} and ${last}`

/** Placeholder for a day that a row does not have. */
const nowhere = '0001-01-01'
/** The number of companies that one statement examines for figures that became visible. */
const maxDueCompanies = 128

/**
 * Reads the figures after a position that became visible without a new data version. `lastEntity` is the last
 * company examined if there may be more, otherwise null.
 */
export async function readMatured(
  sql: SqlClient,
  { since, sinceDay, upto, asOf, markets, filings }: ChangeRange,
  after: ChangePlace,
  limit: number,
): Promise<{ readonly rows: ChangeRecord[]; readonly lastEntity: number | null }> {
  const due = await sql<{ id: number }[]>`
    select distinct d.entity_id as id
    from future_day d join entity e on e.entity_id = d.entity_id and e.market = any(${markets}::text[])
    where d.day > ${sinceDay} and d.day <= ${asOf} and d.entity_id >= ${after.entityId}
    order by 1 limit ${maxDueCompanies}`
  const companies = due.map(({ id }) => id)
  if (companies.length === 0) return { rows: [], lastEntity: null }
  const ofFilings = filings
    ? sql`union all ${filingChanges(sql, sql`whole_filing_matured(due.entity_id, ${since}, ${upto}, ${sinceDay}, ${asOf})`)}`
    : sql``
  const rows = await sql<ChangeRecord[]>`
    with changes as materialized (
      select c.* from unnest(${companies}::int[]) as due (entity_id)
      cross join lateral (
        select version, change, value, entity_id, filing_id, period_end, filed, until, period_start, tag_id, metric_id, fy, unit_id,
               fp, data_version
        from fact_matured(due.entity_id, ${since}, ${upto}, ${sinceDay}, ${asOf})
        ${ofFilings}) c
      where ${isAfter(sql, after)}
      order by ${order(sql)} limit ${limit})
    ${named(sql, upto)}`
  const lastEntity = companies.length < maxDueCompanies ? null : (companies.at(-1) ?? null)
  return { rows, lastEntity }
}

const order = (sql: SqlClient) =>
  sql`c.version, c.entity_id, c.metric_id, c.period_end, c.filed, c.fp, c.filing_id`

const isAfter = (
  sql: SqlClient,
  { version, entityId, metricId, end, filed, fp, filingId }: ChangePlace,
) => sql`
  (c.version, c.entity_id, c.metric_id, c.period_end, c.filed, c.fp, c.filing_id)
    > (${version}::int, ${entityId}::int, ${metricId}::smallint, ${end}::date, ${filed}::date, ${fp}::smallint, ${filingId}::int)`

/**
 * The changes with names instead of numbers. A company's ID and a filing's time are those of the target
 * version. Companies and filings are looked up one by one: a join would read whole tables, which takes longer
 * than everything else.
 */
const named = (sql: SqlClient, upto: number) => sql`
  select c.version, c.change, c.entity_id as "entityId", c.metric_id as "metricId", c.period_end as "end", c.filed, c.fp,
         c.filing_id as "filingId", c.fy, c.period_start as start, c.until, c.value, c.data_version as "dataVersion",
         coalesce(
           (select o.ticker from entity_past o
            where o.entity_id = c.entity_id and o.since_version <= ${upto} and o.until_version > ${upto}),
           (select e.ticker from entity e where e.entity_id = c.entity_id)) as ticker,
         m.name as metric, u.name as unit, t.name as tag,
         coalesce(
           (select l.accession from filing l where l.filing_id = c.filing_id),
           (select p.accession from filing_past p where p.filing_id = c.filing_id limit 1)) as accession,
         f.accepted_at as "acceptedAt"
  from changes c
  left join lateral (
    select l.accepted_at from filing l where l.filing_id = c.filing_id and l.since_version <= ${upto}
    union all
    select p.accepted_at from filing_past p
    where p.filing_id = c.filing_id and p.since_version <= ${upto} and p.until_version > ${upto}
    limit 1) f on true
  left join metric m on m.metric_id = c.metric_id
  left join unit u on u.unit_id = c.unit_id
  left join tag t on t.tag_id = c.tag_id
  order by ${order(sql)}`
